/** The largest head and tail of a text that fit together with a notice (retention document, section B). */

import { byteOrderMarkBytes, cutHeadAndTail, type HeadTailCut, keepHeadAndTail } from './head-tail.ts';

/** A text cut to size. `bytes` is its UTF-8 length, `omitted` the UTF-8 bytes of the original it lacks. */
export interface ShortenedText {
  readonly text: string;
  readonly bytes: number;
  readonly omitted: number;
}

/** UTF-8 bytes of the notice and its line feed, without the digits of the count. */
const NOTICE_BYTES = 31;

/**
 * `text` itself when it fits `maxBytes` (a whole number, 0 or more). Else its head and tail with the notice
 * behind them, at most `maxBytes` UTF-8 bytes; the empty text when not even the notice fits.
 */
export function shorten(text: string, maxBytes: number): ShortenedText {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { text, bytes, omitted: 0 };
  const nothing = { text: '', bytes: 0, omitted: bytes };
  // Spares encoding a long text whose notice cannot fit whatever its count.
  if (maxBytes <= NOTICE_BYTES) return nothing;
  return largestFit(Buffer.from(text), maxBytes) ?? nothing;
}

/** Binary search over the bytes to keep, in the document's own steps: they decide where fits are not monotonic. */
function largestFit(encoded: Uint8Array, maxBytes: number): ShortenedText | undefined {
  let best: { kept: number; bytes: number } | undefined;
  let low = 0;
  let high = maxBytes;
  while (low <= high) {
    const kept = Math.floor((low + high) / 2);
    const bytes = candidateBytes(encoded, cutHeadAndTail(encoded, Math.ceil(kept / 2), Math.floor(kept / 2)));
    if (bytes <= maxBytes) {
      best = { kept, bytes };
      low = kept + 1;
    } else high = kept - 1;
  }
  if (best === undefined) return undefined;
  const { text, omitted } = keepHeadAndTail(encoded, Math.ceil(best.kept / 2), Math.floor(best.kept / 2));
  return { text: `${text}\n[… omitted ${omitted} UTF-8 bytes …]`, bytes: best.bytes, omitted };
}

/** UTF-8 length of the candidate without decoding it: of an encoded string only byte-order marks get lost. */
function candidateBytes(encoded: Uint8Array, { headEnd, tailStart, omitted }: HeadTailCut): number {
  const end = encoded.length;
  const markBytes = byteOrderMarkBytes(encoded, 0, headEnd) + byteOrderMarkBytes(encoded, tailStart, end);
  return end - omitted - markBytes + NOTICE_BYTES + String(omitted).length;
}
