/**
 * Builds `dist/`: the library as ESM with its packages left outside, the program as CommonJS with its packages
 * inside, and the type declarations. Each command is a file of its own that is loaded when it is called.
 *
 * CommonJS, since starting is most of what a short command costs, and Node reads a file at once by `require`, but
 * by way of a loader of its own by `import`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild';
import { COMMANDS } from '../src/cli/commands/index.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const programDirectory = join(dist, 'cli');
/** Half the bytes to read; names stay, for what is printed of a fault. */
const smaller = { minifyWhitespace: true, minifySyntax: true } as const;
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.12',
  logLevel: 'warning',
} as const satisfies BuildOptions;

async function buildLibrary(): Promise<void> {
  await build({
    ...common,
    packages: 'external',
    // The threads where the code that starts them comes to lie.
    entryPoints: {
      index: 'src/index.ts',
      'chunks/fold-worker': 'src/store/fold-worker.ts',
      'chunks/look-worker': 'src/catalog/look-worker.ts',
    },
    outdir: 'dist',
    splitting: true,
    format: 'esm',
    chunkNames: 'chunks/[name]-[hash]',
  });
}

/**
 * The program: `start.js` with all that a listing takes, since that is asked for with each key pressed and a file more
 * costs half a millisecond; and a file for whatever else is loaded when it is used. Split as ESM, which is all that
 * esbuild splits, then turned into CommonJS.
 */
async function buildProgram(): Promise<void> {
  const define = { 'import.meta.dirname': '__dirname' };
  const program = {
    ...common,
    ...smaller,
    define,
    plugins: [withoutChildProcesses],
    metafile: true as const,
  };
  const { outputFiles, metafile } = await build({
    ...program,
    entryPoints: { start: 'src/cli/start.ts', 'fold-worker': 'src/store/fold-worker.ts' },
    outdir: programDirectory,
    splitting: true,
    format: 'esm',
    chunkNames: '[name]-[hash]',
    write: false,
  });
  const texts = new Map<string, string>();
  for (const { path, text } of outputFiles) texts.set(`./${basename(path)}`, await asCommonJs(text));
  const together = withAllTheyImport(metafile, [
    'src/cli/start.ts',
    'src/cli/commands/candidates.ts',
    'src/store.ts',
  ]);
  mkdirSync(programDirectory, { recursive: true });
  writeFileSync(join(programDirectory, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(programDirectory, 'start.js'), pack(together, texts));
  for (const [name, text] of texts) {
    if (!together.has(name)) writeFileSync(join(programDirectory, name), fromPack(together, text));
  }
  writeFileSync(join(programDirectory, 'LICENSES.txt'), licences(metafile));
  const outfile = join(programDirectory, 'quick.js');
  await build({ ...program, entryPoints: ['src/cli/quick.ts'], outfile, format: 'cjs' });
}

async function asCommonJs(text: string): Promise<string> {
  // Without `import()` a file that is loaded later is loaded by `require` as well.
  const supported = { 'dynamic-import': false };
  const options = { ...smaller, format: 'cjs', platform: 'node', target: common.target, supported } as const;
  return (await transform(text, options)).code;
}

/** Names of the files made from `sources`, and of those that these import at once. */
function withAllTheyImport({ outputs }: Metafile, sources: readonly string[]): Set<string> {
  const paths = sources.map((source) => {
    const [path] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
    if (path === undefined) throw new Error(`no file was made from ${source}`);
    return path;
  });
  for (const path of paths) {
    for (const { path: imported, kind } of outputs[path]!.imports) {
      if (kind === 'import-statement' && imported in outputs && !paths.includes(imported))
        paths.push(imported);
    }
  }
  return new Set(paths.map((path) => `./${basename(path)}`));
}

/** One file of many, each run when it is first asked for. */
function pack(names: ReadonlySet<string>, texts: ReadonlyMap<string, string>): string {
  const members = [...names].map(
    (name) => `${JSON.stringify(name)}(module, exports, require) {\n${texts.get(name)}}`,
  );
  return `'use strict';
const packed = {
${members.join(',\n')}
};
const loaded = {};
function load(name) {
  if (packed[name] === undefined) return require(name);
  if (loaded[name] === undefined) {
    const module = (loaded[name] = { exports: {} });
    packed[name](module, module.exports, load);
  }
  return loaded[name].exports;
}
module.exports = { ...load('./start.js'), load };
`;
}

/** A file that stays one, taking from the pack what is in there. */
function fromPack(names: ReadonlySet<string>, text: string): string {
  return text.replace(/\brequire\("(\.\/[^"]+)"\)/g, (whole, name: string) =>
    names.has(name) ? `require("./start.js").load(${JSON.stringify(name)})` : whole,
  );
}

/** commander can run commands that are programs of their own. None of ours is, and loading what that takes is slow. */
const withoutChildProcesses: Plugin = {
  name: 'without-child-processes',
  setup(builder) {
    builder.onResolve({ filter: /^(?:node:)?child_process$/ }, ({ importer }) =>
      importer.includes(join('node_modules', 'commander')) ? { path: 'none', namespace: 'none' } : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: 'module.exports = {}' }));
  },
};

/** What the packages inside the program ask to be handed on with them. */
function licences({ inputs }: Metafile): string {
  const packages = new Set<string>();
  for (const path of Object.keys(inputs)) {
    const [directory] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    if (directory !== undefined) packages.add(directory);
  }
  return [...packages].sort().map(licence).join('\n');
}

function licence(directory: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'));
  const files = readdirSync(join(root, directory)).filter((file) => /^licen[cs]e/i.test(file));
  const texts = files.map((file) => readFileSync(join(root, directory, file), 'utf8').trim());
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}

function declareTypes(): void {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const compiler = [join(typescript, 'bin', 'tsc'), '-p', join(root, 'tsconfig.build.json')];
  execFileSync(process.execPath, compiler, { stdio: 'inherit' });
}

/** Help as it is printed into a pipe, by the commands: making it anew takes longer than starting. */
function writeHelpTexts(): void {
  const program = join(root, 'bin', 'dsh-ref.js');
  const print = (argv: readonly string[]) =>
    execFileSync(process.execPath, [program, ...argv], { encoding: 'utf8' });
  const texts = Object.fromEntries(
    ['', ...COMMANDS.map(({ usage }) => usage.split(' ')[0]!)].map((name) => [
      name,
      print(name === '' ? ['--help'] : [name, '--help']),
    ]),
  );
  writeFileSync(join(programDirectory, 'help.json'), `${JSON.stringify(texts, null, 1)}\n`);
}

rmSync(dist, { recursive: true, force: true });
await buildLibrary();
await buildProgram();
writeHelpTexts();
declareTypes();
