/**
 * A row of the index: what a listing needs of one log, for one revision of it, and from where its fold can go on
 * when the log has grown. Never message text.
 */
import type { FaultKind } from '../errors.ts';
import { isCount, isObject, type SessionHeader } from '../log/header.ts';
import type { LogBorder } from '../log/read-log.ts';
import type { FactsState } from '../surface/session-facts.ts';
import { parseLogName } from './names.ts';
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
      /** Digest of the bytes before the border: they must still be there. */
      readonly digestBefore: string;
    };

/** How many bytes before a border its digest covers. Writers only append; this tells a file that was written anew. */
export const BYTES_BEFORE_BORDER = 4096;

/** A row as it is stored: arrays, since the names of members would be most of the file. */
export type StoredRow = readonly unknown[];

export function encodeRow(row: IndexRow): StoredRow {
  const { key, logName, directory, log, header, folded } = row;
  const stored = [
    key,
    logName,
    directory === undefined ? 0 : encodeRevision(directory),
    encodeRevision(log),
    header,
  ];
  return folded === undefined ? stored : [...stored, ...encodeFolded(folded)];
}

function encodeRevision({ dev, ino, sizeBytes, mtimeMs, ctimeMs }: Revision): readonly number[] {
  return [dev, ino, sizeBytes, mtimeMs, ctimeMs];
}

function encodeFolded(folded: Folded): readonly unknown[] {
  if (folded.unreadable !== undefined) return [folded.unreadable];
  const { facts, border, digestBefore } = folded;
  if (border === undefined) return [facts];
  return [facts, border.byteOffset, border.frame, border.line, border.nextSeq, digestBefore];
}

/** A stored row, or undefined for anything that is not one: then the log is read again. */
export function decodeRow(stored: unknown): IndexRow | undefined {
  if (!Array.isArray(stored) || stored.length < 5) return undefined;
  const [key, logName, storedDirectory, storedLog, header, ...rest] = stored as unknown[];
  const directory = storedDirectory === 0 ? undefined : decodeRevision(storedDirectory);
  const log = decodeRevision(storedLog);
  if (typeof key !== 'string' || typeof logName !== 'string' || log === undefined || !isHeader(header))
    return undefined;
  if (storedDirectory !== 0 && (directory === undefined || parseLogName(logName) === undefined))
    return undefined;
  if (rest.length === 0) return { key, logName, directory, log, header, folded: undefined };
  const folded = decodeFolded(rest);
  return folded && { key, logName, directory, log, header, folded };
}

function decodeRevision(stored: unknown): Revision | undefined {
  if (!Array.isArray(stored) || stored.length !== 5 || !stored.every(Number.isFinite)) return undefined;
  const [dev, ino, sizeBytes, mtimeMs, ctimeMs] = stored as [number, number, number, number, number];
  return { dev, ino, sizeBytes, mtimeMs, ctimeMs };
}

function isHeader(value: unknown): value is SessionHeader {
  return (
    isObject(value) && typeof value.id === 'string' && isCount(value.createdAt) && isCount(value.version)
  );
}

function decodeFolded(stored: readonly unknown[]): Folded | undefined {
  const [facts, byteOffset, frame, line, nextSeq, digestBefore] = stored;
  if (stored.length === 1 && typeof facts === 'string') return { unreadable: facts as FaultKind };
  if (!isFacts(facts)) return undefined;
  if (stored.length === 1) return { facts, border: undefined, digestBefore: '' };
  if (!isCount(byteOffset) || !isCount(frame) || !isCount(line) || !isCount(nextSeq)) return undefined;
  if (typeof digestBefore !== 'string') return undefined;
  return { facts, border: { byteOffset, frame, line, nextSeq }, digestBefore };
}

function isFacts(value: unknown): value is FactsState {
  if (!isObject(value)) return false;
  const { title, descriptor } = value;
  const isTitle = title === undefined || (isObject(title) && typeof title.title === 'string');
  return isTitle && (descriptor === undefined || (isObject(descriptor) && isCount(descriptor.seq)));
}

/** Faults of the moment: the same bytes may be readable next time. */
export function isLastingFault(kind: FaultKind | undefined): boolean {
  return kind !== 'unreadable' && kind !== 'not-found' && kind !== 'not-a-file';
}
