/**
 * Both containers, plain and compressed, as one stream of decoded chunks. Whatever is torn at the end is
 * told apart here from what is damaged (format document, 2.1 to 2.3).
 */
import { SessionLogError } from '../errors.ts';
import type { LogBytes } from './bytes.ts';
import { closeTornFrame, corruptFrame, type FrameSpan, scanFrame } from './frames.ts';
import { MAX_HEADER_BYTES, MAX_LOG_BYTES, MAX_WHOLE_FRAME_BYTES, MAX_WINDOW_BYTES } from './limits.ts';
import { MAX_PIECE_BYTES } from './wasm-heap.ts';
import type { ZstdFrames } from './zstd.ts';

const PLAIN_CHUNK_BYTES = 128 * 1024;
const LINE_FEED = 10;

/** Decoded bytes in order. `bytes` is valid until the next chunk is asked for. */
export interface DecodedChunk {
  readonly bytes: Uint8Array;
  /** Number of the frame, from 1; 0 in a plain log. */
  readonly frame: number;
  /** File offset of the chunk (plain) or of its frame (compressed). */
  readonly byteOffset: number;
  /** File offset behind the chunk; undefined inside a frame and in a torn one. */
  readonly endOffset: number | undefined;
}

/** What stands behind the last whole frame. */
export interface ContainerEnd {
  /** File offset of a torn last frame; undefined when the log ends with a whole frame, and in plain logs. */
  readonly tornFrameAt?: number;
  /** Its number, from 1. */
  readonly tornFrame?: number;
}

export type DecodedChunks = Generator<DecodedChunk, ContainerEnd>;

/** Where in a log decoding begins: at a line of a plain log, at frame number `frame` of a compressed one. */
export interface ContainerStart {
  readonly byteOffset: number;
  readonly frame: number;
}

const AT_THE_HEADER: ContainerStart = { byteOffset: 0, frame: 1 };

/** The decoded chunks of an open log from `start` on; `zstd` is undefined for a plain one. */
export function decodeChunks(
  bytes: LogBytes,
  zstd: ZstdFrames | undefined,
  start: ContainerStart = AT_THE_HEADER,
): DecodedChunks {
  return zstd === undefined ? plainChunks(bytes, start) : compressedChunks(bytes, zstd, start);
}

function* plainChunks(bytes: LogBytes, start: ContainerStart): DecodedChunks {
  for (let at = start.byteOffset; at < bytes.sizeBytes; ) {
    const chunk = bytes.view(at, PLAIN_CHUNK_BYTES);
    if (chunk.length === 0) break;
    const byteOffset = at;
    at += chunk.length;
    yield { bytes: chunk, frame: 0, byteOffset, endOffset: at };
  }
  return {};
}

function* compressedChunks(bytes: LogBytes, zstd: ZstdFrames, start: ContainerStart): DecodedChunks {
  let at = start.byteOffset;
  let decodedBytes = 0;
  for (let { frame } = start; at < bytes.sizeBytes; frame += 1) {
    const span = scanFrame(bytes, at, frame);
    // The header is a frame of its own: without a whole first frame there is no log yet.
    if (span.isTorn && frame === 1) return { tornFrameAt: at, tornFrame: frame };
    const chunks = span.isTorn
      ? tornFrameChunks(bytes, zstd, span)
      : wholeFrameChunks(bytes, zstd, span, frame);
    for (const chunk of frame === 1 ? headerFrameOnly(chunks, bytes) : chunks) {
      decodedBytes += chunk.length;
      if (decodedBytes > MAX_LOG_BYTES) throw tooLarge(bytes, `decodes to more than ${MAX_LOG_BYTES} bytes`);
      yield { bytes: chunk, frame, byteOffset: at, endOffset: undefined };
    }
    if (span.isTorn) return { tornFrameAt: at, tornFrame: frame };
    yield { bytes: NOTHING, frame, byteOffset: at, endOffset: span.end };
    at = span.end;
  }
  return {};
}

const NOTHING = new Uint8Array(0);

function* wholeFrameChunks(
  bytes: LogBytes,
  zstd: ZstdFrames,
  span: FrameSpan,
  frame: number,
): Generator<Uint8Array> {
  const at = { byteOffset: span.start, frame };
  if (span.boundBytes <= MAX_WHOLE_FRAME_BYTES) {
    const decoded = zstd.decodeFrame(bytes.view(span.start, span.end - span.start), span);
    if (decoded === undefined)
      throw corruptFrame(bytes, 'a frame does not decode to what its checksum says', at);
    yield decoded;
    return;
  }
  if (span.windowBytes > MAX_WINDOW_BYTES) {
    throw tooLarge(bytes, `has a frame that needs a window of ${span.windowBytes} bytes (frame ${frame})`);
  }
  const isSound = yield* zstd.streamFrame(pieces(bytes, span.start, span.end));
  if (!isSound) throw corruptFrame(bytes, 'a frame does not decode to what its checksum says', at);
}

/** What the whole blocks of a torn frame hold; a refused one holds nothing, which is no error. */
function* tornFrameChunks(bytes: LogBytes, zstd: ZstdFrames, span: FrameSpan): Generator<Uint8Array> {
  const closed = closeTornFrame(bytes, span);
  if (closed === undefined) return;
  if (span.boundBytes > MAX_WHOLE_FRAME_BYTES) {
    yield* zstd.streamFrame(piecesOf(closed));
    return;
  }
  const decoded = zstd.decodeFrame(closed, { ...span, hasChecksum: false });
  if (decoded !== undefined) yield decoded;
}

function* pieces(bytes: LogBytes, start: number, end: number): Generator<Uint8Array> {
  for (let at = start; at < end; at += MAX_PIECE_BYTES) {
    yield bytes.view(at, Math.min(MAX_PIECE_BYTES, end - at));
  }
}

function* piecesOf(frame: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < frame.length; at += MAX_PIECE_BYTES) yield frame.subarray(at, at + MAX_PIECE_BYTES);
}

/** Passes the first frame on while checking that it holds the header line, its line feed, and no more. */
function* headerFrameOnly(chunks: Iterable<Uint8Array>, bytes: LogBytes): Generator<Uint8Array> {
  const at = { byteOffset: 0, frame: 1 };
  let isComplete = false;
  let headerBytes = 0;
  for (const chunk of chunks) {
    if (chunk.length === 0) continue;
    const lineFeedAt = chunk.indexOf(LINE_FEED);
    if (isComplete || (lineFeedAt >= 0 && lineFeedAt < chunk.length - 1)) {
      throw corruptFrame(bytes, 'the first frame holds more than the header line', at);
    }
    headerBytes += chunk.length;
    if (headerBytes > MAX_HEADER_BYTES) {
      throw tooLarge(bytes, `has a header line of more than ${MAX_HEADER_BYTES} bytes`);
    }
    isComplete = lineFeedAt >= 0;
    yield chunk;
  }
  if (!isComplete) throw corruptFrame(bytes, 'the first frame does not hold a whole header line', at);
}

/** SESSION_LOG_TOO_LARGE for this log; `what` continues "the log PATH …". */
export function tooLarge(bytes: { readonly path: string }, what: string): SessionLogError {
  return new SessionLogError(
    'SESSION_LOG_TOO_LARGE',
    bytes.path,
    `the log ${JSON.stringify(bytes.path)} ${what}`,
  );
}
