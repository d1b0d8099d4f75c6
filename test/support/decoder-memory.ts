/** Memory such as the decoder has, and a line laid into it: what `DecoderRuns` can be tried on without a decoder. */
import { DecoderRuns, READ_AHEAD_BYTES } from '../../src/log/json-runs.ts';
import type { WasmMemory } from '../../src/wasm.ts';

const { Memory } = (
  globalThis as unknown as { WebAssembly: { Memory: new (size: { initial: number }) => WasmMemory } }
).WebAssembly;

const PAGE_BYTES = 65_536;
const memory = new Memory({ initial: 16 });

/** Runs over this memory. */
export const decoderRuns = DecoderRuns.in(memory, 0)!;

/**
 * A copy of `bytes` in this memory: as far back as the read-ahead allows, so that reading further is a trap, less
 * `shift` bytes.
 */
export function inDecoderMemory(bytes: Uint8Array, shift = 0): Buffer {
  const end = 16 * PAGE_BYTES - READ_AHEAD_BYTES - shift;
  const copy = Buffer.from(memory.buffer, end - bytes.length, bytes.length);
  copy.set(bytes);
  return copy;
}
