/** Zstandard frames made by hand, so that every variant of frame header, block and checksum can be had. */
import { compress, init } from '@bokuweb/zstd-wasm';
import { checksumOf } from './xxh64.ts';

await init();

/** The largest content of one block. */
export const BLOCK_BYTES = 128 * 1024;
/** What decodes to nothing and stands behind every frame whose size is a multiple of 16 KiB in the wild. */
export const EMPTY_FRAME = Buffer.from('28b52ffd045801000099e9d851', 'hex');

export interface FrameOptions {
  /** How the content is stored; default compressed. `rle` demands content of one repeated byte. */
  readonly blocks?: 'raw' | 'rle' | 'compressed';
  /** Content of each raw or RLE block; default 128 KiB. */
  readonly blockBytes?: number;
  /** Bytes of the content size field; 1 is only possible, and 0 impossible, in a single segment. Default 0. */
  readonly sizeField?: 0 | 1 | 2 | 4 | 8;
  readonly singleSegment?: boolean;
  /** Default true. */
  readonly checksum?: boolean;
  /** The stated size, where it shall be a lie. */
  readonly statedBytes?: number;
  /** Bits to set in the descriptor (reserved ones, say). */
  readonly descriptorBits?: number;
  /** Window descriptor byte; default 2 MiB, as the writers have it, or what the content needs. */
  readonly window?: number;
}

/** One frame that decodes to `content`; by default in the shape of the real writers. */
export function encodeFrame(content: Uint8Array, options: FrameOptions = {}): Buffer {
  return joinFrame(encodeBlocks(content, options), content, options);
}

/** A frame of given block bytes; `content` is what they decode to, for size field and checksum. */
export function joinFrame(blocks: Uint8Array, content: Uint8Array, options: FrameOptions = {}): Buffer {
  const checksum = Buffer.alloc(options.checksum === false ? 0 : 4);
  if (checksum.length > 0) checksum.writeUInt32LE(checksumOf(content));
  return Buffer.concat([frameHeader(content.length, options), blocks, checksum]);
}

export function frameHeader(contentBytes: number, options: FrameOptions = {}): Buffer {
  const { singleSegment = false, checksum = true, descriptorBits = 0 } = options;
  const sizeField = options.sizeField ?? (singleSegment ? 4 : 0);
  const code = { 0: 0, 1: 0, 2: 1, 4: 2, 8: 3 }[sizeField];
  const descriptor = (code << 6) | (singleSegment ? 0x20 : 0) | (checksum ? 4 : 0) | descriptorBits;
  const window = singleSegment ? [] : [options.window ?? windowFor(contentBytes)];
  const size = Buffer.alloc(sizeField);
  const stated = options.statedBytes ?? contentBytes;
  if (sizeField === 1) size.writeUInt8(stated);
  if (sizeField === 2) size.writeUInt16LE(stated - 256);
  if (sizeField === 4) size.writeUInt32LE(stated);
  if (sizeField === 8) size.writeBigUInt64LE(BigInt(stated));
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, descriptor, ...window]), size]);
}

/** Window descriptor that covers the content, at least the 2 MiB of the writers' level 3. */
function windowFor(contentBytes: number): number {
  let exponent = 11;
  while (2 ** (10 + exponent) < contentBytes) exponent += 1;
  return exponent << 3;
}

export type BlockType = 0 | 1 | 2 | 3;

/** A block header: `size` is the stated one, `type` 3 the reserved one. */
export function blockHeader(type: BlockType, size: number, isLast: boolean): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE(size * 8 + type * 2 + (isLast ? 1 : 0), 0, 3);
  return header;
}

export function rawBlock(content: Uint8Array, isLast = false): Buffer {
  return Buffer.concat([blockHeader(0, content.length, isLast), content]);
}

export function rleBlock(byte: number, length: number, isLast = false): Buffer {
  return Buffer.concat([blockHeader(1, length, isLast), Buffer.from([byte])]);
}

export function encodeBlocks(content: Uint8Array, options: FrameOptions): Buffer {
  const { blocks = 'compressed', blockBytes = BLOCK_BYTES } = options;
  if (blocks === 'compressed' && content.length > 0) return compressedBlocks(content);
  const parts: Buffer[] = [];
  for (let at = 0; at < Math.max(content.length, 1); at += blockBytes) {
    const part = content.subarray(at, at + blockBytes);
    const isLast = at + blockBytes >= content.length;
    parts.push(blocks === 'rle' ? rleBlock(part[0]!, part.length, isLast) : rawBlock(part, isLast));
  }
  return Buffer.concat(parts);
}

/** The blocks of an independent compressor, without its frame header. */
function compressedBlocks(content: Uint8Array): Buffer {
  const frame = Buffer.from(compress(content as Buffer, 1));
  const descriptor = frame[4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const code = descriptor >> 6;
  const sizeField = code === 0 ? (isSingleSegment ? 1 : 0) : 1 << code;
  return frame.subarray(5 + (isSingleSegment ? 0 : 1) + sizeField);
}

/** A skippable frame, which general decoders pass over and no writer of session logs makes. */
export function skippableFrame(payload: Uint8Array, kind = 0): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50 + kind, 0);
  head.writeUInt32LE(payload.length, 4);
  return Buffer.concat([head, payload]);
}
