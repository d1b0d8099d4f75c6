/**
 * Splits decoded chunks into lines at LF (0x0A) bytes and nowhere else (format document, 2.1). A line is
 * given as a range of a buffer, so that nobody pays for a string that nobody reads.
 */
import { MAX_LINE_BYTES } from './limits.ts';

const LINE_FEED = 10;

/** `line` is bytes `[start, end)` of `buffer`, without its LF; valid during the call only. */
export type OnLine = (buffer: Buffer, start: number, end: number) => void;

export class LineSplitter {
  readonly #onLine: OnLine;
  readonly #onTooLong: () => never;
  /** The beginning of a line whose end has not come yet. */
  #carry: Buffer = Buffer.alloc(0);
  #carryLength = 0;

  constructor(onLine: OnLine, onTooLong: () => never) {
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  /** Bytes behind the last LF so far. */
  get unfinishedBytes(): number {
    return this.#carryLength;
  }

  push(chunk: Uint8Array): void {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    if (this.#carryLength > 0) {
      const end = buffer.indexOf(LINE_FEED);
      if (end < 0) {
        this.#keep(buffer, 0);
        return;
      }
      this.#keep(buffer.subarray(0, end), 0);
      const length = this.#carryLength;
      this.#carryLength = 0;
      this.#onLine(this.#carry, 0, length);
      start = end + 1;
    }
    for (let end = buffer.indexOf(LINE_FEED, start); end >= 0; end = buffer.indexOf(LINE_FEED, start)) {
      this.#onLine(buffer, start, end);
      start = end + 1;
    }
    if (start < buffer.length) this.#keep(buffer, start);
  }

  /** As `push`, but of the lines in this chunk only those that cross its borders are given out. */
  skip(chunk: Uint8Array): void {
    const firstEnd = chunk.indexOf(LINE_FEED);
    const lastEnd = chunk.lastIndexOf(LINE_FEED);
    this.push(firstEnd < 0 ? chunk : chunk.subarray(0, firstEnd + 1));
    if (lastEnd >= 0) this.push(chunk.subarray(lastEnd + 1));
  }

  #keep(buffer: Buffer, start: number): void {
    const needed = this.#carryLength + buffer.length - start;
    if (needed > MAX_LINE_BYTES) this.#onTooLong();
    if (needed > this.#carry.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#carry.length * 2));
      this.#carry.copy(grown, 0, 0, this.#carryLength);
      this.#carry = grown;
    }
    buffer.copy(this.#carry, this.#carryLength, start);
    this.#carryLength = needed;
  }
}
