/**
 * Runs: strings and lists of numbers, which make up most bytes of a log. Two ways to prove them, with the same
 * answers: byte by byte anywhere, and many bytes a step where the decoder has left them (`json-runs.wat`).
 */
import { BACKSLASH, CLOSE_BRACKET, COMMA, MINUS, QUOTE, ZERO } from './ascii.ts';
import { JSON_RUNS_WASM } from './json-runs-wasm.ts';
import { type WasmInstance, type WasmMemory, wasmGlobal } from './wasm-global.ts';

/** Both functions give the place behind what they have proven, or −1. They may look behind `end`. */
export interface JsonRuns {
  /**
   * The string whose opening quote is at `at`; with `isList` also those that follow it with a comma and nothing else
   * between them.
   */
  strings(buffer: Uint8Array, at: number, end: number, isList: boolean): number;
  /**
   * The rest of a list of whole numbers without spaces, its closing bracket included; `at` is where the first number
   * begins. A number of more than eight digits is not proven, nor a −0, nor with `isIncreasing` one that is not larger
   * than the one before it.
   */
  numbers(buffer: Uint8Array, at: number, end: number, isIncreasing: boolean): number;
  /** How many strings or numbers the last call has proven. */
  count(): number;
  /** The last number that the last call of `numbers` with `isIncreasing` has proven. */
  last(): number;
}

const MAX_DIGITS = 8;

/** Bytes that end the quick run through a string: the quote, the backslash, and controls, which are not allowed. */
const ENDS_RUN = new Uint8Array(256);
ENDS_RUN.fill(1, 0, 0x20);
ENDS_RUN[QUOTE] = 1;
ENDS_RUN[BACKSLASH] = 1;

const IS_ESCAPE = new Uint8Array(256);
for (const character of '"\\/bfnrt') IS_ESCAPE[character.charCodeAt(0)] = 1;

const IS_HEX = new Uint8Array(256);
for (const character of '0123456789abcdefABCDEF') IS_HEX[character.charCodeAt(0)] = 1;

/** Byte by byte. */
class PlainRuns implements JsonRuns {
  #count = 0;
  #last = -1;

  strings(buffer: Uint8Array, at: number, end: number, isList: boolean): number {
    if (at >= end || buffer[at] !== QUOTE) return -1;
    let count = 0;
    let i = at + 1;
    while (i < end) {
      const byte = buffer[i]!;
      if (ENDS_RUN[byte] === 0) {
        i += 1;
      } else if (byte === QUOTE) {
        count += 1;
        i += 1;
        if (!isList || buffer[i] !== COMMA || buffer[i + 1] !== QUOTE) {
          this.#count = count;
          return i;
        }
        i += 2;
      } else {
        i = byte === BACKSLASH ? behindEscape(buffer, i) : -1;
        if (i < 0) return -1;
      }
    }
    return -1;
  }

  numbers(buffer: Uint8Array, at: number, end: number, isIncreasing: boolean): number {
    let count = 0;
    let last = -1;
    let i = at;
    while (i < end) {
      const isNegative = buffer[i] === MINUS;
      if (isNegative) i += 1;
      const first = i;
      let number = 0;
      for (let digit = buffer[i]! - ZERO; digit >= 0 && digit <= 9; digit = buffer[i]! - ZERO) {
        number = number * 10 + digit;
        i += 1;
      }
      const digits = i - first;
      if (digits < 1 || digits > MAX_DIGITS) return -1;
      if (buffer[first] === ZERO && (isNegative || digits > 1)) return -1;
      if (isIncreasing) {
        if (isNegative || number <= last) return -1;
        last = number;
      }
      count += 1;
      const byte = buffer[i];
      i += 1;
      if (byte === COMMA) continue;
      if (byte !== CLOSE_BRACKET || i > end) return -1;
      this.#count = count;
      this.#last = last;
      return i;
    }
    return -1;
  }

  count(): number {
    return this.#count;
  }

  last(): number {
    return this.#last;
  }
}

/** For bytes anywhere. */
export const plainRuns: JsonRuns = new PlainRuns();

/** `at` is the backslash; gives the place behind the escape, or −1. */
function behindEscape(buffer: Uint8Array, at: number): number {
  if (IS_ESCAPE[buffer[at + 1]!] === 1) return at + 2;
  return buffer[at + 1] === 0x75 && isHex4(buffer, at + 2) ? at + 6 : -1;
}

function isHex4(buffer: Uint8Array, at: number): boolean {
  return (
    (IS_HEX[buffer[at]!]! &
      IS_HEX[buffer[at + 1]!]! &
      IS_HEX[buffer[at + 2]!]! &
      IS_HEX[buffer[at + 3]!]!) ===
    1
  );
}

/** Memory that must follow whatever is given to `DecoderRuns`: the loops read so far ahead. */
export const READ_AHEAD_BYTES = 16;

/** The exports of `json-runs.wat`. */
interface RunFunctions {
  strings(at: number, end: number, isList: number): number;
  numbers(at: number, end: number, isIncreasing: number): number;
  count(): number;
  last(): number;
}

/** For bytes in the decoder's memory. */
export class DecoderRuns implements JsonRuns {
  readonly #memory: WasmMemory;
  readonly #functions: RunFunctions;
  /** Bytes that were found to lie in this memory; asking for it costs more than a short row. */
  #held: Uint8Array | undefined;

  private constructor(memory: WasmMemory, { exports }: WasmInstance) {
    this.#memory = memory;
    this.#functions = exports as RunFunctions;
  }

  /** Undefined where this processor cannot take 16 bytes a step. */
  static in(memory: WasmMemory): DecoderRuns | undefined {
    const { Module, Instance } = wasmGlobal();
    try {
      const module = new Module(Buffer.from(JSON_RUNS_WASM, 'base64'));
      return new DecoderRuns(memory, new Instance(module, { decoder: { memory } }));
    } catch {
      // Old processors: the plain way gives the same answers.
      return undefined;
    }
  }

  holds(buffer: Uint8Array): boolean {
    if (buffer !== this.#held) {
      if (buffer.buffer !== this.#memory.buffer) return false;
      this.#held = buffer;
    }
    return true;
  }

  strings(buffer: Uint8Array, at: number, end: number, isList: boolean): number {
    const base = buffer.byteOffset;
    const behind = this.#functions.strings(base + at, base + end, isList ? 1 : 0);
    return behind < 0 ? -1 : behind - base;
  }

  numbers(buffer: Uint8Array, at: number, end: number, isIncreasing: boolean): number {
    const base = buffer.byteOffset;
    const behind = this.#functions.numbers(base + at, base + end, isIncreasing ? 1 : 0);
    return behind < 0 ? -1 : behind - base;
  }

  count(): number {
    return this.#functions.count();
  }

  last(): number {
    return this.#functions.last();
  }
}
