/**
 * The Zstandard decoder: one WebAssembly build for every Node version, so that answers cannot differ between
 * them. It does not throw on bad input; see `decodeFrame` for how it refuses.
 */
import type { ZSTDDecoder } from 'zstddec/stream';
import { type WasmInstance, wasmGlobal } from '../wasm.ts';
import type { JsonRuns } from './json-runs.ts';
import { plainRuns } from './plain-runs.ts';
import { heapOf, type WasmHeap } from './wasm-heap.ts';

/** Low four bytes of XXH64 of nothing, as the checksum field of an empty frame has them. */
const EMPTY_CHECKSUM = Buffer.from([0x99, 0xe9, 0xd8, 0x51]);
const EMPTY = new Uint8Array(0);

let loading: Promise<ZstdFrames> | undefined;

/** Loads the decoder once for the process. */
export function loadZstd(): Promise<ZstdFrames> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ZstdFrames> {
  const { ZSTDDecoder } = await import('zstddec/stream');
  const decoder = new ZSTDDecoder();
  const instances: WasmInstance[] = [];
  await withGlobals(() => decoder.init(), instances);
  return new ZstdFrames(decoder, heapOf(instances[0]));
}

/**
 * Runs `init` while two globals are other than usual; it looks at both before it first waits. Without `fetch`
 * the package takes its inlined bytes from a Buffer, not through a data: URL and the whole HTTP client: 8 ms in
 * place of 63. The instance it makes is noted, so that frames can be decoded in place (`WasmHeap`).
 */
function withGlobals(init: () => Promise<void>, instances: WasmInstance[]): Promise<void> {
  const wasm = wasmGlobal();
  const fetchProperty = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
  const { instantiate } = wasm;
  try {
    Object.defineProperty(globalThis, 'fetch', { value: undefined, configurable: true, writable: true });
    wasm.instantiate = async (...given) => {
      const result = await instantiate(...given);
      instances.push(result.instance);
      return result;
    };
    return init();
  } finally {
    wasm.instantiate = instantiate;
    if (fetchProperty === undefined) Reflect.deleteProperty(globalThis, 'fetch');
    else Object.defineProperty(globalThis, 'fetch', fetchProperty);
  }
}

/** What is known of a frame before it is decoded. */
export interface FrameContent {
  readonly boundBytes: number;
  readonly statedBytes: number | undefined;
  readonly hasChecksum: boolean;
}

export class ZstdFrames {
  readonly #decoder: ZSTDDecoder;
  readonly #heap: WasmHeap | undefined;

  /** Without `heap` every frame is copied out of the decoder's memory: slower, with the same answers. */
  constructor(decoder: ZSTDDecoder, heap: WasmHeap | undefined) {
    this.#decoder = decoder;
    this.#heap = heap;
  }

  /** The quickest way to look at bytes, which may be decoded ones or any others. */
  runsFor(buffer: Uint8Array): JsonRuns {
    const runs = this.#heap?.runs;
    return runs?.holds(buffer) === true ? runs : plainRuns;
  }

  /**
   * Content of one whole frame, or undefined when the frame is refused (checksum, structure, sizes). The bytes
   * are valid until the next call.
   */
  decodeFrame(frame: Uint8Array, content: FrameContent): Uint8Array | undefined {
    const { boundBytes, statedBytes, hasChecksum } = content;
    if (statedBytes !== undefined && statedBytes > boundBytes) return undefined;
    if (boundBytes === 0) return isSoundEmptyFrame(frame, hasChecksum) ? EMPTY : undefined;
    const outputBytes = statedBytes ?? boundBytes;
    if (outputBytes === 0) return undefined;
    if (this.#heap !== undefined) return this.#heap.decode(frame, outputBytes);
    // Empty is this package's way of refusing: a frame with content has some.
    const decoded = this.#decoder.decode(frame, outputBytes);
    return decoded.length === 0 ? undefined : decoded;
  }

  /**
   * Content of one large frame, piece by piece; `pieces` are consecutive parts of it, of at most
   * `MAX_PIECE_BYTES`. Returns false when the
   * frame is refused, which may show only after pieces have been given out.
   */
  *streamFrame(pieces: Iterable<Uint8Array>): Generator<Uint8Array, boolean> {
    if (this.#heap !== undefined) return yield* this.#heap.stream(pieces);
    let taken = 0;
    const counted = (function* () {
      for (const piece of pieces) {
        taken += 1;
        yield piece;
      }
    })();
    let stalledAt = -1;
    try {
      for (const decoded of this.#decoder.decodeStreaming(counted)) {
        // A call that gives nothing has eaten its piece, unless it failed: then it would be repeated for ever.
        if (decoded.length === 0) {
          if (stalledAt === taken) return false;
          stalledAt = taken;
          continue;
        }
        stalledAt = -1;
        yield decoded;
      }
    } catch (error) {
      // The package throws a plain error when the frame does not end with the last piece: refused like any other.
      if (error instanceof Error && error.message.startsWith('Incomplete stream')) return false;
      throw error;
    }
    return true;
  }
}

function isSoundEmptyFrame(frame: Uint8Array, hasChecksum: boolean): boolean {
  return !hasChecksum || EMPTY_CHECKSUM.equals(frame.subarray(frame.length - 4));
}
