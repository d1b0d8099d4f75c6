/**
 * Decoding in the decoder's own memory. The package's call copies each frame out into fresh memory, which on some
 * machines is dearer than the decoding; its build is asked directly, where it looks as known.
 */

/** As much of an instance as is needed; the compiler's own types for it come with a browser's library only. */
export interface WasmInstance {
  readonly exports: object;
}

interface WasmNamespace {
  instantiate(...given: unknown[]): Promise<{ instance: WasmInstance }>;
}

/** The global `WebAssembly`. */
export function wasmGlobal(): WasmNamespace {
  return (globalThis as unknown as { WebAssembly: WasmNamespace }).WebAssembly;
}

/** The functions of the decoder's build that are used here. */
interface DecoderExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(bytes: number): number;
  free(pointer: number): void;
  ZSTD_decompress(target: number, targetBytes: number, source: number, sourceBytes: number): number;
}

/** Undefined where the build does not look as known. */
export function heapOf(instance: WasmInstance | undefined): WasmHeap | undefined {
  const exports = instance?.exports as Partial<DecoderExports> | undefined;
  const isKnown =
    exports?.memory?.buffer instanceof ArrayBuffer &&
    [exports.malloc, exports.free, exports.ZSTD_decompress].every((value) => typeof value === 'function');
  return isKnown ? new WasmHeap(exports as DecoderExports) : undefined;
}

const LEAST_BUFFER_BYTES = 256 * 1024;

/** One buffer for input and one for output, so that no frame costs fresh memory. */
export class WasmHeap {
  readonly #exports: DecoderExports;
  readonly #input = { at: 0, bytes: 0 };
  readonly #output = { at: 0, bytes: 0 };

  constructor(exports: DecoderExports) {
    this.#exports = exports;
  }

  decode(frame: Uint8Array, outputBytes: number): Uint8Array | undefined {
    const { memory } = this.#exports;
    const input = this.#reserve(this.#input, frame.length);
    const output = this.#reserve(this.#output, outputBytes);
    new Uint8Array(memory.buffer, input, frame.length).set(frame);
    const size = this.#exports.ZSTD_decompress(output, outputBytes, input, frame.length);
    // Errors are small negative numbers; a frame with content decodes to some.
    return size <= 0 || size > outputBytes ? undefined : new Uint8Array(memory.buffer, output, size);
  }

  #reserve(buffer: { at: number; bytes: number }, bytes: number): number {
    if (bytes <= buffer.bytes) return buffer.at;
    if (buffer.at !== 0) this.#exports.free(buffer.at);
    buffer.bytes = Math.max(bytes, LEAST_BUFFER_BYTES);
    buffer.at = this.#exports.malloc(buffer.bytes);
    if (buffer.at === 0) throw new RangeError(`the decoder has no ${buffer.bytes} bytes left`);
    return buffer.at;
  }
}
