/** Candidates with their titles: what a person or a model is offered to cite (contract, section 3). */
import {
  type CandidateRecord,
  candidateRecord,
  firstRanked,
  queryMatcher,
  type SessionLabels,
  workspaceMatcher,
} from '../catalog/candidates.ts';
import { type Catalog, sessionGone } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { Skip } from '../catalog/found-log.ts';
import type { SessionOrigin, SessionOutline } from '../catalog/outline.ts';
import type { SessionIndex } from '../catalog/session-index.ts';
import { SessionReferenceError } from '../errors.ts';
import { formatSessionReferenceMention } from '../mention/mention.ts';
import type { ListingFold } from './read-labels.ts';

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

const DEFAULT_CANDIDATE_LIMIT = 50;

/** The candidates of a catalog. Errors: SESSION_REFERENCE_CANCELLED. */
export async function listCandidates(
  catalog: Catalog,
  options: CandidateOptions,
  index: SessionIndex | undefined,
): Promise<CandidateList> {
  const { cwd, query = '', limit = DEFAULT_CANDIDATE_LIMIT } = options;
  const isHere = workspaceMatcher(cwd);
  const entries = catalog.entriesThatMayHave(query.toLowerCase());
  const offered = offeredOf(entries, options, isHere);
  // Only a query needs the titles of sessions that the limit leaves out.
  const isSought = query !== '';
  const wanted = isSought ? offered : firstRanked(offered, limit, isHere);
  const titled = await findTitled(wanted, options, index);
  if (index !== undefined) await rememberOthers(entries, wanted, index);
  const kept = firstRanked(titled, limit, isHere);
  return {
    candidates: kept.map(({ outline, labels }) => withMention(candidateRecord(outline, labels, isHere))),
    origins: kept.map(({ outline }) => outline.origin),
    total: isSought ? titled.length : offered.length,
    seen: catalog.count,
    skipped: catalog.skips,
  };
}

/** A session whose labels are known. */
interface Titled {
  readonly outline: SessionOutline;
  readonly labels: SessionLabels;
}

/** Those of `entries` that the query finds, in no order; not those that are gone by now. */
async function findTitled(
  entries: readonly CatalogEntry[],
  { query = '', signal, onProgress }: CandidateOptions,
  index: SessionIndex | undefined,
): Promise<Titled[]> {
  const matches = queryMatcher(query);
  const titled: Titled[] = [];
  const unknown: CatalogEntry[] = [];
  const add = (outline: SessionOutline, labels: SessionLabels): void => {
    if (matches(outline, labels)) titled.push({ outline, labels });
  };
  for (const entry of entries) {
    if (entry.known?.isLabelled !== true) unknown.push(entry);
    else add(entry.outline, entry.known);
  }
  // Where the index knows them all nothing has to be read, nor loaded.
  if (unknown.length === 0) return titled;
  const [{ rememberFold }, { foldAll }] = await Promise.all([
    import('./read-labels.ts'),
    import('./fold-pool.ts'),
  ]);
  let done = 0;
  const onFold = (entry: CatalogEntry, fold: ListingFold | undefined): void => {
    if (fold !== undefined) add(entry.outline, rememberFold(entry, index, fold));
    done += 1;
    onProgress?.(done, unknown.length);
  };
  await foldAll(unknown, { forIndex: index !== undefined, signal, onFold });
  return titled;
}

/** Of sessions that were not wanted the header may have been read: it need not be read again. */
async function rememberOthers(
  entries: readonly CatalogEntry[],
  wanted: readonly CatalogEntry[],
  index: SessionIndex,
): Promise<void> {
  const read = entries.filter(({ revision }) => revision !== undefined);
  if (read.length === 0) return;
  const { rememberHeader } = await import('./read-labels.ts');
  const isWanted = new Set(wanted);
  for (const entry of read) if (!isWanted.has(entry)) rememberHeader(entry, index);
}

/** The candidate record of one session. Errors: SESSION_LOG_NOT_FOUND where it is gone by now. */
export async function readCandidate(
  entry: CatalogEntry,
  cwd: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Candidate> {
  const { readLabels } = await import('./read-labels.ts');
  const labels = await readLabels(entry, signal);
  if (labels === undefined) throw sessionGone(entry);
  return withMention(candidateRecord(entry.outline, labels, workspaceMatcher(cwd)));
}

/** Of very many mostly all are, and then none has to be looked at. */
function offeredOf(
  entries: readonly CatalogEntry[],
  { self, here = false, topLevel = false }: CandidateOptions,
  isHere: (cwd: string) => boolean,
): readonly CatalogEntry[] {
  if (self === undefined && !here && !topLevel) return entries;
  return entries.filter(({ sessionId, outline }) => {
    if (sessionId === self || (topLevel && outline.origin === 'subagent')) return false;
    return !here || (outline.cwd !== undefined && isHere(outline.cwd));
  });
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
