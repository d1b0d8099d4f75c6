/** Output put aside until all of it is known: in memory while it is small, else in a private file without a name. */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from './exit.ts';

const MEMORY_BYTES = 8 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const CREATE_NEW = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Written once, then read once. `close` must be called. */
export class Spool {
  readonly #directory: string | undefined;
  readonly #memoryBytes: number;
  #file: FileHandle | undefined;
  /** Set where the file could not be removed while it was open. */
  #leftover: string | undefined;
  #isMemoryOnly: boolean;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  /** Without a `directory` for the file, all of it stays in memory. */
  constructor(directory: string | undefined, memoryBytes = MEMORY_BYTES) {
    this.#directory = directory;
    this.#memoryBytes = memoryBytes;
    this.#isMemoryOnly = directory === undefined;
  }

  /** Errors: CliError `DSH_REF_OUTPUT_FAILED`. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    const limit = this.#file === undefined ? this.#memoryBytes : CHUNK_BYTES;
    if (!this.#isMemoryOnly && this.#pendingBytes >= limit) await this.#flush();
  }

  /** All that was written, in order. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#file !== undefined) {
      await this.#flush();
      for (let position = 0; ; ) {
        const { bytesRead, buffer } = await this.#file.read(
          Buffer.alloc(CHUNK_BYTES),
          0,
          CHUNK_BYTES,
          position,
        );
        if (bytesRead === 0) break;
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    }
    yield* this.#pending;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    if (this.#leftover !== undefined) await unlink(this.#leftover);
  }

  async #flush(): Promise<void> {
    this.#file ??= await this.#createFile();
    if (this.#file === undefined) return;
    const bytes = Buffer.concat(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    try {
      await this.#file.writeFile(bytes);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new CliError(
        'DSH_REF_OUTPUT_FAILED',
        `the output cannot be put aside in ${JSON.stringify(this.#directory)}: ${why}`,
        { remedy: 'make room there, or name another directory by TMPDIR', cause },
      );
    }
  }

  async #createFile(): Promise<FileHandle | undefined> {
    const path = join(this.#directory!, `dsh-ref-${randomBytes(12).toString('hex')}`);
    try {
      const file = await open(path, CREATE_NEW, 0o600);
      await unlink(path).catch(() => {
        // Some systems keep the name of an open file: it goes in the end.
        this.#leftover = path;
      });
      return file;
    } catch {
      // No place for temporary files: memory it is.
      this.#isMemoryOnly = true;
      return undefined;
    }
  }
}
