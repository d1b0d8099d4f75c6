import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

const WRITABLE_FOR_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Makes sure that only the current user can put things into a directory: it is a real directory, his
 * own, and not writable for group or others. Windows has no such bits; there only the kind is checked.
 *
 * @param options - `ownLink`: the path itself may be a link if the current user made it
 * @throws Error naming the path and what is wrong with it; the file system's error when it cannot be inspected
 */
export function assertPrivateDirectory(path: string, options: { readonly ownLink?: boolean } = {}): void {
  let info = lstatSync(path);
  if (options.ownLink && info.isSymbolicLink() && isOwn(info)) info = statSync(path);
  if (!info.isDirectory()) throw new Error(`${JSON.stringify(path)} is not a directory of its own`);
  if (!isOwn(info)) throw new Error(`${JSON.stringify(path)} belongs to another user`);
  if (isOpen(info)) throw new Error(`${JSON.stringify(path)} is writable for other users`);
}

/**
 * Makes sure that no other user can put another directory in the place of this one: every directory
 * above belongs to the user or to the system, and is closed to others or sticky (spill-storage.md 3).
 *
 * @param path - free of links, as from `realpath`
 * @throws Error naming the directory above that is open; the file system's error when it cannot be inspected
 */
export function assertSafeAncestors(path: string): void {
  let child = lstatSync(path);
  for (let above = dirname(path); ; above = dirname(above)) {
    const info = lstatSync(above);
    const isTrusted = isOwn(info) || info.uid === 0;
    const isClosed = !isOpen(info) || ((info.mode & STICKY) !== 0 && isOwn(child));
    if (!isTrusted || !isClosed)
      throw new Error(`another user can replace what is in ${JSON.stringify(above)}`);
    if (above === dirname(above)) return;
    child = info;
  }
}

function isOwn(info: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || info.uid === user;
}

function isOpen(info: Stats): boolean {
  // Windows reports permission bits that mean nothing.
  return process.geteuid !== undefined && (info.mode & WRITABLE_FOR_OTHERS) !== 0;
}
