/**
 * Bytes of one log file, read in place and bounded: the size is taken once, at opening, and nothing behind
 * it is ever looked at, so a writer that appends meanwhile does not change what is read (format document, 1.8).
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { SessionLogError } from '../errors.ts';
import { reasonOf } from './reason.ts';

const FIRST_WINDOW_BYTES = 128 * 1024;

/** Buffers that no open log uses. A fresh page costs far more than a used one, so they go round. */
const idleBuffers: Buffer[] = [];
const MAX_IDLE_BUFFERS = 4;
const MAX_IDLE_BYTES = 4 * 1024 * 1024;

function takeBuffer(minBytes: number): Buffer {
  const fit = idleBuffers.findIndex((buffer) => buffer.length >= minBytes);
  if (fit >= 0) return idleBuffers.splice(fit, 1)[0]!;
  let size = FIRST_WINDOW_BYTES;
  while (size < minBytes) size *= 2;
  return Buffer.allocUnsafeSlow(size);
}

function returnBuffer(buffer: Buffer): void {
  if (idleBuffers.length < MAX_IDLE_BUFFERS && buffer.length <= MAX_IDLE_BYTES) idleBuffers.push(buffer);
}

/** One open log file. Never writes, locks or follows anything; `close` must be called. */
export class LogBytes {
  readonly path: string;
  /** Bytes that were there at opening. */
  sizeBytes: number;
  /** Status of the file at opening. */
  readonly stat: Stats;
  readonly #fd: number;
  readonly #readAheadBytes: number;
  #buffer: Buffer;
  #start = 0;
  #length = 0;
  /** Called before the buffer is filled anew, from `position` on. */
  onRefill: ((position: number) => void) | undefined;

  private constructor(path: string, fd: number, stat: Stats, readAheadBytes: number) {
    this.path = path;
    this.#fd = fd;
    this.#readAheadBytes = readAheadBytes;
    this.stat = stat;
    this.sizeBytes = stat.size;
    this.#buffer = takeBuffer(Math.min(this.sizeBytes, FIRST_WINDOW_BYTES));
  }

  /**
   * Opens `path` for reading without ever waiting for a writer at the other end of a pipe. Reads take
   * `readAheadBytes` at least: few where only the beginning is wanted.
   * Errors: SESSION_LOG_NOT_FOUND, SESSION_LOG_NOT_A_FILE, SESSION_LOG_UNREADABLE.
   */
  static open(path: string, readAheadBytes = FIRST_WINDOW_BYTES): LogBytes {
    let fd: number;
    try {
      // O_NONBLOCK: a FIFO in place of a log must not block for ever.
      fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
    } catch (error) {
      throw openFailure(path, error);
    }
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) {
        throw new SessionLogError(
          'SESSION_LOG_NOT_A_FILE',
          path,
          `${JSON.stringify(path)} is not a regular file`,
        );
      }
      return new LogBytes(path, fd, stat, readAheadBytes);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /**
   * Bytes `[position, position + length)`, fewer where the file ends. The view is valid until the next call.
   */
  view(position: number, length: number): Buffer {
    const wanted = Math.min(length, this.sizeBytes - position);
    if (wanted <= 0) return this.#buffer.subarray(0, 0);
    if (position < this.#start || position + wanted > this.#start + this.#length)
      this.#fill(position, wanted);
    const from = position - this.#start;
    return this.#buffer.subarray(from, Math.min(from + wanted, this.#length));
  }

  /** How much of the file is at hand from `position` on without another read. */
  buffered(position: number): number {
    return position < this.#start ? 0 : Math.max(0, this.#start + this.#length - position);
  }

  #fill(position: number, wanted: number): void {
    this.onRefill?.(position);
    if (wanted > this.#buffer.length) {
      returnBuffer(this.#buffer);
      this.#buffer = takeBuffer(wanted);
    }
    const ahead = Math.max(wanted, Math.min(this.#readAheadBytes, this.#buffer.length));
    const most = Math.min(ahead, this.sizeBytes - position);
    let length = 0;
    while (length < most) {
      const count = this.#read(length, most - length, position + length);
      if (count === 0) {
        // The writer has cut a torn tail since the file was opened: what is left is the file.
        this.sizeBytes = position + length;
        break;
      }
      length += count;
    }
    this.#start = position;
    this.#length = length;
  }

  #read(offset: number, length: number, position: number): number {
    try {
      return readSync(this.#fd, this.#buffer, offset, length, position);
    } catch (error) {
      throw new SessionLogError(
        'SESSION_LOG_UNREADABLE',
        this.path,
        `cannot read ${JSON.stringify(this.path)}: ${reasonOf(error)}`,
        { cause: error, at: { byteOffset: position } },
      );
    }
  }

  /** True when the open file is not as it was at opening (a writer was at work). */
  hasChanged(): boolean {
    const now = fstatSync(this.#fd);
    return now.size !== this.stat.size || now.mtimeMs !== this.stat.mtimeMs;
  }

  close(): void {
    closeSync(this.#fd);
    returnBuffer(this.#buffer);
  }
}

/** Turns a failed open into the error model: gone is not unreadable, and a socket is not a file. */
function openFailure(path: string, error: unknown): SessionLogError {
  const reason = reasonOf(error);
  if (reason === 'ENOENT' || reason === 'ENOTDIR' || reason === 'ENAMETOOLONG') {
    return new SessionLogError('SESSION_LOG_NOT_FOUND', path, `${JSON.stringify(path)} does not exist`, {
      cause: error,
    });
  }
  if (reason === 'ENXIO' || reason === 'EISDIR') {
    return new SessionLogError(
      'SESSION_LOG_NOT_A_FILE',
      path,
      `${JSON.stringify(path)} is not a regular file`,
      { cause: error },
    );
  }
  return new SessionLogError(
    'SESSION_LOG_UNREADABLE',
    path,
    `cannot open ${JSON.stringify(path)}: ${reason}`,
    { cause: error },
  );
}
