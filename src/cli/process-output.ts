/**
 * Standard output and standard error of the process. Node's own streams take 4 to 7 ms to load, which is a good part of
 * a listing; most commands write one short text to a file or a pipe, and that can be handed to the system at once.
 * Terminals, longer texts and whatever else is not as simple go through Node's streams.
 */
import { fstatSync, type Stats, statSync, writeSync } from 'node:fs';
import type { OutputStream } from './io.ts';

/** A pipe takes so little whole or not at all. */
const AT_ONCE_BYTES = 4096;

export interface ProcessOutputOptions {
  /** 1 or 2. */
  readonly fd: number;
  /** As `process.platform`. */
  readonly platform: string;
  /** Node's stream for it. */
  readonly open: () => NodeJS.WriteStream;
  /** Does `write` so that a signal ends the process: a pipe that nobody reads may keep it for ever. */
  readonly endable: <T>(write: () => T) => T;
}

export class ProcessOutput implements OutputStream {
  readonly fd: number;
  readonly #options: ProcessOutputOptions;
  readonly #listeners: ((error: Error) => void)[] = [];
  #stream: NodeJS.WriteStream | undefined;
  #writtenBytes = 0;
  #mayBlock = true;
  #target: 'file' | 'pipe' | 'other' | undefined;

  constructor(options: ProcessOutputOptions) {
    this.fd = options.fd;
    this.#options = options;
  }

  get isTTY(): boolean {
    return this.#kind === 'other' && this.#open().isTTY === true;
  }

  get columns(): number | undefined {
    return this.isTTY ? this.#open().columns : undefined;
  }

  on(_event: 'error', listener: (error: Error) => void): this {
    this.#listeners.push(listener);
    this.#stream?.on('error', listener);
    return this;
  }

  write(chunk: string | Uint8Array, done: (error?: Error | null) => void = () => undefined): boolean {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let written = 0;
    if (this.#stream === undefined && this.#isForOnce(bytes.length)) {
      try {
        written = this.#options.endable(() => writeSync(this.fd, bytes));
        this.#writtenBytes += written;
      } catch (error) {
        // One that is full, and not to be waited for: Node's stream waits.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
          queueMicrotask(() => done(error as Error));
          return false;
        }
      }
      if (written === bytes.length) {
        queueMicrotask(done);
        return true;
      }
    }
    return this.#open().write(bytes.subarray(written), done);
  }

  /** A pipe may be full, and its reader slow. */
  neverBlock(): void {
    this.#mayBlock = false;
  }

  #isForOnce(bytes: number): boolean {
    if (this.#kind === 'file') return true;
    return this.#mayBlock && this.#kind === 'pipe' && this.#writtenBytes + bytes <= AT_ONCE_BYTES;
  }

  get #kind(): 'file' | 'pipe' | 'other' {
    this.#target ??= this.#options.platform === 'win32' ? 'other' : kindOf(this.fd);
    return this.#target;
  }

  #open(): NodeJS.WriteStream {
    if (this.#stream === undefined) {
      this.#stream = this.#options.open();
      for (const listener of this.#listeners) this.#stream.on('error', listener);
    }
    return this.#stream;
  }
}

function kindOf(fd: number): 'file' | 'pipe' | 'other' {
  let stat: Stats;
  try {
    stat = fstatSync(fd);
  } catch {
    // Closed: Node's stream says so.
    return 'other';
  }
  if (stat.isFile() || isNullDevice(stat)) return 'file';
  return stat.isFIFO() || stat.isSocket() ? 'pipe' : 'other';
}

function isNullDevice(stat: Stats): boolean {
  if (!stat.isCharacterDevice()) return false;
  return statSync('/dev/null', { throwIfNoEntry: false })?.rdev === stat.rdev;
}
