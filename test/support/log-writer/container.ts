/** Lines to the bytes of a log file, plain or compressed, framed in any way. */
import { EMPTY_FRAME, encodeFrame, type FrameOptions } from './zstd-frame.ts';

export interface ZstdOptions extends FrameOptions {
  /** Whole lines up to about this many bytes in each frame; default 16 KiB, `Infinity` for one giant frame. */
  readonly frameBytes?: number;
  /** Or exactly this many lines in each. */
  readonly linesPerFrame?: number;
  /** Put an empty frame behind every frame. */
  readonly emptyFrames?: boolean;
}

export function plainLog(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

/** A compressed log: the header line in a frame of its own, the rest in frames of whole lines. */
export function zstdLog(lines: readonly string[], options: ZstdOptions = {}): Buffer {
  return framedLog(batches(lines, options), options);
}

/** A compressed log with a frame for each given content, the header first. */
export function framedLog(contents: Iterable<Uint8Array | string>, options: ZstdOptions = {}): Buffer {
  const frames: Buffer[] = [];
  for (const content of contents) {
    frames.push(encodeFrame(typeof content === 'string' ? Buffer.from(content) : content, options));
    if (options.emptyFrames === true) frames.push(EMPTY_FRAME);
  }
  return Buffer.concat(frames);
}

function* batches(lines: readonly string[], options: ZstdOptions): Generator<string> {
  const { frameBytes = 16 * 1024, linesPerFrame = Number.POSITIVE_INFINITY } = options;
  yield `${lines[0]}\n`;
  let batch: string[] = [];
  let size = 0;
  for (const line of lines.slice(1)) {
    batch.push(line);
    size += line.length + 1;
    if (size < frameBytes && batch.length < linesPerFrame) continue;
    yield `${batch.join('\n')}\n`;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield `${batch.join('\n')}\n`;
}

/** Cuts decoded bytes at the given places behind the header line, wherever those fall. */
export function cutContents(decoded: Buffer, borders: readonly number[]): Buffer[] {
  const headerEnd = decoded.indexOf(10) + 1;
  const places = [...new Set(borders)]
    .filter((at) => at > headerEnd && at < decoded.length)
    .sort((a, b) => a - b);
  const contents = [decoded.subarray(0, headerEnd)];
  let from = headerEnd;
  for (const to of [...places, decoded.length]) {
    if (to > from) contents.push(decoded.subarray(from, to));
    from = to;
  }
  return contents;
}
