/** Candidates: which sessions to offer for citing, in which order (contract, section 3). Pure; titles are given. */
import { realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { FaultKind } from '../errors.ts';
import type { SessionOutline } from './outline.ts';

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

/** Made when two sessions of one moment ask for it: making it takes as long as a thousand looks at a file. */
let collator: Intl.Collator | undefined;

function compareIds(a: string, b: string): number {
  collator ??= new Intl.Collator('en-US');
  return collator.compare(a, b);
}

type SortKey = Pick<SessionOutline, 'createdAt' | 'id'>;

/** Newest first; ties by id in a fixed collation, so that every machine gives the same order (contract, 6.7). */
export function compareSessions(a: SortKey, b: SortKey): number {
  return b.createdAt - a.createdAt || compareIds(a.id, b.id) || compareSpelling(a.id, b.id);
}

/** Ids that the collation cannot tell apart still need one order: the composed form first, then code units. */
function compareSpelling(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

export function candidateRecord(
  { id, cwd, createdAt }: Pick<SessionOutline, 'id' | 'cwd' | 'createdAt'>,
  labels: SessionLabels,
  isHere: (cwd: string) => boolean,
): CandidateRecord {
  const label = labels.title ?? id;
  return {
    sessionId: id,
    label,
    displayTitle: labels.subagentLabel ?? label,
    ...(cwd === undefined ? {} : { cwd }),
    sameWorkspace: cwd !== undefined && isHere(cwd),
    createdAt,
    ...(labels.unreadable === undefined ? {} : { unreadable: labels.unreadable }),
  };
}

/** True for the sessions that `query` finds: in id, recorded cwd, label or display title, whatever the case. */
export function queryMatcher(
  query: string,
): (session: Pick<SessionOutline, 'id' | 'cwd'>, labels: SessionLabels) => boolean {
  const needle = query.toLowerCase();
  if (needle === '') return () => true;
  const has = (text: string | undefined) => text?.toLowerCase().includes(needle) === true;
  // Many sessions in a row have the same directory. A label or title that is not there is the id.
  let cwdBefore: string | undefined;
  let hasBefore = false;
  const hasCwd = (cwd: string | undefined) => {
    if (cwd !== cwdBefore) {
      cwdBefore = cwd;
      hasBefore = has(cwd);
    }
    return hasBefore;
  };
  return ({ id, cwd }, { title, subagentLabel }) =>
    has(id) || hasCwd(cwd) || has(title) || has(subagentLabel);
}

/**
 * The first `count` of `sessions` as they are ranked: this workspace first, then sessions without a directory, then the
 * rest; inside each group by `compareSessions`. Of many sessions few are wanted: only these are sorted.
 */
export function firstRanked<T extends { readonly outline: SessionOutline }>(
  sessions: readonly T[],
  count: number,
  isHere: (cwd: string) => boolean,
): T[] {
  const groups: [T[], T[], T[]] = [[], [], []];
  for (const session of sessions) {
    const { cwd } = session.outline;
    groups[cwd === undefined ? 1 : isHere(cwd) ? 0 : 2].push(session);
  }
  let first: T[] = [];
  for (const group of groups) first = first.concat(newestOf(group, count - first.length));
  return first;
}

function newestOf<T extends { readonly outline: SessionOutline }>(sessions: T[], count: number): T[] {
  let newest = sessions;
  if (count < sessions.length) {
    const times = Float64Array.from(sessions, ({ outline }) => outline.createdAt).sort();
    // More than `count` where several are of that moment.
    const oldest = times[times.length - count] ?? Number.POSITIVE_INFINITY;
    newest = sessions.filter(({ outline }) => outline.createdAt >= oldest);
  }
  return newest.sort((a, b) => compareSessions(a.outline, b.outline)).slice(0, count);
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
