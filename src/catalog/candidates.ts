/** Candidates: which sessions to offer for citing, in which order (contract, section 3). Pure; titles are given. */
import { realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { FaultKind } from '../errors.ts';
import type { SessionHeader } from '../log/header.ts';

/** Contract, section 3, rule 6: keys in this order. */
export interface CandidateRecord {
  readonly sessionId: string;
  /** Latest title, else the id. */
  readonly label: string;
  /** The subagent's own label where there is one, else `label`. */
  readonly displayTitle: string;
  readonly cwd?: string;
  readonly sameWorkspace: boolean;
  /** Unix epoch milliseconds. */
  readonly createdAt: number;
  /** Kind of fault, only where the log behind a sound header cannot be folded. */
  readonly unreadable?: FaultKind;
}

/** What is folded of a session for a listing. */
export interface SessionLabels {
  readonly title: string | undefined;
  readonly subagentLabel: string | undefined;
  readonly unreadable: FaultKind | undefined;
}

const collator = new Intl.Collator('en-US');

type SortKey = Pick<SessionHeader, 'createdAt' | 'id'>;

/** Newest first; ties by id in a fixed collation, so that every machine gives the same order (contract, 6.7). */
export function compareSessions(a: SortKey, b: SortKey): number {
  return b.createdAt - a.createdAt || collator.compare(a.id, b.id) || compareSpelling(a.id, b.id);
}

/** Ids that the collation cannot tell apart still need one order: the composed form first, then code units. */
function compareSpelling(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

export function candidateRecord(
  header: SessionHeader,
  labels: SessionLabels,
  isHere: (cwd: string) => boolean,
): CandidateRecord {
  const label = labels.title ?? header.id;
  return {
    sessionId: header.id,
    label,
    displayTitle: labels.subagentLabel ?? label,
    ...(header.cwd === undefined ? {} : { cwd: header.cwd }),
    sameWorkspace: header.cwd !== undefined && isHere(header.cwd),
    createdAt: header.createdAt,
    ...(labels.unreadable === undefined ? {} : { unreadable: labels.unreadable }),
  };
}

/** True for the candidates that `query` finds: in id, recorded cwd, label or display title, whatever the case. */
export function queryMatcher(query: string): (candidate: CandidateRecord) => boolean {
  const needle = query.toLowerCase();
  if (needle === '') return () => true;
  const has = (text: string | undefined) => text?.toLowerCase().includes(needle) === true;
  return (candidate) =>
    has(candidate.sessionId) || has(candidate.cwd) || has(candidate.label) || has(candidate.displayTitle);
}

/** This workspace first, then sessions without a directory, then the rest; the order inside each group is kept. */
export function rankByWorkspace<T>(
  sessions: readonly T[],
  cwdOf: (session: T) => string | undefined,
  isHere: (cwd: string) => boolean,
): T[] {
  const groups: [T[], T[], T[]] = [[], [], []];
  for (const session of sessions) {
    const cwd = cwdOf(session);
    groups[cwd === undefined ? 1 : isHere(cwd) ? 0 : 2].push(session);
  }
  return groups.flat();
}

/**
 * Tells whether a recorded directory is the asking one: compared as text with the directory as given,
 * normalised, and with its links resolved. Only the asking directory is touched on disk (contract, 6.4).
 */
export function workspaceMatcher(
  cwd: string | undefined,
  platform: NodeJS.Platform = process.platform,
): (recorded: string) => boolean {
  if (cwd === undefined || cwd === '') return () => false;
  const spell = platform === 'win32' ? spellWindows : (path: string) => path;
  const spellings = new Set([spell(cwd)]);
  if (isAbsolute(cwd)) {
    spellings.add(spell(resolve(cwd)));
    try {
      spellings.add(spell(realpathSync(cwd)));
    } catch {
      // It need not exist here: the asking session may have run elsewhere.
    }
  }
  return (recorded) => spellings.has(spell(recorded));
}

/** Windows compares without case, with either separator, with or without the long-path prefix. */
function spellWindows(path: string): string {
  return path
    .replaceAll('/', '\\')
    .replace(/^\\\\\?\\/, '')
    .toLowerCase();
}
