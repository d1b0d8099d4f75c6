/**
 * A row of the index: what a listing needs of one log, for one revision of it, and from where its fold can go on
 * when the log has grown. Never message text. Rows are stored as they are: plain values, and nothing undefined in a
 * place where its absence would mean something else.
 */
import type { FaultKind } from '../errors.ts';
import type { SessionHeader } from '../log/header.ts';
import type { LogBorder } from '../log/read-log.ts';
import type { FactsState } from '../surface/session-facts.ts';
import type { Revision } from './revision.ts';

export interface IndexRow {
  /** Name of the session directory; of a pile log its whole path. */
  readonly key: string;
  /** Name of the log that is the session; '' in a pile. */
  readonly logName: string;
  /** Revision of the session directory when that log was chosen; undefined in a pile. */
  readonly directory: Revision | undefined;
  readonly log: Revision;
  readonly header: SessionHeader;
  /** What was folded; undefined where only the header was needed so far. */
  readonly folded: Folded | undefined;
}

/** What folding a log gave: its facts, or the kind of fault that it cannot be folded for. */
export type Folded =
  | { readonly unreadable: FaultKind }
  | {
      readonly unreadable?: undefined;
      readonly facts: FactsState;
      /** Undefined where a later fold has to begin at the header. */
      readonly border: LogBorder | undefined;
      /** Digest of all bytes before the border: they must still be there. */
      readonly digestBefore: string;
    };

/** Faults of the moment: the same bytes may be readable next time. */
export function isLastingFault(kind: FaultKind | undefined): boolean {
  return kind !== 'unreadable' && kind !== 'not-found' && kind !== 'not-a-file';
}
