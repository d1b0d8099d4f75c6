/** Why a prepared message is as it is: the budget and its rule, and what was kept of each source. */
import type { FullSnapshot, SnapshotPreview } from '../snapshot/context-message.ts';
import { tagSafeJson } from '../snapshot/tag-safe-json.ts';

export interface BudgetExplanation {
  /** Of each reference, in UTF-8 bytes. */
  readonly bytes: number;
  /** What decided: the bytes given, the window given, the window in the asking session's own log, or nothing. */
  readonly rule: 'max-bytes' | 'context-window' | 'session-log' | 'default';
  /** Tokens, where a window decided. */
  readonly contextWindow?: number;
}

export interface SourceExplanation {
  readonly sessionId: string;
  readonly label: string;
  readonly formatVersion: number;
  readonly capturedThroughSeq: number | null;
  readonly compacted: boolean;
  readonly originalMessages: number;
  readonly keptMessages: number;
  readonly droppedMessages: number;
  /** Kept messages whose text was shortened. */
  readonly cutMessages: number;
  /** UTF-8 bytes of text left out. */
  readonly omittedBytes: number;
  /** UTF-8 bytes of the snapshot as written. */
  readonly snapshotBytes: number;
  /** Where the whole text is, for a truncated snapshot. */
  readonly fullSnapshot?: FullSnapshot;
}

export interface Explanation {
  readonly budget: BudgetExplanation;
  readonly sources: readonly SourceExplanation[];
}

export function explainSource(preview: SnapshotPreview): SourceExplanation {
  const { snapshot, fullSnapshot, capturedFormatVersion } = preview;
  const { data } = snapshot;
  return {
    sessionId: data.sessionId,
    label: data.label,
    formatVersion: capturedFormatVersion,
    capturedThroughSeq: data.capturedThroughSeq,
    compacted: snapshot.compacted,
    originalMessages: snapshot.originalMessages,
    keptMessages: snapshot.retainedMessages,
    droppedMessages: snapshot.omittedMessages,
    cutMessages: snapshot.shortenedMessages,
    omittedBytes: snapshot.omittedBytes,
    snapshotBytes: Buffer.byteLength(tagSafeJson(data)),
    ...(fullSnapshot === undefined ? {} : { fullSnapshot }),
  };
}
