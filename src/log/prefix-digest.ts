/** A digest of the beginning of a log, taken from its bytes as they are read for something else. */
import { createHash, type Hash } from 'node:crypto';
import type { LogBytes } from './bytes.ts';

const SHOWN_CHARACTERS = 22;

export class PrefixDigest {
  readonly #bytes: LogBytes;
  #hash: Hash = createHash('sha256');
  /** Offset behind what has been taken in. */
  #offset = 0;

  /** Follows `bytes` from now on: what leaves the read buffer in order is taken in before. */
  constructor(bytes: LogBytes) {
    this.#bytes = bytes;
    bytes.onRefill = (position) => this.#takeBuffered(position);
  }

  /** SHA-256 of all bytes before `offset`, shortened. Reads again only what was not read in order. */
  before(offset: number): string {
    if (this.#offset > offset) {
      this.#hash = createHash('sha256');
      this.#offset = 0;
    }
    while (this.#offset < offset && this.#bytes.view(this.#offset, 1).length > 0) this.#takeBuffered(offset);
    return this.#hash.copy().digest('base64').slice(0, SHOWN_CHARACTERS);
  }

  #takeBuffered(end: number): void {
    const length = Math.min(this.#bytes.buffered(this.#offset), end - this.#offset);
    if (length <= 0) return;
    this.#hash.update(this.#bytes.view(this.#offset, length));
    this.#offset += length;
  }
}
