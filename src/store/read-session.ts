/** Reads and folds the log of one session, once more when a writer was at work. */
import { logSource } from '../catalog/catalog.ts';
import type { FoundLog } from '../catalog/found-log.ts';
import { SessionLogError } from '../errors.ts';
import { LogBytes } from '../log/bytes.ts';
import { type Diagnostic, Diagnostics } from '../log/diagnostics.ts';
import type { SessionHeader } from '../log/header.ts';
import { type LogSink, type LogSource, readLog } from '../log/read-log.ts';
import type { SessionFacts } from '../surface/session-facts.ts';
import { type Keep, SessionFold } from '../surface/session-fold.ts';
import { UnreadToolResult } from '../surface/surface.ts';
import { runPaced } from './pace.ts';

export interface FoldedSession<T> {
  readonly header: SessionHeader;
  /** Seq of the last stored event, in the coordinates of the file that was read; null without events. */
  readonly capturedThroughSeq: number | null;
  /** What `keep` made of each event of the current surface, in surface order. */
  readonly surface: readonly T[];
  readonly facts: SessionFacts;
  readonly diagnostics: readonly Diagnostic[];
}

/** How a log is folded. */
export interface SessionReading<T> {
  /** Decides what stays in memory of a surface event. */
  readonly keep: (header: SessionHeader) => Keep<T>;
  /** Kept for a tool result whose contents are not read; without it every row is read in full. */
  readonly unread?: { readonly value: T };
}

/** Folds the log `log`. Errors: SessionLogError for the log, SESSION_REFERENCE_CANCELLED. */
export async function readSession<T>(
  log: FoundLog,
  reading: SessionReading<T>,
  signal: AbortSignal | undefined,
): Promise<FoldedSession<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const bytes = LogBytes.open(log.path);
    try {
      return await foldOpened(await logSource(log, bytes), reading, signal);
    } catch (error) {
      // A writer that cut a torn tail and wrote on can make one read look damaged, not two.
      const isRetryable = error instanceof SessionLogError && attempt === 1 && bytes.hasChanged();
      if (!isRetryable) throw error;
    } finally {
      bytes.close();
    }
  }
}

async function foldOpened<T>(
  source: LogSource,
  reading: SessionReading<T>,
  signal: AbortSignal | undefined,
): Promise<FoldedSession<T>> {
  try {
    return await runPaced(foldLog(source, reading), signal);
  } catch (error) {
    if (!(error instanceof UnreadToolResult)) throw error;
    // Tool output was pruned: whether rightly, only the full contents tell.
    return runPaced(foldLog(source, { keep: reading.keep }), signal);
  }
}

function* foldLog<T>(
  source: LogSource,
  { keep, unread }: SessionReading<T>,
): Generator<void, FoldedSession<T>> {
  const diagnostics = new Diagnostics();
  let fold: SessionFold<T> | undefined;
  const sink: LogSink = {
    header(header) {
      fold = new SessionFold({ header, path: source.bytes.path, keep: keep(header), diagnostics });
    },
    event(event, line) {
      fold!.apply(event, line);
    },
  };
  if (unread !== undefined) sink.unreadToolResult = (seq) => fold!.applyUnreadToolResult(seq, unread.value);
  const end = yield* readLog(source, sink, diagnostics);
  const folded = fold!;
  folded.end();
  return {
    header: folded.header,
    capturedThroughSeq: end.lastSeq,
    surface: [...folded.surface()],
    facts: folded.facts,
    diagnostics: diagnostics.list(),
  };
}
