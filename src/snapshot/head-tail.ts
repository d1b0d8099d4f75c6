/** Head and tail of one run of UTF-8 bytes, cut at code points (retention document, section A). */

/** Which bytes stay: `[0, headEnd)` and `[tailStart, end)`. `omitted` bytes between them go. */
export interface HeadTailCut {
  readonly headEnd: number;
  readonly tailStart: number;
  readonly omitted: number;
}

/** The decoded ends and the exact number of bytes left out, those lost by trimming included. */
export interface HeadAndTail {
  readonly text: string;
  readonly omitted: number;
}

/**
 * The kept ends decoded and joined with nothing in between. Malformed bytes in them become U+FFFD, and each
 * separately decoded run loses a leading byte-order mark (its three bytes count as kept).
 *
 * `headBytes` and `tailBytes` are whole numbers of bytes, 0 or more.
 */
export function keepHeadAndTail(bytes: Uint8Array, headBytes: number, tailBytes: number): HeadAndTail {
  const { headEnd, tailStart, omitted } = cutHeadAndTail(bytes, headBytes, tailBytes);
  if (omitted === 0) return { text: decoder.decode(bytes), omitted };
  const head = decoder.decode(bytes.subarray(0, headEnd));
  return { text: head + decoder.decode(bytes.subarray(tailStart)), omitted };
}

/** The cut behind `keepHeadAndTail`, in constant time: nothing is decoded or copied. */
export function cutHeadAndTail(bytes: Uint8Array, headBytes: number, tailBytes: number): HeadTailCut {
  const headEnd = Math.min(bytes.length, headBytes);
  const tailStart = bytes.length - Math.min(bytes.length - headEnd, tailBytes);
  // Without a gap the border may lie inside a code point, which has to survive.
  if (tailStart === headEnd) return { headEnd, tailStart, omitted: 0 };
  const head = trimHead(bytes, headEnd);
  const tail = trimTail(bytes, tailStart);
  return { headEnd: head, tailStart: tail, omitted: tail - head };
}

/** Bytes that decoding drops from the front of the run `[start, end)`: 3 for a byte-order mark, else 0. */
export function byteOrderMarkBytes(bytes: Uint8Array, start: number, end: number): 0 | 3 {
  const isMark =
    end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
  return isMark ? 3 : 0;
}

const decoder = new TextDecoder();

/** Cuts in front of a code point that the head holds only in part. */
function trimHead(bytes: Uint8Array, headEnd: number): number {
  const first = Math.max(0, headEnd - 4);
  let lead = headEnd - 1;
  while (lead > first && isContinuation(bytes[lead]!)) lead--;
  if (lead < 0 || isContinuation(bytes[lead]!)) return headEnd;
  return headEnd - lead < codePointBytes(bytes[lead]!) ? lead : headEnd;
}

/** Skips all continuation bytes in front: they belong to a code point that began in the gap. */
function trimTail(bytes: Uint8Array, tailStart: number): number {
  let start = tailStart;
  while (start < bytes.length && isContinuation(bytes[start]!)) start++;
  return start;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Length that a first byte promises; 0 where it promises none (F8 and up), so that the head is left alone. */
function codePointBytes(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf8 ? 4 : 0;
}
