import { join, resolve } from 'node:path';
import { throwIfCancelled } from '../errors.ts';
import { descentTo, readDirectoryEntries } from './directory.ts';
import type { FileReference } from './file-reference.ts';
import type { IgnoreScope } from './gitignore.ts';
import { rankFileReferences } from './rank.ts';
import { checkSearchSettings, type SearchOptions, type SearchSettings } from './settings.ts';
import { walkTree } from './walk.ts';

/** What to look for, and where. */
export interface FileQuery extends SearchOptions {
  /** The workspace; relative to the process's own directory unless absolute. */
  readonly cwd: string;
  /** The text after `@` or `@"`: empty or with a `/` it lists one directory, else it searches the tree. */
  readonly query: string;
  /** Leave out what the `.gitignore` files say, those of the enclosing repository too. Default false. */
  readonly gitignore?: boolean;
  readonly signal?: AbortSignal;
}

interface Search extends SearchSettings {
  /** Absolute. */
  readonly root: string;
  /** With `/` only. */
  readonly query: string;
  readonly gitignore: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Paths that may follow `@`, best first, at most `maxResults`, frozen (file-references.md 3 to 8). Equal
 * trees give equal answers. No file is opened but `.gitignore`, and that only on demand; links are neither
 * offered nor followed; nothing outside of `cwd` is offered. What is missing, forbidden or outside is an
 * empty answer, not an error.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_CONFIG` for a setting out of range,
 *   `SESSION_REFERENCE_CANCELLED` for an aborted signal
 * @throws the file system's error when a search of the tree cannot list `cwd` itself
 */
export async function listFileReferences(options: FileQuery): Promise<readonly FileReference[]> {
  const search: Search = {
    ...checkSearchSettings(options),
    root: resolve(options.cwd),
    query: options.query.replaceAll('\\', '/'),
    gitignore: options.gitignore ?? false,
    signal: options.signal,
  };
  throwIfCancelled(search.signal);
  const slash = search.query.lastIndexOf('/');
  const isListing = search.query === '' || slash !== -1;
  const needle = search.query.slice(slash + 1);
  const candidates = isListing ? await listDirectory(search, slash + 1) : await searchTree(search);
  throwIfCancelled(search.signal);
  return Object.freeze(
    rankFileReferences(candidates, needle, search.maxResults).map((one) => Object.freeze(one)),
  );
}

/** Entries of the directory that the first `length` code units of the query name. */
async function listDirectory(search: Search, length: number): Promise<FileReference[]> {
  const typed = search.query.slice(0, length);
  if (typed.split('/').some((segment) => search.excluded.has(segment))) return [];
  const names = await descentTo(search.root, typed);
  if (names === undefined) return [];
  const scope = await scopeAt(search, names);
  if (scope === 'ignored') return [];
  // What cannot be read offers nothing.
  const entries = await readDirectoryEntries(join(search.root, ...names)).catch(() => []);
  const showHidden = search.query.startsWith('.', length);
  const found: FileReference[] = [];
  for (const { name, kind } of entries) {
    const isDirectory = kind === 'directory';
    if (name.startsWith('.') && !showHidden) continue;
    if ((isDirectory && search.excluded.has(name)) || scope?.ignores(name, isDirectory)) continue;
    found.push({ path: typed + name, kind });
  }
  return found;
}

async function searchTree(search: Search): Promise<FileReference[]> {
  const found = await walkTree(search.root, { ...search, scope: await rootScope(search) });
  return search.query.startsWith('.') ? found : found.filter(({ path }) => !/(?:^|\/)\./.test(path));
}

async function rootScope({ root, gitignore }: Search): Promise<IgnoreScope | undefined> {
  if (!gitignore) return undefined;
  const { openIgnoreScope } = await import('./gitignore.ts');
  return openIgnoreScope(root);
}

async function scopeAt(
  search: Search,
  names: readonly string[],
): Promise<IgnoreScope | undefined | 'ignored'> {
  let scope = await rootScope(search);
  for (const name of names) {
    if (scope?.ignores(name, true)) return 'ignored';
    scope = await scope?.descend(name);
  }
  return scope;
}
