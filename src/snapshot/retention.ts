/** Fits one projected conversation into a byte budget (contract 4.2; retention document, section C). */

import { SessionReferenceError } from '../errors.ts';
import { createLongestFirst } from './longest-first.ts';
import { shorten } from './shorten.ts';
import { tagSafeJson, tagSafeTextBytes } from './tag-safe-json.ts';

/** One projected message; `checkpoint` marks the summary that a compaction left in place of older ones. */
export interface ConversationItem {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly checkpoint: boolean;
}

/** What a snapshot says about its session besides the conversation. */
export interface SnapshotFields {
  readonly sessionId: string;
  readonly label: string;
  readonly cwd: string | null;
  /** Seq of the last stored event in the coordinates of the file that was read; null for an empty log. */
  readonly capturedThroughSeq: number | null;
}

/** The data object of one reference, keys in the order in which a model reads them. */
export interface SnapshotData extends SnapshotFields {
  readonly conversation: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
}

/** A conversation within its budget, and the facts of what was left out. */
export interface RetainedSnapshot {
  readonly data: SnapshotData;
  /** A checkpoint was among the original items. */
  readonly compacted: boolean;
  readonly originalMessages: number;
  readonly retainedMessages: number;
  /** Whole messages dropped. */
  readonly omittedMessages: number;
  /** Kept messages whose text was shortened. */
  readonly shortenedMessages: number;
  /** UTF-8 bytes of text missing: of dropped messages and of shortened ones. */
  readonly omittedBytes: number;
  readonly truncated: boolean;
}

/**
 * Drops the oldest messages, then shortens the longest texts, until the tag-safe JSON of the data object takes
 * at most `maxBytes` UTF-8 bytes. Checkpoints and the newest message are never dropped. Costs one pass over
 * the items and O(log n) for each text it shortens; the input is not changed.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_BUDGET_EXCEEDED` when it does not fit even with the text of
 *   every message that must stay emptied.
 */
export function retain(
  fields: SnapshotFields,
  items: readonly ConversationItem[],
  maxBytes: number,
): RetainedSnapshot {
  const { sessionId, label, cwd, capturedThroughSeq } = fields;
  const bare = { sessionId, label, cwd, capturedThroughSeq, conversation: [] };
  const { kept, droppedBytes, excess } = dropOldest(items, maxBytes - Buffer.byteLength(tagSafeJson(bare)));
  if (excess > 0) assertEmptiedFits(sessionId, kept, maxBytes, excess);
  const { texts, cutBytes, shortenedMessages } = shortenLongest(kept, excess);
  const omittedMessages = items.length - kept.length;
  const omittedBytes = droppedBytes + cutBytes;
  return {
    data: { ...bare, conversation: kept.map(({ role }, at) => ({ role, text: texts[at]! })) },
    compacted: items.some((item) => item.checkpoint),
    originalMessages: items.length,
    retainedMessages: kept.length,
    omittedMessages,
    shortenedMessages,
    omittedBytes,
    truncated: omittedMessages > 0 || omittedBytes > 0,
  };
}

/**
 * Loop 1, from the other end: what must stay is paid first, then messages join newest first while they fit in
 * `room` bytes. `excess` is by how much the kept items exceed the room (negative when they do not).
 */
function dropOldest(items: readonly ConversationItem[], room: number) {
  const newest = items.length - 1;
  // One separator less than items.
  let free = items.length > 0 ? room + 1 : room;
  items.forEach((item, at) => {
    if (item.checkpoint || at === newest) free -= itemBytes(item);
  });
  let dropped = newest - 1;
  for (; dropped >= 0; dropped--) {
    const item = items[dropped]!;
    if (item.checkpoint) continue;
    const bytes = itemBytes(item);
    if (bytes > free) break;
    free -= bytes;
  }
  const isKept = (item: ConversationItem, at: number) => at > dropped || item.checkpoint;
  const droppedItems = items.slice(0, dropped + 1).filter((item) => !item.checkpoint);
  const droppedBytes = total(droppedItems, (item) => Buffer.byteLength(item.text));
  return { kept: items.filter(isKept), droppedBytes, excess: -free };
}

/** Loop 2. It ends: the caller has made sure that emptying every text would be enough. */
function shortenLongest(items: readonly ConversationItem[], excess: number) {
  const texts = items.map((item) => item.text);
  if (excess <= 0) return { texts, cutBytes: 0, shortenedMessages: 0 };
  const bytes = texts.map((text) => Buffer.byteLength(text));
  const cutBytes = new Map<number, number>();
  const longest = createLongestFirst(bytes);
  for (let over = excess; over > 0; longest.settle()) {
    const at = longest.first()!;
    const cut = shorten(items[at]!.text, Math.max(0, bytes[at]! - over));
    over -= tagSafeTextBytes(texts[at]!) - tagSafeTextBytes(cut.text);
    texts[at] = cut.text;
    bytes[at] = cut.bytes;
    cutBytes.set(at, cut.omitted);
  }
  return {
    texts,
    cutBytes: total([...cutBytes.values()], (count) => count),
    shortenedMessages: cutBytes.size,
  };
}

const FRAME_BYTES = {
  user: tagSafeJson({ role: 'user', text: '' }).length,
  assistant: tagSafeJson({ role: 'assistant', text: '' }).length,
} as const;

/** What one item adds to the JSON, the comma behind it included. */
function itemBytes(item: ConversationItem): number {
  return FRAME_BYTES[item.role] + 1 + tagSafeTextBytes(item.text);
}

function total<T>(values: readonly T[], size: (value: T) => number): number {
  let sum = 0;
  for (const value of values) sum += size(value);
  return sum;
}

/** Loop 2 gives up exactly when the kept items do not fit with every text emptied. */
function assertEmptiedFits(
  sessionId: string,
  kept: readonly ConversationItem[],
  maxBytes: number,
  excess: number,
): void {
  const textBytes = total(kept, (item) => tagSafeTextBytes(item.text));
  if (excess <= textBytes) return;
  throw new SessionReferenceError(
    'SESSION_REFERENCE_BUDGET_EXCEEDED',
    `session ${JSON.stringify(sessionId)} does not fit a budget of ${maxBytes} bytes: ` +
      `its fixed fields and empty messages alone take ${maxBytes + excess - textBytes}`,
  );
}
