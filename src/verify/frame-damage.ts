/** What exactly is wrong with a frame that the reader refused, and where a check may go on behind it. */
import type { SessionLogError } from '../errors.ts';
import type { LogBytes } from '../log/bytes.ts';
import type { ContainerStart } from '../log/container.ts';
import { type FrameSpan, scanFrame } from '../log/frames.ts';
import { MAX_WHOLE_FRAME_BYTES } from '../log/limits.ts';
import type { LogSource } from '../log/read-log.ts';
import type { FindingKind } from './finding-kinds.ts';

export interface FrameDamage {
  readonly kind: FindingKind;
  /** The next frame, where its beginning is known. */
  readonly next: ContainerStart | undefined;
}

/** `frame` is the number of the refused frame, which begins at `frameStart`. */
export function explainDamage(
  error: SessionLogError,
  { bytes, zstd }: LogSource,
  { byteOffset: frameStart, frame }: ContainerStart,
): FrameDamage {
  if (error.kind === 'too-large') return { kind: 'log-too-large', next: undefined };
  let span: FrameSpan;
  try {
    span = scanFrame(bytes, frameStart, frame);
  } catch {
    // The structure itself is refused, so nothing says where another frame begins.
    const kind = isSkippable(bytes, frameStart) ? 'frame-skippable' : 'frame-structure';
    return { kind, next: undefined };
  }
  const next = { byteOffset: span.end, frame: frame + 1 };
  const isSound =
    frame === 1 &&
    (span.boundBytes > MAX_WHOLE_FRAME_BYTES ||
      zstd?.decodeFrame(bytes.view(span.start, span.end - span.start), span) !== undefined);
  return { kind: isSound ? 'first-frame' : 'frame-damaged', next };
}

function isSkippable(bytes: LogBytes, at: number): boolean {
  const magic = bytes.view(at, 4);
  return magic.length === 4 && (magic.readUInt32LE(0) & 0xfffffff0) >>> 0 === 0x184d2a50;
}
