/**
 * Decoding in the decoder's own memory. The package's call copies each frame out into fresh memory, which on some
 * machines is dearer than the decoding; its build is asked directly, where it looks as known.
 */

import type { WasmInstance, WasmMemory } from '../wasm.ts';
import { DecoderRuns, READ_AHEAD_BYTES } from './json-runs.ts';
import { TAPE_BYTES } from './json-tape.ts';

/** The functions of the decoder's build that are used here. */
interface DecoderExports {
  readonly memory: WasmMemory;
  malloc(bytes: number): number;
  free(pointer: number): void;
  ZSTD_decompress(target: number, targetBytes: number, source: number, sourceBytes: number): number;
  ZSTD_createDCtx(): number;
  ZSTD_freeDCtx(context: number): void;
  ZSTD_decompressStream(context: number, output: number, input: number): number;
}

const FUNCTIONS = [
  'malloc',
  'free',
  'ZSTD_decompress',
  'ZSTD_createDCtx',
  'ZSTD_freeDCtx',
  'ZSTD_decompressStream',
] as const;

/** Undefined where the build does not look as known. */
export function heapOf(instance: WasmInstance | undefined): WasmHeap | undefined {
  const exports = instance?.exports as Partial<DecoderExports> | undefined;
  const isKnown =
    exports?.memory?.buffer instanceof ArrayBuffer &&
    FUNCTIONS.every((name) => typeof exports[name] === 'function');
  return isKnown ? new WasmHeap(exports as DecoderExports) : undefined;
}

const LEAST_BUFFER_BYTES = 256 * 1024;

/** Largest piece that `stream` takes. */
export const MAX_PIECE_BYTES = 64 * 1024;
const OUTPUT_BYTES = 128 * 1024;
/** One allocation holds the two ranges, the input and the output. */
const INPUT_RANGE_AT = 0;
const OUTPUT_RANGE_AT = 16;
const INPUT_AT = 32;
const OUTPUT_AT = INPUT_AT + MAX_PIECE_BYTES;
const STREAM_BYTES = OUTPUT_AT + OUTPUT_BYTES + READ_AHEAD_BYTES;

/** One buffer for input and one for output, so that no frame costs fresh memory. */
export class WasmHeap {
  readonly #exports: DecoderExports;
  /** How decoded bytes can be looked at quickly, where that can be had. */
  readonly runs: DecoderRuns | undefined;
  readonly #input = { at: 0, bytes: 0 };
  readonly #output = { at: 0, bytes: 0 };

  constructor(exports: DecoderExports) {
    this.#exports = exports;
    this.runs = DecoderRuns.in(exports.memory, this.#allocate(TAPE_BYTES));
  }

  decode(frame: Uint8Array, outputBytes: number): Uint8Array | undefined {
    const { memory } = this.#exports;
    const input = this.#reserve(this.#input, frame.length);
    const output = this.#reserve(this.#output, outputBytes + READ_AHEAD_BYTES);
    new Uint8Array(memory.buffer, input, frame.length).set(frame);
    const size = this.#exports.ZSTD_decompress(output, outputBytes, input, frame.length);
    // Errors are small negative numbers; a frame with content decodes to some.
    return size <= 0 || size > outputBytes ? undefined : new Uint8Array(memory.buffer, output, size);
  }

  #reserve(buffer: { at: number; bytes: number }, bytes: number): number {
    if (bytes <= buffer.bytes) return buffer.at;
    if (buffer.at !== 0) this.#exports.free(buffer.at);
    buffer.at = 0;
    buffer.bytes = 0;
    const reserved = Math.max(bytes, LEAST_BUFFER_BYTES);
    buffer.at = this.#allocate(reserved);
    buffer.bytes = reserved;
    return buffer.at;
  }

  #allocate(bytes: number): number {
    const at = this.#exports.malloc(bytes);
    if (at === 0) throw new RangeError(`the decoder has no ${bytes} bytes left`);
    return at;
  }

  /**
   * One large frame in pieces of at most `MAX_PIECE_BYTES`. Has buffers of its own, since other frames may be
   * decoded between two pieces; all is given back, however it ends. Returns whether the frame was sound.
   */
  *stream(pieces: Iterable<Uint8Array>): Generator<Uint8Array, boolean> {
    const { memory } = this.#exports;
    const block = this.#allocate(STREAM_BYTES);
    const context = this.#exports.ZSTD_createDCtx();
    try {
      let left = 1;
      for (const piece of pieces) {
        new Uint8Array(memory.buffer, block + INPUT_AT, piece.length).set(piece);
        this.#setRange(block + INPUT_RANGE_AT, block + INPUT_AT, piece.length);
        while (this.#position(block + INPUT_RANGE_AT) < piece.length) {
          this.#setRange(block + OUTPUT_RANGE_AT, block + OUTPUT_AT, OUTPUT_BYTES);
          left = this.#exports.ZSTD_decompressStream(
            context,
            block + OUTPUT_RANGE_AT,
            block + INPUT_RANGE_AT,
          );
          // Errors are small negative numbers.
          if (left < 0) return false;
          const size = this.#position(block + OUTPUT_RANGE_AT);
          if (size > 0) yield new Uint8Array(memory.buffer, block + OUTPUT_AT, size);
        }
      }
      return left === 0;
    } finally {
      this.#exports.ZSTD_freeDCtx(context);
      this.#exports.free(block);
    }
  }

  /** A range is three 32-bit numbers: where, how long, and how far it has been used. */
  #setRange(at: number, start: number, bytes: number): void {
    new Uint32Array(this.#exports.memory.buffer, at, 3).set([start, bytes, 0]);
  }

  #position(at: number): number {
    return new Uint32Array(this.#exports.memory.buffer, at, 3)[2]!;
  }
}
