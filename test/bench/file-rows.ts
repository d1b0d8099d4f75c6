/** Rows about `@path` completion: a search of whole trees, against a bare walk of the same tree. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFileReferences } from '../../src/files/list.ts';
import type { Sizes } from './data.ts';
import { timeCall } from './measure.ts';
import type { Result } from './report.ts';

export async function* fileRows({ files, runs }: Sizes, home: string): AsyncGenerator<Result> {
  for (const count of files) {
    const cwd = join(home, `tree-${count}`);
    makeTree(cwd, count);
    const subjectMs: number[] = [];
    const baselineMs: number[] = [];
    for (let run = 0; run <= runs; run += 1) {
      const start = performance.now();
      await listFileReferences({ cwd, query: 'index', maxEntries: count + 1 });
      const tookMs = performance.now() - start;
      const walkMs = timeCall(() => readdirSync(cwd, { recursive: true, withFileTypes: true }));
      // The first run warms the system's cache.
      if (run === 0) continue;
      subjectMs.push(tookMs);
      baselineMs.push(walkMs);
    }
    const what = `files, a search of ${count} entries`;
    yield { what, against: 'readdirSync, recursive', goalRatio: undefined, subjectMs, baselineMs };
  }
}

/** Directories of 50 files, ten of them in each. */
function makeTree(cwd: string, count: number): void {
  for (let made = 0, directory = 0; made < count; directory += 1) {
    const path = join(cwd, `part-${Math.floor(directory / 10)}`, `module-${directory}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 50 && made < count; file += 1, made += 1) {
      writeFileSync(join(path, file === 0 ? 'index.ts' : `name-${made}.ts`), '');
    }
  }
}
