/**
 * Spells texts as the fragments of a transcript, straight into UTF-8: what `JSON.stringify` says of each piece of 64
 * code points, without making a string of it.
 */

/** Code points in one fragment. */
const FRAGMENT_CODE_POINTS = 64;
/** From so many bytes on a part is full. */
const PART_BYTES = 128 * 1024;
/** Behind those: room for a heading and a fragment, whose code points take at most six bytes each. */
const ROOM_BYTES = 1024;

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const HEX = Buffer.from('0123456789abcdef');

/** By ASCII character: 0 where it stands for itself, else the letter behind the backslash. */
const ESCAPES = new Uint8Array(0x80);
ESCAPES.fill(LETTER_U, 0, 0x20);
for (const character of '"\\\b\t\n\f\r') {
  ESCAPES[character.charCodeAt(0)] = JSON.stringify(character).charCodeAt(2);
}

/** Collects text until a part is full; the memory of a part is used again for the next one. */
export class FragmentWriter {
  readonly #part = Buffer.allocUnsafeSlow(PART_BYTES + ROOM_BYTES);
  #length = 0;

  /** Then it must be taken before anything is added. */
  get isFull(): boolean {
    return this.#length >= PART_BYTES;
  }

  /** What has been collected since the last part; valid until more is added. */
  take(): Uint8Array {
    const part = this.#part.subarray(0, this.#length);
    this.#length = 0;
    return part;
  }

  /** Adds a short piece of ASCII. */
  add(ascii: string): void {
    this.#length += this.#part.write(ascii, this.#length, 'latin1');
  }

  /** Adds the fragments of `text` from `start` on until the part is full; gives the place behind them. */
  addFragments(text: string, start: number): number {
    const part: Uint8Array = this.#part;
    let length = this.#length;
    let at = start;
    while (at < text.length && length < PART_BYTES) {
      part[length++] = QUOTE;
      for (let count = 0; count < FRAGMENT_CODE_POINTS && at < text.length; count += 1) {
        const unit = text.charCodeAt(at++);
        if (unit < 0x80) {
          const letter = ESCAPES[unit]!;
          if (letter === 0) {
            part[length++] = unit;
          } else if (letter === LETTER_U) {
            length = escapeUnit(part, length, unit);
          } else {
            part[length++] = BACKSLASH;
            part[length++] = letter;
          }
        } else if (unit < 0x800) {
          part[length++] = 0xc0 | (unit >> 6);
          part[length++] = 0x80 | (unit & 0x3f);
        } else if (unit < 0xd800 || unit > 0xdfff) {
          part[length++] = 0xe0 | (unit >> 12);
          part[length++] = 0x80 | ((unit >> 6) & 0x3f);
          part[length++] = 0x80 | (unit & 0x3f);
        } else {
          const codePoint = text.codePointAt(at - 1)!;
          if (codePoint === unit) {
            // A lone surrogate: UTF-8 cannot spell it.
            length = escapeUnit(part, length, unit);
          } else {
            at += 1;
            part[length++] = 0xf0 | (codePoint >> 18);
            part[length++] = 0x80 | ((codePoint >> 12) & 0x3f);
            part[length++] = 0x80 | ((codePoint >> 6) & 0x3f);
            part[length++] = 0x80 | (codePoint & 0x3f);
          }
        }
      }
      part[length++] = QUOTE;
      part[length++] = LINE_FEED;
    }
    this.#length = length;
    return at;
  }
}

/** `\uXXXX`; gives the length with it. */
function escapeUnit(part: Uint8Array, length: number, unit: number): number {
  part[length] = BACKSLASH;
  part[length + 1] = LETTER_U;
  for (let digit = 0; digit < 4; digit += 1) part[length + 2 + digit] = HEX[(unit >> (12 - 4 * digit)) & 15]!;
  return length + 6;
}
