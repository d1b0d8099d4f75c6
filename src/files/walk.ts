import { join } from 'node:path';
import { throwIfCancelled } from '../errors.ts';
import { type DirectoryEntry, readDirectoryEntries } from './directory.ts';
import type { FileReference } from './file-reference.ts';
import type { IgnoreScope } from './gitignore.ts';

// Enough to keep the disk busy; what is read beyond the limit is bounded by it.
const READ_AHEAD = 16;

/** What bounds a walk. */
export interface WalkOptions {
  readonly maxEntries: number;
  /** Basenames of directories to leave out. */
  readonly excluded: ReadonlySet<string>;
  /** Scope of the root, where `.gitignore` files count. */
  readonly scope: IgnoreScope | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A directory still to be listed. */
interface Pending {
  /** Relative to the root: empty for the root itself, else it ends in `/`. */
  readonly prefix: string;
  readonly openScope: () => Promise<IgnoreScope | undefined>;
}

interface Listing {
  readonly prefix: string;
  readonly entries: readonly DirectoryEntry[];
  readonly scope: IgnoreScope | undefined;
}

/**
 * Files and directories below `root`, hidden ones too, breadth first and by code units inside each
 * directory, until there are `maxEntries` (file-references.md 4). Paths are relative to the root. Links
 * are neither listed nor entered; a directory that cannot be read is listed without its contents.
 *
 * @param root - absolute; may be reached through links
 * @throws the file system's error when the root itself cannot be listed
 * @throws SessionReferenceError `SESSION_REFERENCE_CANCELLED`
 */
export async function walkTree(root: string, options: WalkOptions): Promise<FileReference[]> {
  const found: FileReference[] = [];
  let queue: Pending[] = [{ prefix: '', openScope: async () => options.scope }];
  while (queue.length > 0) {
    const below: Pending[] = [];
    for (let head = 0; head < queue.length; head += READ_AHEAD) {
      throwIfCancelled(options.signal);
      const batch = queue.slice(head, head + READ_AHEAD);
      const listings = await Promise.all(batch.map((pending) => list(root, pending)));
      for (const listing of listings) {
        if (collect(listing, options, found, below)) return found;
      }
    }
    queue = below;
  }
  return found;
}

async function list(root: string, { prefix, openScope }: Pending): Promise<Listing> {
  try {
    const entries = await readDirectoryEntries(join(root, prefix));
    return { prefix, entries, scope: await openScope() };
  } catch (error) {
    if (prefix === '') throw error;
    // Forbidden, or gone since its parent was listed: it costs only its own contents.
    return { prefix, entries: [], scope: undefined };
  }
}

/** Adds a listing to the entries found and to the directories of the next depth; true when the limit is met. */
function collect(listing: Listing, options: WalkOptions, found: FileReference[], below: Pending[]): boolean {
  const { prefix, entries, scope } = listing;
  for (const { name, kind } of entries) {
    const isDirectory = kind === 'directory';
    if ((isDirectory && options.excluded.has(name)) || scope?.ignores(name, isDirectory)) continue;
    found.push({ path: prefix + name, kind });
    if (found.length === options.maxEntries) return true;
    if (isDirectory) below.push({ prefix: `${prefix}${name}/`, openScope: async () => scope?.descend(name) });
  }
  return false;
}
