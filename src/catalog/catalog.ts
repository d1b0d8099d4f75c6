/**
 * Which sessions exist: found logs with their headers, checked against where they lie, each id once. What is
 * not a session that can be trusted is a skip with a reason (format document, 1.6 and 10; contract, 6.3).
 */
import { LOG_CODES, SessionLogError, type SessionLogErrorCode } from '../errors.ts';
import { dueTurn } from '../turn.ts';
import { type Discovery, discoverLogs } from './discover.ts';
import { type CatalogEntry, KnownEntry, type KnownProject } from './entry.ts';
import { type FoundLog, idOfPlace, type Skip } from './found-log.ts';
import type { IndexRow } from './index-row.ts';
import { idSegment } from './names.ts';
import { statAt } from './revision.ts';
import type { SessionIndex } from './session-index.ts';

export class Catalog {
  readonly skips: readonly Skip[];
  readonly #entries: readonly CatalogEntry[];
  readonly #known: readonly KnownProject[];

  /** `known` are sessions beside `entries`: as there can be very many, of which few are asked for, they stay together. */
  constructor(skips: readonly Skip[], entries: readonly CatalogEntry[], known: readonly KnownProject[]) {
    this.skips = skips;
    this.#entries = entries;
    this.#known = known;
  }

  /** How many sessions there are. */
  get count(): number {
    return this.#known.reduce((count, project) => count + project.count, this.#entries.length);
  }

  get entries(): readonly CatalogEntry[] {
    return this.entriesThatMayHave('');
  }

  /** Not those of known projects that have `needle`, in lower case, nowhere. */
  entriesThatMayHave(needle: string): readonly CatalogEntry[] {
    const entries = [...this.#entries];
    for (const project of this.#known) {
      if (needle !== '' && !project.mayHave(needle)) continue;
      for (const entry of project.entries()) entries.push(entry);
    }
    return entries;
  }
}

/** Called between logs, so that the caller can look at its signal; throws to stop. */
export type OnStep = () => void;

/**
 * Every session below `roots`; with `index` the logs that it knows are not opened. Headers may only be asked for
 * `withHeaders`. Errors: SESSION_ROOT_NOT_DIRECTORY, SESSION_ROOT_UNREADABLE.
 */
export async function listCatalog(
  roots: readonly string[],
  onStep: OnStep,
  index?: SessionIndex | undefined,
  withHeaders = true,
): Promise<Catalog> {
  return identify(await discoverLogs(roots, { onStep, index }), { onStep, index, withHeaders });
}

/**
 * The session `id`, found by its directory name: of a root in the harness layout no other log is opened.
 * Errors: SESSION_LOG_NOT_FOUND, or what is wrong with that session (AMBIGUOUS, MISMATCH, UNSUPPORTED, …).
 */
export async function findSession(
  roots: readonly string[],
  id: string,
  onStep: OnStep,
): Promise<CatalogEntry> {
  if (id === '') throw notFound(roots, id, []);
  const discovery = await discoverLogs(roots, { segment: idSegment(id), onStep });
  const catalog = await identify(discovery, { onStep });
  const entry = catalog.entries.find((candidate) => candidate.sessionId === id);
  if (entry !== undefined) return entry;
  const skip = catalog.skips.find((candidate) => candidate.sessionId === id);
  if (skip !== undefined) throw skipError(id, skip);
  throw notFound(roots, id, catalog.skips);
}

interface IdentifyOptions {
  readonly onStep: OnStep;
  readonly index?: SessionIndex | undefined;
  readonly withHeaders?: boolean;
}

async function identify(discovery: Discovery, options: IdentifyOptions): Promise<Catalog> {
  const { index, withHeaders } = options;
  const { listed } = discovery;
  const skips = [...discovery.skips];
  // The directory's name says the id: where no two have the same name, no two have the same id.
  const haveOwnNames = listed !== undefined && index?.haveDistinctNames(listed) === true;
  const staysTogether = haveOwnNames && withHeaders !== true;
  const known = staysTogether ? discovery.known : [...discovery.known, ...entriesOf(discovery.knownProjects)];
  const twice = haveOwnNames ? new Set<string>() : segmentsInTwoProjects({ ...discovery, known });
  const entries: CatalogEntry[] = [];
  const logs = [...discovery.logs];
  for (const entry of known) {
    if (twice.has(entry.known.key)) skips.push(twofoldSkip(entry.log));
    else if (isEnough(entry.known, options)) entries.push(entry);
    else logs.push(entry.log);
  }
  const opened = await openLogs(logs, twice, skips, options);
  for (const entry of opened) entries.push(entry);
  const knownProjects = staysTogether ? discovery.knownProjects : [];
  if (haveOwnNames && opened.every(isInDirectoryOfItsName)) {
    return new Catalog(skips.sort(byPath), entries, knownProjects);
  }
  const apart = withoutDuplicates([...entries, ...entriesOf(knownProjects)], skips);
  return new Catalog(skips.sort(byPath), apart, []);
}

/** The entries of `logs`; those that are none are told to `skips`. */
async function openLogs(
  logs: readonly FoundLog[],
  twice: ReadonlySet<string>,
  skips: Skip[],
  options: IdentifyOptions,
): Promise<CatalogEntry[]> {
  const entries: CatalogEntry[] = [];
  if (logs.length === 0) return entries;
  const { identifyLog } = await import('./identify.ts');
  for (const log of logs) {
    const turn = dueTurn();
    if (turn !== undefined) await turn;
    options.onStep();
    const result = twice.has(log.place?.segment ?? '')
      ? twofoldSkip(log)
      : (knownPileEntry(log, options) ?? (await identifyLog(log, options.index)));
    if (result === undefined) continue;
    if ('kind' in result) skips.push(result);
    else entries.push(result);
  }
  return entries;
}

/** Links may lead from the directory of one id to a log of another. */
function isInDirectoryOfItsName({ log, sessionId }: CatalogEntry): boolean {
  return log.place?.segment === idSegment(sessionId);
}

function entriesOf(projects: readonly KnownProject[]): KnownEntry[] {
  return projects.flatMap((project) => project.entries());
}

/** What a row lacks of a header may be gone by now: then the log is opened. */
function isEnough(row: IndexRow, { withHeaders }: IdentifyOptions): boolean {
  return withHeaders !== true || row.detail !== undefined;
}

/** With an index or without it, whatever was looked at first. */
function byPath(a: Skip, b: Skip): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** The entry of a pile log that is as the index knows it. In the harness layout the walk has looked already. */
function knownPileEntry(log: FoundLog, options: IdentifyOptions): CatalogEntry | undefined {
  if (log.place !== undefined) return undefined;
  const row = options.index?.rowOf(log);
  if (row === undefined || !isEnough(row, options)) return undefined;
  const stat = statAt(log.path);
  return stat !== undefined && row.isOfLog(stat) ? new KnownEntry(row, log) : undefined;
}

/** Segments that more than one project directory has: neither can be trusted to be the session. */
function segmentsInTwoProjects({
  logs,
  known,
  skips,
}: Pick<Discovery, 'logs' | 'known' | 'skips'>): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { sessionId, kind } of skips) {
    // A session directory that holds logs is a claim, even where none of them can be the session.
    const isClaim = kind === 'unsupported' || kind === 'ambiguous';
    if (isClaim && sessionId !== undefined) seen.add(idSegment(sessionId));
  }
  const claim = (segment: string) => {
    if (seen.has(segment)) twice.add(segment);
    seen.add(segment);
  };
  for (const entry of known) claim(entry.known.key);
  for (const { place } of logs) if (place !== undefined) claim(place.segment);
  return twice;
}

function twofoldSkip(log: FoundLog): Skip {
  const sessionId = idOfPlace(log);
  const message = 'two project directories hold a session of this id';
  return { path: log.path, ...(sessionId === undefined ? {} : { sessionId }), kind: 'ambiguous', message };
}

/** Two logs of one id, in piles or across roots: all of them become skips. */
function withoutDuplicates(entries: CatalogEntry[], skips: Skip[]): CatalogEntry[] {
  if (new Set(entries.map(({ sessionId }) => sessionId)).size === entries.length) return entries;
  const byId = new Map<string, CatalogEntry[]>();
  for (const entry of entries) {
    const group = byId.get(entry.sessionId);
    if (group === undefined) byId.set(entry.sessionId, [entry]);
    else group.push(entry);
  }
  const message = 'two logs claim this session';
  for (const group of byId.values()) {
    if (group.length === 1) continue;
    for (const { log, sessionId } of group)
      skips.push({ path: log.path, sessionId, kind: 'ambiguous', message });
  }
  return [...byId.values()].filter((group) => group.length === 1).map((group) => group[0]!);
}

const CODE_OF_KIND = new Map<string, SessionLogErrorCode>(
  (Object.keys(LOG_CODES) as SessionLogErrorCode[]).map((code) => [
    code
      .replace(/^SESSION_(LOG_)?/, '')
      .toLowerCase()
      .replaceAll('_', '-'),
    code,
  ]),
);

function skipError(id: string, skip: Skip): SessionLogError {
  const code = CODE_OF_KIND.get(skip.kind)!;
  return new SessionLogError(
    code,
    skip.path,
    `session ${shortJson(id)} cannot be read: ${skip.message} (${JSON.stringify(skip.path)})`,
  );
}

function notFound(roots: readonly string[], id: string, skips: readonly Skip[]): SessionLogError {
  const where = roots.map((root) => JSON.stringify(root)).join(', ');
  const blind = skips.filter((skip) => skip.kind === 'unreadable');
  const remark = blind.length === 0 ? '' : `, where ${JSON.stringify(blind[0]!.path)} cannot be looked into`;
  const more = blind.length > 1 ? `, nor ${blind.length - 1} more` : '';
  return new SessionLogError(
    'SESSION_LOG_NOT_FOUND',
    roots[0] ?? '',
    `no session ${shortJson(id)} under ${where}${remark}${more}`,
  );
}

/** SESSION_LOG_NOT_FOUND for a session whose log was removed after it was found. */
export function sessionGone({ sessionId, log }: CatalogEntry): SessionLogError {
  const what = `the log of session ${shortJson(sessionId)} has just been removed (${JSON.stringify(log.path)})`;
  return new SessionLogError('SESSION_LOG_NOT_FOUND', log.path, what);
}

/** An id as JSON, cut where it is absurdly long. */
function shortJson(id: string): string {
  return id.length <= 200
    ? JSON.stringify(id)
    : `${JSON.stringify(id.slice(0, 200))}… (${id.length} characters)`;
}
