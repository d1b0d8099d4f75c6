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
await build({
  absWorkingDir: root,
  entryPoints: { index: 'src/index.ts', 'cli/main': 'src/cli/main.ts', 'cli/fast': 'src/cli/fast.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.12',
  packages: 'external',
  chunkNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
});
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const compiler = [join(typescript, 'bin', 'tsc'), '-p', join(root, 'tsconfig.build.json')];
execFileSync(process.execPath, compiler, { stdio: 'inherit' });
