/** Candidates with their titles: what a person or a model is offered to cite (contract, section 3). */
import {
  type CandidateRecord,
  candidateRecord,
  compareSessions,
  queryMatcher,
  rankByWorkspace,
  workspaceMatcher,
} from '../catalog/candidates.ts';
import { type Catalog, type CatalogEntry, sessionGone } from '../catalog/catalog.ts';
import type { Skip } from '../catalog/found-log.ts';
import type { SessionIndex } from '../catalog/session-index.ts';
import { SessionReferenceError, throwIfCancelled } from '../errors.ts';
import type { SessionHeader } from '../log/header.ts';
import { dueTurn } from '../log/turn.ts';
import { formatSessionReferenceMention } from '../mention/mention.ts';
import { readLabels } from './read-labels.ts';

export interface Candidate extends CandidateRecord {
  /** `@[displayTitle](dsh-session:…)` */
  readonly mention: string;
}

export interface CandidateOptions {
  /** Id of the asking session; it is left out. */
  readonly self?: string;
  /** Directory of the asking session. Nothing is put in its place when it is absent. */
  readonly cwd?: string;
  readonly query?: string;
  /** Positive safe integer, default 50. */
  readonly limit?: number;
  /** Only sessions recorded in `cwd`. */
  readonly here?: boolean;
  /** Leave subagents out. */
  readonly topLevel?: boolean;
  readonly signal?: AbortSignal;
  /** Called after each session whose title was found out: how many so far, and how many there will be. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface CandidateList {
  readonly candidates: readonly Candidate[];
  /** What each candidate is, in the same order: told apart for people, not part of the record. */
  readonly origins: readonly SessionOrigin[];
  /** How many matched before the limit. */
  readonly total: number;
  /** How many sessions there are under the roots, matching or not. */
  readonly seen: number;
  readonly skipped: readonly Skip[];
}

/** A session of its own, a copy that goes on from another's history, or one that an agent started. */
export type SessionOrigin = 'root' | 'fork' | 'subagent';

const DEFAULT_CANDIDATE_LIMIT = 50;

/** The candidates of a catalog. Errors: SESSION_REFERENCE_CANCELLED. */
export async function listCandidates(
  { entries, skips }: Catalog,
  options: CandidateOptions,
  index: SessionIndex | undefined,
): Promise<CandidateList> {
  const { self, cwd, query = '', limit = DEFAULT_CANDIDATE_LIMIT, signal } = options;
  const isHere = workspaceMatcher(cwd);
  const offered = entries
    .filter((entry) => entry.sessionId !== self && isOffered(entry, options, isHere))
    .sort((a, b) => compareSessions(a.header, b.header));
  const ranked = rankByWorkspace(offered, (entry) => entry.header.cwd, isHere);
  // Only a query needs the titles of sessions that the limit leaves out.
  const shown = query === '' ? ranked.slice(0, limit) : ranked;
  const matches = queryMatcher(query);
  const found: { record: CandidateRecord; header: SessionHeader }[] = [];
  for (const [at, entry] of shown.entries()) {
    const { header } = entry;
    const turn = dueTurn();
    if (turn !== undefined) await turn;
    throwIfCancelled(signal);
    const labels = await readLabels(entry, index, signal);
    const record = labels && candidateRecord(header, labels, isHere);
    if (record !== undefined && matches(record)) found.push({ record, header });
    options.onProgress?.(at + 1, shown.length);
  }
  const kept = found.slice(0, limit);
  return {
    candidates: kept.map(({ record }) => withMention(record)),
    origins: kept.map(({ header }) => originOf(header)),
    total: query === '' ? ranked.length : found.length,
    seen: entries.length,
    skipped: skips,
  };
}

/** The candidate record of one session. Errors: SESSION_LOG_NOT_FOUND where it is gone by now. */
export async function readCandidate(
  entry: CatalogEntry,
  cwd: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Candidate> {
  const labels = await readLabels(entry, undefined, signal);
  if (labels === undefined) throw sessionGone(entry);
  return withMention(candidateRecord(entry.header, labels, workspaceMatcher(cwd)));
}

function originOf(header: SessionHeader): SessionOrigin {
  if (header.origin === 'subagent') return 'subagent';
  return header.isSeeded === true || header.seedLength !== undefined ? 'fork' : 'root';
}

function isOffered(
  { header }: CatalogEntry,
  { here = false, topLevel = false }: CandidateOptions,
  isHere: (cwd: string) => boolean,
): boolean {
  if (topLevel && header.origin === 'subagent') return false;
  return !here || (header.cwd !== undefined && isHere(header.cwd));
}

function withMention(record: CandidateRecord): Candidate {
  const { sessionId, displayTitle: label } = record;
  return { ...record, mention: formatSessionReferenceMention({ sessionId, label }) };
}

/** Errors: SESSION_REFERENCE_INVALID_REFERENCE for a limit that is no positive safe integer. */
export function assertLimit(limit: unknown): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && (limit as number) >= 1)) return;
  throw new SessionReferenceError(
    'SESSION_REFERENCE_INVALID_REFERENCE',
    `the limit of a listing must be a whole number of 1 or more, not ${JSON.stringify(limit)}`,
  );
}
