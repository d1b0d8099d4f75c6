/**
 * Spells texts as the fragments of a transcript, straight into UTF-8: what `JSON.stringify` says of each piece of 64
 * code points, without making a string of it. Two ways with the same bytes: 16 bytes a step (`fragments.wat`), and unit
 * by unit for texts with lone surrogates, which UTF-8 cannot spell, and for processors that cannot do the other.
 */
import { type WasmMemory, wasmGlobal } from '../wasm.ts';
import { FRAGMENTS_WASM } from './fragments-wasm.ts';

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

const PAGE_BYTES = 64 * 1024;
/** So much of a text is spelled in one go; a unit takes at most three bytes of UTF-8. */
const PIECE_UNITS = 16 * 1024;
const PIECE_BYTES = 3 * PIECE_UNITS + ROOM_BYTES;
const MEMORY_PAGES = Math.ceil((PIECE_BYTES + 2 * (PART_BYTES + ROOM_BYTES)) / PAGE_BYTES);

/** The exports of `fragments.wat`. */
interface FragmentFunctions {
  fragments(at: number, end: number, isLast: number, to: number, limit: number): number;
  units(): number;
}

let compiled: object | undefined;

/** The memory in which pieces of text are laid at 0 and parts are written behind, and what spells there. */
class QuickSpelling {
  readonly memory: WasmMemory;
  readonly functions: FragmentFunctions;
  readonly piece: Buffer;

  private constructor() {
    const { Module, Instance, Memory } = wasmGlobal();
    compiled ??= new Module(Buffer.from(FRAGMENTS_WASM, 'base64'));
    this.memory = new Memory({ initial: MEMORY_PAGES });
    this.functions = new Instance(compiled, { writer: { memory: this.memory } }).exports as FragmentFunctions;
    this.piece = Buffer.from(this.memory.buffer, 0, PIECE_BYTES);
  }

  /** Undefined where this processor cannot take 16 bytes a step. */
  static open(): QuickSpelling | undefined {
    try {
      return new QuickSpelling();
    } catch {
      // The plain way gives the same bytes.
      return undefined;
    }
  }
}

/** Collects text until a part is full; two parts take turns, so that one can be written while the next is made. */
export class FragmentWriter {
  readonly #quick: QuickSpelling | undefined;
  readonly #parts: readonly [Buffer, Buffer];
  #turn: 0 | 1 = 0;
  #length = 0;
  /** The text that was last found to have no lone surrogate. */
  #sound = '';

  constructor({ isQuick = true }: { readonly isQuick?: boolean } = {}) {
    this.#quick = isQuick ? QuickSpelling.open() : undefined;
    this.#parts = [newPart(this.#quick, 0), newPart(this.#quick, 1)];
  }

  /** Then it must be taken before anything is added. */
  get isFull(): boolean {
    return this.#length >= PART_BYTES;
  }

  /** What has been collected since the last part; valid until the next one has been taken and more is added. */
  take(): Uint8Array {
    const part = this.#parts[this.#turn].subarray(0, this.#length);
    this.#turn = this.#turn === 0 ? 1 : 0;
    this.#length = 0;
    return part;
  }

  /** Adds a short piece of ASCII. */
  add(ascii: string): void {
    this.#length += this.#parts[this.#turn].write(ascii, this.#length, 'latin1');
  }

  /** Adds the fragments of `text` from `start` on until the part is full; gives the place behind them. */
  addFragments(text: string, start: number): number {
    if (this.#quick === undefined) return this.#addPlainly(text, start);
    if (text !== this.#sound) {
      if (!isWellFormed(text)) return this.#addPlainly(text, start);
      this.#sound = text;
    }
    return this.#addQuickly(this.#quick, text, start);
  }

  #addQuickly({ functions, piece }: QuickSpelling, text: string, start: number): number {
    const from = this.#parts[this.#turn].byteOffset;
    let at = start;
    while (at < text.length && this.#length < PART_BYTES) {
      const isLast = text.length - at <= PIECE_UNITS;
      const end = piece.write(isLast && at === 0 ? text : text.slice(at, at + PIECE_UNITS), 'utf8');
      const to = functions.fragments(0, end, isLast ? 1 : 0, from + this.#length, from + PART_BYTES);
      this.#length = to - from;
      at += functions.units();
    }
    return at;
  }

  #addPlainly(text: string, start: number): number {
    const part: Uint8Array = this.#parts[this.#turn];
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

function newPart(quick: QuickSpelling | undefined, number: 0 | 1): Buffer {
  const size = PART_BYTES + ROOM_BYTES;
  return quick === undefined
    ? Buffer.allocUnsafeSlow(size)
    : Buffer.from(quick.memory.buffer, PIECE_BYTES + number * size, size);
}

/** No lone surrogate; every Node since 20 has it, the compiler's oldest target does not. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** `\uXXXX`; gives the length with it. */
function escapeUnit(part: Uint8Array, length: number, unit: number): number {
  part[length] = BACKSLASH;
  part[length + 1] = LETTER_U;
  for (let digit = 0; digit < 4; digit += 1) part[length + 2 + digit] = HEX[(unit >> (12 - 4 * digit)) & 15]!;
  return length + 6;
}
