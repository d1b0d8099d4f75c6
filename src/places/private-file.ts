/**
 * Files of ours in private directories: derived, replaced as a whole, and absent where anything is wrong with them.
 * Whoever else could have written one could have written anything into it.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory } from './private-directory.ts';

const LEFTOVER_AGE_MS = 10 * 60 * 1000;

/** What `read` makes of a file of ours; undefined where there is none, and for whatever is wrong with it. */
export function readPrivateFile<T>(
  path: string,
  read: (descriptor: number, stat: Stats) => T | undefined,
): T | undefined {
  let descriptor: number;
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    descriptor = openSync(path, flags);
  } catch {
    // Absent, a link, or not ours to read: all the same to a derived file.
    return undefined;
  }
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() && isPrivate(stat) ? read(descriptor, stat) : undefined;
  } catch {
    // Out of reach in whatever way: it will be written anew.
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

const PIECE_BYTES = 64 * 1024;

/** Fills `bytes` from `position` on; false where the file ends before. */
export function readAtPlace(descriptor: number, bytes: Buffer, position: number): boolean {
  let read = 0;
  while (read < bytes.length) {
    const count = readSync(descriptor, bytes, read, bytes.length - read, position + read);
    if (count === 0) return false;
    read += count;
  }
  return true;
}

/** True where the file has `expected` at `position`. Piece by piece: new memory takes longer to get than to compare. */
export function isAtPlace(descriptor: number, expected: Buffer, position: number): boolean {
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, expected.length));
  for (let at = 0; at < expected.length; at += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, expected.length - at);
    if (!readAtPlace(descriptor, piece.subarray(0, length), position + at)) return false;
    if (piece.compare(expected, at, at + length, 0, length) !== 0) return false;
  }
  return true;
}

/** Writes `pieces` beside the file's place and moves that there; false where it cannot be done, which costs time only. */
export function replacePrivateFile(directory: string, name: string, pieces: readonly Uint8Array[]): boolean {
  const temporary = join(directory, `${name}.${randomHex()}.tmp`);
  try {
    makePrivateDirectory(directory);
    if (!isPrivate(statSync(directory))) return false;
    writePieces(openSync(temporary, 'wx', 0o600), pieces);
    renameSync(temporary, join(directory, name));
    return true;
  } catch {
    // A full disk or a read-only place must not cost the answer.
    removeQuietly(temporary);
    return false;
  }
}

function writePieces(descriptor: number, pieces: readonly Uint8Array[]): void {
  try {
    for (const piece of pieces) writeFileSync(descriptor, piece);
  } finally {
    closeSync(descriptor);
  }
}

/** Name of the file that a temporary one was to become; undefined for any other name. */
export function leftoverOf(name: string): string | undefined {
  return /^(?<file>.+)\.[0-9a-f]{12}\.tmp$/.exec(name)?.groups?.file;
}

/**
 * Removes what is old: temporary files that a killed process left behind, and files that have not been written for
 * `keepMs`. Of a directory that may hold other things only names that `isOurs` are touched.
 */
export function removeOldFiles(
  directory: string,
  isOurs: (name: string) => boolean,
  { nowMs, keepMs = Number.POSITIVE_INFINITY }: { readonly nowMs: number; readonly keepMs?: number },
): void {
  for (const name of listNames(directory)) {
    const leftover = leftoverOf(name);
    if (!isOurs(leftover ?? name)) continue;
    const limitMs = leftover === undefined ? keepMs : LEFTOVER_AGE_MS;
    if (limitMs === Number.POSITIVE_INFINITY) continue;
    const path = join(directory, name);
    const ageMs = nowMs - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs);
    if (ageMs > limitMs) removeQuietly(path);
  }
}

/** Names in a directory; none where there is no directory yet. */
export function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

export function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Below a file, say, nothing can be there to remove.
  }
}

/** Twelve digits. A name that is taken already is refused when it is made. */
function randomHex(): string {
  return Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
}

/** Ours, and nobody else may write it: what another user could plant is not read. Windows has no such modes. */
function isPrivate(stat: { readonly uid: number; readonly mode: number }): boolean {
  const uid = process.geteuid?.();
  return uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0);
}
