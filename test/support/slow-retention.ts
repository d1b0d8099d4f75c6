/** Sections A to C of the retention document, word for word: everything is decoded and serialised at each step. */

import type { ConversationItem, RetainedSnapshot, SnapshotFields } from '../../src/snapshot/retention.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const byteLength = (text: string) => utf8(text).length;
const isContinuation = (byte: number) => byte >= 0x80 && byte <= 0xbf;

/** Section A on one run of bytes. */
export function slowHeadAndTail(bytes: Uint8Array, headBytes: number, tailBytes: number) {
  const n = bytes.length;
  const h = Math.min(n, headBytes);
  const t = Math.min(n - h, tailBytes);
  if (n - h - t === 0) return { text: new TextDecoder().decode(bytes), omitted: 0 };
  const head = trimHead([...bytes.slice(0, h)]);
  const tail = [...bytes.slice(n - t)];
  while (tail.length > 0 && isContinuation(tail[0]!)) tail.shift();
  const decode = (part: number[]) => new TextDecoder().decode(Uint8Array.from(part));
  return { text: decode(head) + decode(tail), omitted: n - head.length - tail.length };
}

function trimHead(head: number[]): number[] {
  let back = 0;
  while (back < 3 && back < head.length && isContinuation(head.at(-1 - back)!)) back++;
  const lead = head.at(-1 - back);
  if (lead === undefined || isContinuation(lead) || lead >= 0xf8) return head;
  const expected = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return back + 1 < expected ? head.slice(0, head.length - back - 1) : head;
}

/** Section B. */
export function slowShorten(text: string, maxBytes: number) {
  if (byteLength(text) <= maxBytes) return { text, bytes: byteLength(text), omitted: 0 };
  let best = { text: '', bytes: 0, omitted: byteLength(text) };
  let low = 0;
  let high = maxBytes;
  while (low <= high) {
    const r = Math.floor((low + high) / 2);
    const cut = slowHeadAndTail(utf8(text), Math.ceil(r / 2), Math.floor(r / 2));
    const candidate = `${cut.text}\n[… omitted ${cut.omitted} UTF-8 bytes …]`;
    if (byteLength(candidate) <= maxBytes) {
      best = { text: candidate, bytes: byteLength(candidate), omitted: cut.omitted };
      low = r + 1;
    } else high = r - 1;
  }
  return best;
}

/** Section C; `undefined` where the loops give up. */
export function slowRetain(
  fields: SnapshotFields,
  items: readonly ConversationItem[],
  maxBytes: number,
): RetainedSnapshot | undefined {
  const current = items.map((item) => ({ ...item, original: item.text, omitted: 0 }));
  const data = () => ({
    sessionId: fields.sessionId,
    label: fields.label,
    cwd: fields.cwd,
    capturedThroughSeq: fields.capturedThroughSeq,
    conversation: current.map(({ role, text }) => ({ role, text })),
  });
  const size = () => byteLength(JSON.stringify(data()).replaceAll('<', '\\u003c'));
  let omittedMessages = 0;
  let dropped = 0;
  while (size() > maxBytes) {
    const at = current.findIndex((item, index) => !item.checkpoint && index !== current.length - 1);
    if (at === -1) break;
    dropped += byteLength(current[at]!.original);
    current.splice(at, 1);
    omittedMessages++;
  }
  while (size() > maxBytes) {
    const longest = Math.max(0, ...current.map((item) => byteLength(item.text)));
    if (longest === 0) return undefined;
    const item = current.find((each) => byteLength(each.text) === longest)!;
    const cut = slowShorten(item.original, Math.max(0, longest - (size() - maxBytes)));
    item.text = cut.text;
    item.omitted = cut.omitted;
  }
  const omittedBytes = dropped + current.reduce((sum, item) => sum + item.omitted, 0);
  return {
    data: data(),
    compacted: items.some((item) => item.checkpoint),
    originalMessages: items.length,
    retainedMessages: current.length,
    omittedMessages,
    shortenedMessages: current.filter((item) => item.text !== item.original).length,
    omittedBytes,
    truncated: omittedMessages > 0 || omittedBytes > 0,
  };
}
