/** Loads the case files of a corpus folder: `cases/*.ndjson`, and the same below `generations/` and `public/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A case as the file has it; `folder` is what its paths are relative to. */
export interface CorpusCase {
  readonly folder: string;
  readonly id: string;
  readonly category: string;
  /** The layout of the published answers. */
  readonly request?: Record<string, any>;
  /** The layout of the generations corpus. */
  readonly cmd?: string;
  readonly args?: Record<string, any>;
  readonly expect?: any;
  readonly error?: { readonly code: string; readonly kind?: string };
}

const FOLDERS = ['.', 'generations', 'public'];

export function loadCases(corpus: string): CorpusCase[] {
  const cases: CorpusCase[] = [];
  for (const name of FOLDERS) {
    const folder = join(corpus, name);
    const directory = join(folder, 'cases');
    if (!existsSync(directory)) continue;
    for (const file of readdirSync(directory).sort()) {
      if (!file.endsWith('.ndjson')) continue;
      for (const line of readFileSync(join(directory, file), 'utf8').split('\n')) {
        if (line === '') continue;
        const parsed = JSON.parse(line);
        const category =
          parsed.category ?? `${name === '.' ? '' : `${name}/`}${parsed.id.split('/').slice(0, 2).join('/')}`;
        cases.push({ ...parsed, folder, category });
      }
    }
  }
  return cases;
}
