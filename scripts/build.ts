/**
 * Builds `dist/`: the library as ESM with its packages left outside, the program as CommonJS with its packages
 * inside, and the type declarations. Each command is a file of its own that is loaded when it is called.
 *
 * CommonJS, since starting is most of what a short command costs, and Node reads a file at once by `require`, but
 * by way of a loader of its own by `import`.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type InputOptions, type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { COMMANDS } from '../src/cli/commands/index.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const programDirectory = join(dist, 'cli');
/** Half the bytes to read; names stay, for what is printed of a fault. */
const smaller = { compress: true, mangle: false, codegen: { removeWhitespace: true } } as const;
const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' } as const;

/** Files that a package's own sources lie in. */
type Licensed = ReadonlySet<string>;

async function bundle(input: InputOptions, output: OutputOptions): Promise<Licensed> {
  const common: InputOptions = { cwd: root, platform: 'node', transform: { target: 'node20.12' } };
  const built = await rolldown({ ...common, ...input });
  const { output: chunks } = await built.write(output);
  await built.close();
  return new Set(chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : [])));
}

async function buildLibrary(): Promise<void> {
  await bundle(
    {
      // The threads where the code that starts them comes to lie.
      input: {
        index: 'src/index.ts',
        'chunks/fold-worker': 'src/store/fold-worker.ts',
        'chunks/look-worker': 'src/catalog/look-worker.ts',
      },
      external: /^[^./]/,
    },
    { ...names, dir: dist, format: 'es', chunkFileNames: 'chunks/[name]-[hash].js' },
  );
}

/**
 * The program: in one file all that a listing takes, since that is asked for with each key pressed and a file more
 * costs half a millisecond; in another what preparing takes beside it; and a file for whatever else is loaded when it
 * is used.
 */
async function buildProgram(): Promise<void> {
  const define = { 'import.meta.dirname': '__dirname' };
  const listing = withAllTheyImport(['src/cli/run-process.ts', 'src/store.ts']);
  const preparing = withAllTheyImport([
    'src/cli/prepare-input.ts',
    'src/store/prepare.ts',
    'src/store/sessions.ts',
  ]);
  const modules = await bundle(
    {
      input: { 'run-process': 'src/cli/run-process.ts', 'fold-worker': 'src/store/fold-worker.ts' },
      transform: { target: 'node20.12', define },
      plugins: [withoutChildProcesses, listing.plugin, preparing.plugin, asciiOnly],
    },
    {
      ...names,
      dir: programDirectory,
      format: 'cjs',
      exports: 'named',
      minify: smaller,
      codeSplitting: {
        groups: [
          { name: 'listing', test: (id) => listing.has(id), priority: 1 },
          { name: 'preparing', test: (id) => preparing.has(id) },
        ],
      },
    },
  );
  // Read before anything else is: each a file of its own, sharing none with the others.
  for (const name of ['start', 'quick']) {
    await bundle(
      {
        input: { [name]: `src/cli/${name}.ts` },
        transform: { target: 'node20.12', define },
        plugins: [asciiOnly],
      },
      { ...names, dir: programDirectory, format: 'cjs', exports: 'named', minify: smaller },
    );
  }
  writeFileSync(join(programDirectory, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(programDirectory, 'LICENSES.txt'), licences(modules));
}

/**
 * One character beyond Latin-1 makes the text of a whole file take two bytes for each. In minified code, without remarks,
 * such characters stand in strings, templates and patterns only, where an escape means the same.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle(_output, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = chunk.code.replace(/[^\x00-\x7f]/g, escapeUnit);
    }
  },
};

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** commander can run commands that are programs of their own. None of ours is, and loading what that takes is slow. */
const withoutChildProcesses: Plugin = {
  name: 'without-child-processes',
  resolveId: (id, importer) =>
    /^(?:node:)?child_process$/.test(id) && importer?.includes(join('node_modules', 'commander')) === true
      ? '\0no-child-processes'
      : null,
  load: (id) => (id === '\0no-child-processes' ? 'export default {};' : null),
};

/** The modules `sources`, and those that they import at once; known when all have been read. */
function withAllTheyImport(sources: readonly string[]) {
  const found = new Set<string>();
  const plugin: Plugin = {
    name: 'with-all-they-import',
    buildEnd() {
      const open = sources.map((source) => join(root, source));
      for (const id of open) {
        const info = this.getModuleInfo(id);
        if (info === null || found.has(id)) continue;
        found.add(id);
        open.push(...info.importedIds);
      }
    },
  };
  return { plugin, has: (id: string) => found.has(id) };
}

/** What the packages inside the program ask to be handed on with them. */
function licences(modules: Licensed): string {
  const packages = new Set<string>();
  for (const path of modules) {
    const [directory] = /^.*node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(path) ?? [];
    if (directory !== undefined) packages.add(directory);
  }
  return [...packages].sort().map(licence).join('\n');
}

function licence(directory: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const files = readdirSync(directory).filter((file) => /^licen[cs]e/i.test(file));
  const texts = files.map((file) => readFileSync(join(directory, file), 'utf8').trim());
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}

/** Help as it is printed into a pipe, by the commands: making it anew takes longer than starting. */
function writeHelpTexts(): void {
  const program = join(root, 'bin', 'dsh-ref.js');
  const print = (argv: readonly string[]) =>
    execFileSync(process.execPath, [program, ...argv], { encoding: 'utf8' });
  const commands = COMMANDS.map(({ usage }) => usage.split(' ')[0]!);
  const texts = [['', print(['--help'])], ...commands.map((name) => [name, print([name, '--help'])])];
  writeFileSync(
    join(programDirectory, 'help.json'),
    `${JSON.stringify(Object.fromEntries(texts), null, 1)}\n`,
  );
}

function declareTypes(): void {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const compiler = [join(typescript, 'bin', 'tsc'), '-p', join(root, 'tsconfig.build.json')];
  execFileSync(process.execPath, compiler, { stdio: 'inherit' });
}

rmSync(dist, { recursive: true, force: true });
await buildLibrary();
await buildProgram();
writeHelpTexts();
declareTypes();
