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
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
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
    entryPoints: { index: 'src/index.ts' },
    outdir: 'dist',
    splitting: true,
    format: 'esm',
    chunkNames: 'chunks/[name]-[hash]',
  });
}

/** Split as ESM, which is all that esbuild splits, then each file turned into CommonJS. */
async function buildProgram(): Promise<void> {
  const directory = join(dist, 'cli');
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: { start: 'src/cli/start.ts', quick: 'src/cli/quick.ts' },
    outdir: directory,
    splitting: true,
    format: 'esm',
    chunkNames: '[name]-[hash]',
    plugins: [withoutChildProcesses],
    write: false,
    metafile: true,
  });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "type": "commonjs" }\n');
  for (const { path, text } of outputFiles) {
    // Without `import()` a file that is loaded later is loaded by `require` as well.
    const supported = { 'dynamic-import': false };
    const { code } = await transform(text, {
      format: 'cjs',
      platform: 'node',
      target: 'node20.12',
      supported,
    });
    writeFileSync(path, code);
  }
  writeFileSync(join(directory, 'LICENSES.txt'), licences(metafile));
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

rmSync(dist, { recursive: true, force: true });
await buildLibrary();
await buildProgram();
declareTypes();
