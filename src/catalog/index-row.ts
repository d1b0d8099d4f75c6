/**
 * A row of the index: what a listing needs of one log, for one revision of it, and from where its fold can go on
 * when the log has grown. Never message text.
 */
import type { FaultKind } from '../errors.ts';
import { isCount, isObject, type SessionHeader } from '../log/header.ts';
import type { LogBorder } from '../log/read-log.ts';
import type { FactsState } from '../surface/session-facts.ts';
import type { SessionLabels } from './candidates.ts';
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
  readonly folded: FoldedLabels | undefined;
}

export interface FoldedLabels {
  readonly labels: SessionLabels;
  /** Undefined where a later fold has to begin at the header. */
  readonly resume: ResumePoint | undefined;
}

export interface ResumePoint {
  readonly border: LogBorder;
  readonly facts: FactsState;
  /** The bytes before the border, as hexadecimal: they must still be there. */
  readonly bytesBefore: string;
}

/** How many bytes before a border are remembered. */
export const BYTES_BEFORE_BORDER = 32;

/** A row as it is stored: an array, since the names of members would be most of the file. */
export type StoredRow = readonly unknown[];

export function encodeRow(row: IndexRow): StoredRow {
  const { key, logName, directory, log, header, folded } = row;
  return [
    key,
    logName,
    directory === undefined ? null : encodeRevision(directory),
    encodeRevision(log),
    header,
    folded ?? null,
  ];
}

function encodeRevision({ dev, ino, size, mtimeNs, ctimeNs }: Revision): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** A stored row, or undefined for anything that is not one: then the log is read again. */
export function decodeRow(stored: unknown): IndexRow | undefined {
  if (!Array.isArray(stored) || stored.length !== 6) return undefined;
  const [key, logName, directoryText, logText, header, folded] = stored as unknown[];
  const directory = directoryText === null ? undefined : decodeRevision(directoryText);
  const log = decodeRevision(logText);
  if (typeof key !== 'string' || typeof logName !== 'string' || log === undefined) return undefined;
  if (directoryText !== null && (directory === undefined || parseLogName(logName) === undefined))
    return undefined;
  if (!isHeader(header) || !(folded === null || isFolded(folded))) return undefined;
  return { key, logName, directory, log, header, folded: folded ?? undefined };
}

function decodeRevision(text: unknown): Revision | undefined {
  if (typeof text !== 'string') return undefined;
  const parts = text.split(' ');
  if (parts.length !== 5) return undefined;
  const [dev, ino, size, mtimeNs, ctimeNs] = parts as [string, string, string, string, string];
  return { dev, ino, size, mtimeNs, ctimeNs };
}

function isHeader(value: unknown): value is SessionHeader {
  return (
    isObject(value) && typeof value.id === 'string' && isCount(value.createdAt) && isCount(value.version)
  );
}

function isFolded(value: unknown): value is FoldedLabels {
  if (!isObject(value) || !isObject(value.labels)) return false;
  const { title, subagentLabel, unreadable } = value.labels;
  if (![title, subagentLabel, unreadable].every((text) => text === undefined || typeof text === 'string'))
    return false;
  return value.resume === undefined || isResumePoint(value.resume);
}

function isResumePoint(value: unknown): value is ResumePoint {
  if (!isObject(value) || typeof value.bytesBefore !== 'string') return false;
  const { border, facts } = value;
  if (!isObject(border) || !isObject(facts)) return false;
  return [border.byteOffset, border.frame, border.line, border.nextSeq].every(isCount);
}

/** Faults of the moment: the same bytes may be readable next time. */
export function isLastingFault(kind: FaultKind | undefined): boolean {
  return kind !== 'unreadable' && kind !== 'not-found' && kind !== 'not-a-file';
}
