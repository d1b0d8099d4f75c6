/** The message that carries retained snapshots into a conversation (contract 4.4; spill document, section 7). */

import type { RetainedSnapshot } from './retention.ts';
import { tagSafeJson } from './tag-safe-json.ts';
import { OMISSIONS_EXPLAINED, SNAPSHOT_WARNING } from './wording.ts';

/** Where the full text of a truncated snapshot can be read; further keys of a store's answer are shown as well. */
export type FullSnapshot =
  | {
      readonly status: 'saved';
      readonly locator: string;
      /** UTF-8 length of what was stored. */
      readonly bytes: number;
      /** One sentence on how to read the locator. */
      readonly retrievalHint: string;
    }
  | { readonly status: 'unavailable'; readonly reason: 'storage-not-configured' | 'save-failed' };

/** One reference, ready to be shown. */
export interface SnapshotPreview {
  readonly snapshot: RetainedSnapshot;
  /** `version` of the header of the file that was read. */
  readonly capturedFormatVersion: number;
  /** Position among the distinct references, from 0. */
  readonly inputIndex: number;
  /** Needed for a truncated snapshot only; without it the notice says that no storage is configured. */
  readonly fullSnapshot?: FullSnapshot | undefined;
}

/** What the source block records of one reference, in this key order. */
export interface CapturedReference {
  readonly sessionId: string;
  readonly label: string;
  readonly capturedFormatVersion: number;
  readonly capturedThroughSeq: number | null;
  readonly compacted: boolean;
  readonly originalMessages: number;
  readonly retainedMessages: number;
  readonly omittedMessages: number;
  readonly omittedBytes: number;
  readonly truncated: boolean;
  readonly inputIndex: number;
}

/** A user message with the snapshots as text; keys in the order of the host's own messages. */
export interface ContextMessage {
  readonly source: {
    readonly kind: 'session-reference';
    readonly form: 'recall';
    readonly version: 1;
    readonly references: readonly CapturedReference[];
  };
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly role: 'user';
  readonly id: string;
}

/** The context message of at least one preview, in the order given; `id` is a fresh message id. */
export function buildContextMessage(input: {
  readonly id: string;
  readonly previews: readonly SnapshotPreview[];
}): ContextMessage {
  const references = input.previews.map(describeCapture);
  return {
    source: { kind: 'session-reference', form: 'recall', version: 1, references },
    content: [{ type: 'text', text: renderContextText(input.previews) }],
    role: 'user',
    id: input.id,
  };
}

/** Heading, warning and the tagged array of data objects; then the omission section, where there is one. */
export function renderContextText(previews: readonly SnapshotPreview[]): string {
  const data = tagSafeJson(previews.map((preview) => preview.snapshot.data));
  const opening = `## Referenced sessions\n\n${SNAPSHOT_WARNING}\n\n`;
  return `${opening}<referenced-sessions>\n${data}\n</referenced-sessions>${renderOmissions(previews)}`;
}

/** The section on truncated snapshots, to stand directly behind the closing tag; empty when all are whole. */
export function renderOmissions(previews: readonly SnapshotPreview[]): string {
  const truncated = previews.filter((preview) => preview.snapshot.truncated);
  if (truncated.length === 0) return '';
  return `\n\n## Reference omissions\n\n${OMISSIONS_EXPLAINED}\n${tagSafeJson(truncated.map(describeOmission))}`;
}

function describeOmission({ snapshot, fullSnapshot = NO_STORAGE }: SnapshotPreview) {
  const { sessionId, capturedThroughSeq } = snapshot.data;
  const { omittedMessages, omittedBytes } = snapshot;
  const { status, ...details } = fullSnapshot;
  // Spread again so that the status stands first, wherever the caller has put it.
  const shown = { status, ...details };
  return { sessionId, capturedThroughSeq, omittedMessages, omittedBytes, fullSnapshot: shown };
}

const NO_STORAGE: FullSnapshot = { status: 'unavailable', reason: 'storage-not-configured' };

function describeCapture({
  snapshot,
  capturedFormatVersion,
  inputIndex,
}: SnapshotPreview): CapturedReference {
  const { data, compacted, originalMessages, retainedMessages } = snapshot;
  const { omittedMessages, omittedBytes, truncated } = snapshot;
  return {
    sessionId: data.sessionId,
    label: data.label,
    capturedFormatVersion,
    capturedThroughSeq: data.capturedThroughSeq,
    compacted,
    originalMessages,
    retainedMessages,
    omittedMessages,
    omittedBytes,
    truncated,
    inputIndex,
  };
}
