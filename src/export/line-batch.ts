/** Whole lines put together to pieces of a good size for writing. */

const PIECE_BYTES = 64 * 1024;
const LINE_FEED = 10;

export class LineBatch {
  #lines: Uint8Array[] = [];
  #bytes = 0;

  /** Adds bytes `[start, end)` of `buffer` and a line feed. */
  add(buffer: Buffer, start: number, end: number): void {
    const line = Buffer.allocUnsafe(end - start + 1);
    buffer.copy(line, 0, start, end);
    line[end - start] = LINE_FEED;
    this.#lines.push(line);
    this.#bytes += line.length;
  }

  addText(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    this.#lines.push(bytes);
    this.#bytes += bytes.length;
  }

  /** What has come together, once it is worth writing or `isEnd`. */
  take(isEnd: boolean): Uint8Array | undefined {
    if (this.#bytes === 0 || (this.#bytes < PIECE_BYTES && !isEnd)) return undefined;
    const piece = Buffer.concat(this.#lines, this.#bytes);
    this.#lines = [];
    this.#bytes = 0;
    return piece;
  }
}
