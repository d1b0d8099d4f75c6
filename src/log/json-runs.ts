/**
 * Proves JSON in bytes without making values: as strict as `JSON.parse`, many times as fast, and without memory. Two
 * ways with the same answers: byte by byte anywhere (`plain-runs.ts`), and many bytes a step where the decoder has left
 * them (`json-runs.wat`).
 */

import { type WasmInstance, type WasmMemory, wasmGlobal } from '../wasm.ts';
import { JSON_RUNS_WASM } from './json-runs-wasm.ts';
import { TAPE_ENTRIES, TAPE_NUMBERS, type Tape } from './json-tape.ts';

/** Each gives the place behind what it has proven, or −1, and may look behind `end`. */
export interface JsonRuns {
  /**
   * The tape of the one object at `[start, end)`, with white space around it or not; undefined where it is not proven,
   * or has more entries than a tape can have. Valid until the next call.
   */
  tape(buffer: Uint8Array, start: number, end: number): Tape | undefined;
  /** The value at `at`, without space before it: as strict as `JSON.parse`, but not deeper than 64 levels. */
  value(buffer: Uint8Array, at: number, end: number): number;
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
  /** How many strings or numbers the last call of `strings` or `numbers` has proven. */
  count(): number;
  /** The last number that the last call of `numbers` with `isIncreasing` has proven. */
  last(): number;
}

/** Memory that must follow whatever is given to `DecoderRuns`: the loops read so far ahead. */
export const READ_AHEAD_BYTES = 16;

/** The exports of `json-runs.wat`. */
interface RunFunctions {
  tape(at: number, end: number, to: number, limit: number): number;
  value(at: number, end: number): number;
  strings(at: number, end: number, isList: number): number;
  numbers(at: number, end: number, isIncreasing: number): number;
  count(): number;
  last(): number;
}

/** For bytes in the decoder's memory. */
export class DecoderRuns implements JsonRuns {
  readonly #memory: WasmMemory;
  readonly #functions: RunFunctions;
  readonly #tapeAt: number;
  readonly #tape: Tape = { numbers: new Int32Array(0), entries: 0, base: 0 };
  /** Bytes that were found to lie in this memory; asking for it costs more than a short row. */
  #held: Uint8Array | undefined;
  /** Bytes of which a tape was last made. */
  #seen: Uint8Array | undefined;

  private constructor(memory: WasmMemory, tapeAt: number, { exports }: WasmInstance) {
    this.#memory = memory;
    this.#tapeAt = tapeAt;
    this.#functions = exports as RunFunctions;
  }

  /**
   * `tapeAt` is where `TAPE_BYTES` of the memory are free. Undefined where this processor cannot take 16 bytes a step.
   */
  static in(memory: WasmMemory, tapeAt: number): DecoderRuns | undefined {
    const { Module, Instance } = wasmGlobal();
    try {
      const module = new Module(Buffer.from(JSON_RUNS_WASM, 'base64'));
      return new DecoderRuns(memory, tapeAt, new Instance(module, { decoder: { memory } }));
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

  tape(buffer: Uint8Array, start: number, end: number): Tape | undefined {
    const tape = this.#tape;
    if (buffer !== this.#seen) {
      // Another one after the memory has grown.
      tape.numbers = new Int32Array(buffer.buffer, this.#tapeAt, TAPE_ENTRIES * TAPE_NUMBERS);
      tape.base = buffer.byteOffset;
      this.#seen = buffer;
    }
    const { base } = tape;
    tape.entries = this.#functions.tape(base + start, base + end, this.#tapeAt, TAPE_ENTRIES);
    return tape.entries < 0 ? undefined : tape;
  }

  value(buffer: Uint8Array, at: number, end: number): number {
    const base = buffer.byteOffset;
    const behind = this.#functions.value(base + at, base + end);
    return behind < 0 ? -1 : behind - base;
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
