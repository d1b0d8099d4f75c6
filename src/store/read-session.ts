/** Reads and folds the log of one session, once more when a writer was at work. */
import type { FoundLog } from '../catalog/found-log.ts';
import { logSource } from '../catalog/identify.ts';
import { SessionLogError } from '../errors.ts';
import { LogBytes } from '../log/bytes.ts';
import { type Diagnostic, Diagnostics } from '../log/diagnostics.ts';
import type { SessionHeader } from '../log/header.ts';
import {
  type LogBorder,
  type LogResumption,
  type LogSink,
  type LogSource,
  type PassOver,
  readLog,
} from '../log/read-log.ts';
import type { FactsState, SessionFacts } from '../surface/session-facts.ts';
import { type Keep, SessionFold } from '../surface/session-fold.ts';
import { MustReadInFull } from '../surface/surface.ts';
import { runPaced } from './pace.ts';

export interface FoldedSession<T> {
  readonly header: SessionHeader;
  /** Seq of the last stored event, in the coordinates of the file that was read; null without events. */
  readonly capturedThroughSeq: number | null;
  /** What `keep` made of each event of the current surface, in surface order. */
  readonly surface: readonly T[];
  readonly facts: SessionFacts;
  /** From where a later fold can go on. */
  readonly border: LogBorder | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** How a log is folded. */
export interface SessionReading<T> {
  /** Decides what stays in memory of a surface event. */
  readonly keep: (header: SessionHeader) => Keep<T>;
  /** Messages that need not be read, and what is kept for one; without it every row is read in full. */
  readonly unread?: { readonly types: PassOver['types']; readonly value: T };
}

/** An earlier fold to go on from. */
export interface FoldResumption extends LogResumption {
  readonly facts: FactsState;
}

/** Folds the log `log`. Errors: SessionLogError for the log, SESSION_REFERENCE_CANCELLED. */
export async function readSession<T>(
  log: FoundLog,
  reading: SessionReading<T>,
  signal: AbortSignal | undefined,
): Promise<FoldedSession<T>> {
  return withOpenLog(log, (source) => foldOpened(source, reading, signal));
}

/**
 * Opens `log` for `use`, and once more when that finds the log damaged while a writer was at work: one that cut a
 * torn tail and wrote on can make one read look damaged, not two.
 */
export async function withOpenLog<T>(log: FoundLog, use: (source: LogSource) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const bytes = LogBytes.open(log.path);
    try {
      return await use(await logSource(log, bytes));
    } catch (error) {
      if (!(error instanceof SessionLogError && attempt === 1 && bytes.hasChanged())) throw error;
    } finally {
      bytes.close();
    }
  }
}

/**
 * Folds an opened log, the quick way first: from `resumption` on, then from the header, then with every row read
 * in full. Only a replacement of something that was passed over asks for the next one.
 */
export async function foldOpened<T>(
  source: LogSource,
  reading: SessionReading<T>,
  signal: AbortSignal | undefined,
  resumption?: FoldResumption | undefined,
): Promise<FoldedSession<T>> {
  const inFull = { keep: reading.keep };
  const ways: [SessionReading<T>, FoldResumption | undefined][] = [
    [reading, undefined],
    [inFull, undefined],
  ];
  if (resumption !== undefined) ways.unshift([reading, resumption]);
  for (const [way, from] of ways) {
    try {
      return await runPaced(foldLog(source, way, from), signal);
    } catch (error) {
      if (!(error instanceof MustReadInFull)) throw error;
    }
  }
  throw new Error('a fold of every row asked for more rows');
}

function* foldLog<T>(
  source: LogSource,
  { keep, unread }: SessionReading<T>,
  resumption: FoldResumption | undefined,
): Generator<void, FoldedSession<T>> {
  const diagnostics = new Diagnostics();
  const { path } = source.bytes;
  const continued = resumption?.facts;
  let fold: SessionFold<T> | undefined;
  const sink: LogSink = {
    header(header) {
      fold = new SessionFold({ header, path, keep: keep(header), diagnostics, continued });
    },
    event(event, line) {
      fold!.apply(event, line);
    },
    ...(unread && {
      passOver: { types: unread.types, unread: (type, seq) => fold!.applyUnread(type, seq, unread.value) },
    }),
  };
  const end = yield* readLog(source, sink, diagnostics, resumption);
  const folded = fold!;
  folded.end();
  return {
    header: folded.header,
    capturedThroughSeq: end.lastSeq,
    surface: [...folded.surface()],
    facts: folded.facts,
    border: end.border,
    diagnostics: diagnostics.list(),
  };
}
