/**
 * Builds `dist/`: one small bundle for each way in, what they share in chunks, packages left outside; and the
 * type declarations. A command then loads what it needs and no more.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.12',
  packages: 'external',
  logLevel: 'warning',
} as const;
await build({
  ...common,
  entryPoints: { index: 'src/index.ts', 'cli/start': 'src/cli/start.ts' },
  outdir: 'dist',
  splitting: true,
  format: 'esm',
  chunkNames: 'chunks/[name]-[hash]',
});
// One file, loaded by `require`: for an answer that takes a moment, loading is all that counts.
await build({ ...common, entryPoints: ['src/cli/quick.ts'], outfile: 'dist/cli/quick.cjs', format: 'cjs' });
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const compiler = [join(typescript, 'bin', 'tsc'), '-p', join(root, 'tsconfig.build.json')];
execFileSync(process.execPath, compiler, { stdio: 'inherit' });
