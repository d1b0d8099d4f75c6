/**
 * The structure of a compressed log: where each Zstandard frame begins and ends, found by walking frame and
 * block headers and by nothing else (format document, 2.3). Nothing is decompressed here.
 */
import { type LogPosition, SessionLogError } from '../errors.ts';
import type { LogBytes } from './bytes.ts';

const MAGIC = 0xfd2fb528;
/** Largest content of one compressed block (Zstandard's own limit). */
const MAX_BLOCK_BYTES = 128 * 1024;
const LONGEST_FRAME_HEADER_BYTES = 18;

/** One frame as its headers describe it. Offsets are bytes of the file, `end` is exclusive. */
export interface FrameSpan {
  readonly start: number;
  /** End of the frame; in a torn frame the end of its last whole block. */
  readonly end: number;
  /** First byte behind the frame header. */
  readonly blocksStart: number;
  /** The content cannot be larger than this: the sum of what each block can hold. */
  readonly boundBytes: number;
  /** Content size as the frame states it; the writers usually do not. */
  readonly statedBytes: number | undefined;
  readonly hasChecksum: boolean;
  /** How far back in the content the decoder has to remember. */
  readonly windowBytes: number;
  /** Where the header of the last whole block stands; undefined when there is none. */
  readonly lastBlockAt: number | undefined;
  /** The file ends inside this frame. */
  readonly isTorn: boolean;
}

interface FrameHeader {
  readonly blocksStart: number;
  readonly statedBytes: number | undefined;
  readonly hasChecksum: boolean;
  readonly windowBytes: number;
}

/**
 * Walks the frame that begins at `start`. A file that ends inside it gives a torn frame.
 * Errors: SESSION_LOG_CORRUPT for a wrong magic number, reserved bits or a reserved block type.
 */
export function scanFrame(bytes: LogBytes, start: number, frame: number): FrameSpan {
  const torn = (blocksStart: number, boundBytes = 0, end = blocksStart, lastBlockAt?: number): FrameSpan => ({
    start,
    end,
    blocksStart,
    boundBytes,
    statedBytes: undefined,
    hasChecksum: false,
    windowBytes: 0,
    lastBlockAt,
    isTorn: true,
  });
  const header = readFrameHeader(bytes, start, frame);
  if (header === undefined) return torn(start);
  let at = header.blocksStart;
  let boundBytes = 0;
  let lastBlockAt: number | undefined;
  for (;;) {
    const head = bytes.view(at, 3);
    if (head.length < 3) return torn(header.blocksStart, boundBytes, at, lastBlockAt);
    const word = head.readUIntLE(0, 3);
    const type = (word >> 1) & 3;
    const size = word >> 3;
    if (type === 3) throw corruptFrame(bytes, 'a block has the reserved type', { byteOffset: at, frame });
    const next = at + 3 + (type === 1 ? 1 : size);
    if (next > bytes.sizeBytes) return torn(header.blocksStart, boundBytes, at, lastBlockAt);
    boundBytes += type === 2 ? MAX_BLOCK_BYTES : size;
    lastBlockAt = at;
    at = next;
    if ((word & 1) === 1) break;
  }
  const end = at + (header.hasChecksum ? 4 : 0);
  if (end > bytes.sizeBytes) return torn(header.blocksStart, boundBytes, at, lastBlockAt);
  return { start, end, ...header, boundBytes, lastBlockAt, isTorn: false };
}

/** The frame header at `start`, or undefined where the file ends inside it. */
function readFrameHeader(bytes: LogBytes, start: number, frame: number): FrameHeader | undefined {
  const head = bytes.view(start, LONGEST_FRAME_HEADER_BYTES);
  if (head.length < 4) return undefined;
  if (head.readUInt32LE(0) !== MAGIC) {
    throw corruptFrame(bytes, 'no frame begins here (wrong magic number)', { byteOffset: start, frame });
  }
  if (head.length < 5) return undefined;
  const descriptor = head[4]!;
  if ((descriptor & 0b0001_1000) !== 0) {
    throw corruptFrame(bytes, 'a frame header has reserved bits set', { byteOffset: start, frame });
  }
  const isSingleSegment = (descriptor & 0b0010_0000) !== 0;
  const sizeCode = descriptor >> 6;
  const sizeLength = sizeCode === 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeCode;
  const dictionaryLength = [0, 1, 2, 4][descriptor & 3]!;
  const sizeAt = 5 + (isSingleSegment ? 0 : 1) + dictionaryLength;
  if (head.length < sizeAt + sizeLength) return undefined;
  const statedBytes = readStatedBytes(head, sizeAt, sizeLength);
  return {
    blocksStart: start + sizeAt + sizeLength,
    statedBytes,
    hasChecksum: (descriptor & 0b100) !== 0,
    windowBytes: isSingleSegment ? (statedBytes ?? 0) : windowBytesOf(head[5]!),
  };
}

/** A window descriptor: five bits of exponent from 1 KiB on, three of eighths. */
function windowBytesOf(byte: number): number {
  const base = 1024 * 2 ** (byte >> 3);
  return base + (base / 8) * (byte & 7);
}

function readStatedBytes(head: Buffer, at: number, length: number): number | undefined {
  switch (length) {
    case 0:
      return undefined;
    case 1:
      return head[at]!;
    case 2:
      // A two-byte field counts from 256.
      return head.readUInt16LE(at) + 256;
    case 4:
      return head.readUInt32LE(at);
    default:
      return Number(head.readBigUInt64LE(at));
  }
}

/** A fault in the frame structure or content; whatever follows it, the log cannot be trusted. */
export function corruptFrame(bytes: LogBytes, what: string, at: LogPosition): SessionLogError {
  return new SessionLogError(
    'SESSION_LOG_CORRUPT',
    bytes.path,
    `the log ${JSON.stringify(bytes.path)} is damaged: ${what} (frame ${at.frame}, byte ${at.byteOffset})`,
    { at },
  );
}

/**
 * A frame of its own made of the whole blocks of a torn one: no checksum, no stated size, a window that
 * holds all that the blocks may look back to, and the last block marked as last. So what a torn frame still holds does not depend on how a
 * decoder treats cut input. Undefined where no block is whole.
 */
export function closeTornFrame(bytes: LogBytes, span: FrameSpan): Uint8Array | undefined {
  if (span.lastBlockAt === undefined) return undefined;
  const head = bytes.view(span.start, span.blocksStart - span.start);
  const descriptor = head[4]!;
  // Frames with a dictionary are never written, and none could be decoded here.
  if ((descriptor & 3) !== 0) return undefined;
  const isSingleSegment = (descriptor & 0b0010_0000) !== 0;
  const window = isSingleSegment ? windowByte(span.boundBytes) : head[5]!;
  const blocks = bytes.view(span.blocksStart, span.end - span.blocksStart);
  const closed = Buffer.allocUnsafe(6 + blocks.length);
  closed.writeUInt32LE(MAGIC, 0);
  closed[4] = 0;
  closed[5] = window;
  blocks.copy(closed, 6);
  closed[6 + (span.lastBlockAt - span.blocksStart)]! |= 1;
  return closed;
}

/** Window descriptor (power of two, from 1 KiB) for content of up to `contentBytes`. */
function windowByte(contentBytes: number): number {
  let exponent = 0;
  while (1024 * 2 ** exponent < contentBytes && exponent < 31) exponent += 1;
  return exponent << 3;
}
