import { lstat, readdir } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { compareCodeUnits, type FileReference } from './file-reference.ts';

/** A directory or regular file, by its basename. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileReference['kind'];
}

/**
 * Directories and regular files directly in a directory, by code units of their names. Links, pipes,
 * sockets and devices are left out, whatever they lead to.
 *
 * @throws the file system's error when the directory cannot be listed
 */
export async function readDirectoryEntries(path: string): Promise<DirectoryEntry[]> {
  const entries: DirectoryEntry[] = [];
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) entries.push({ name: entry.name, kind: 'directory' });
    else if (entry.isFile()) entries.push({ name: entry.name, kind: 'file' });
  }
  return entries.sort((left, right) => compareCodeUnits(left.name, right.name));
}

/**
 * The names that lead from `root` to the directory a user typed, or undefined where it lies outside of
 * the root, is missing, or cannot be reached without a link (file-references.md 6). The root itself may
 * be a link.
 *
 * @param root - absolute
 * @param typed - relative to the root, or absolute
 */
export async function descentTo(root: string, typed: string): Promise<string[] | undefined> {
  const way = relative(root, resolve(root, typed));
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return undefined;
  const names = way === '' ? [] : way.split(sep);
  let path = root;
  for (const name of names) {
    path = join(path, name);
    if (!(await isRealDirectory(path))) return undefined;
  }
  return names;
}

async function isRealDirectory(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch {
    // Missing, forbidden or not a path at all: completion has nothing to offer there.
    return false;
  }
}
