/** A slow decoder that shares nothing with the code under test: frames by trial, content by another library. */
import { decompress, init } from '@bokuweb/zstd-wasm';

await init();

/** Room for the largest frame of the corpus. */
const HEAP = { defaultHeapSize: 8 * 1024 * 1024 };
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Decoded content of a sound compressed log: each frame ends where cutting there decodes and the next one begins. */
export function decodeFrames(bytes: Buffer): Buffer {
  const contents: Uint8Array[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = endOfFrame(bytes, start);
    contents.push(decompress(bytes.subarray(start, end), HEAP));
    start = end;
  }
  return Buffer.concat(contents);
}

/** The frame from `start` reaches to the next magic number at which a cut gives a decodable piece. */
function endOfFrame(bytes: Buffer, start: number): number {
  for (let next = bytes.indexOf(MAGIC, start + 4); next >= 0; next = bytes.indexOf(MAGIC, next + 1)) {
    if (isFrame(bytes.subarray(start, next))) return next;
  }
  return bytes.length;
}

function isFrame(piece: Buffer): boolean {
  try {
    decompress(piece, HEAP);
    return true;
  } catch {
    // Cut inside a frame.
    return false;
  }
}
