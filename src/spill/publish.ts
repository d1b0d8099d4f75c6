// Synchronous but for the writing: each call is short, and waiting for one takes longer than making it.
import { closeSync, constants, linkSync, lstatSync, openSync, renameSync, write } from 'node:fs';
import { join } from 'node:path';
import { throwIfCancelled } from '../errors.ts';
import { removeQuietly } from '../places/private-file.ts';
import { hasSystemCode } from './system-error.ts';

const CREATE_NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** A text on its way to the disk. */
export interface Publication {
  /** Where the file goes; checked by the caller. */
  readonly directory: string;
  /** The final name; nothing may stand there yet. */
  readonly name: string;
  /** The name while it is written: in the same directory, and not one a reader would take. */
  readonly temporaryName: string;
  /** The text, in parts; bytes are UTF-8 and valid until the part after the next is asked for. */
  readonly parts: () => Iterable<string | Uint8Array>;
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes a private file (0600) so that it is complete from the moment its final name exists. Nothing is
 * overwritten and no link is followed. Gives the number of bytes written. On failure or cancellation the final name is not there, and the
 * temporary one is removed.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_CANCELLED`
 * @throws the file system's error; `EEXIST` when either name is taken, by whatever
 */
export async function publishFile({
  directory,
  name,
  temporaryName,
  parts,
  signal,
}: Publication): Promise<number> {
  const temporary = join(directory, temporaryName);
  const file = openSync(temporary, CREATE_NEW, 0o600);
  try {
    let bytes: number;
    try {
      bytes = await writeParts(file, parts(), signal);
    } finally {
      closeSync(file);
    }
    throwIfCancelled(signal);
    moveWithoutReplacing(temporary, join(directory, name));
    return bytes;
  } catch (error) {
    // Best effort: the failure to tell is the one that came first, and cleanup takes what stays.
    removeQuietly(temporary);
    throwIfCancelled(signal);
    throw error;
  }
}

const WRITE_UNITS = 256 * 1024;

/** Writes the parts: bytes as they come, strings gathered to writes of a good size. */
async function writeParts(
  file: number,
  parts: Iterable<string | Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let bytes = 0;
  let pending = '';
  // One write is under way while the next part is made.
  let writing: Promise<void> = Promise.resolve();
  const write = async (encoded: Uint8Array): Promise<void> => {
    await writing;
    throwIfCancelled(signal);
    bytes += encoded.length;
    writing = writeWhole(file, encoded);
    // Whoever waits for it is told; nobody may be waiting yet.
    writing.catch(() => undefined);
  };
  const writePending = (): Promise<void> => {
    const encoded = Buffer.from(pending, 'utf8');
    pending = '';
    return write(encoded);
  };
  try {
    for (const part of parts) {
      if (typeof part === 'string') {
        pending += part;
        if (pending.length >= WRITE_UNITS) await writePending();
      } else {
        if (pending !== '') await writePending();
        await write(part);
      }
    }
    if (pending !== '') await writePending();
  } finally {
    // Nothing may be closed under it.
    await writing;
  }
  return bytes;
}

/** Writes `bytes` behind what has been written to `file`. */
function writeWhole(file: number, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const writeFrom = (start: number): void => {
      write(file, bytes, start, bytes.length - start, null, (error, written) => {
        if (error !== null) reject(error);
        else if (start + written < bytes.length) writeFrom(start + written);
        else resolve();
      });
    };
    writeFrom(0);
  });
}

function moveWithoutReplacing(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (
      !hasSystemCode(error, 'EPERM', 'EACCES', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'EMLINK', 'EXDEV')
    )
      throw error;
    // No hard links here. A rename would replace, but the name is random and was just seen to be free.
    assertFree(to);
    renameSync(from, to);
    return;
  }
  // The text is published; a temporary name that stays behind is cleanup's to remove.
  removeQuietly(from);
}

function assertFree(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw Object.assign(new Error(`${JSON.stringify(path)} exists already`), { code: 'EEXIST' });
}
