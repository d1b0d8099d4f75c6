/** Checks sessions: all of some roots, or those that are named; and what of a root is no session to be trusted. */
import { basename, dirname } from 'node:path';
import { findSession, listCatalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { FoundLog, Skip } from '../catalog/found-log.ts';
import { logSource } from '../catalog/identify.ts';
import { isProjectDirectory, parseLogName } from '../catalog/names.ts';
import { type FaultKind, SessionLogError, throwIfCancelled } from '../errors.ts';
import { LogBytes } from '../log/bytes.ts';
import { ALL_FINDING_KINDS, FINDING_KINDS, type FindingKind } from './finding-kinds.ts';
import { type Finding, FindingList, messageOf } from './findings.ts';
import { type LogVerdict, verifyLog } from './verify-log.ts';

export interface VerifyOptions {
  /** Folders that hold logs; one that does not exist is an empty one. */
  readonly roots: readonly string[];
  /** Only these sessions, in this order; default all. */
  readonly sessionIds?: readonly string[];
  /** Leave warnings out. */
  readonly errorsOnly?: boolean;
  readonly signal?: AbortSignal;
  /** Called before each log. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What checking needs of the store. */
export interface VerifyPorts {
  /** Runs long work to its end, with a look at the signal at each step. */
  pace<T>(work: Generator<void, T>): Promise<T>;
}

/** One log, or one place of a root, that was looked at. */
export interface Verified {
  readonly path: string;
  readonly sessionId?: string;
  /** Format of the log, where its header is sound. */
  readonly formatVersion?: number;
  /** Stored events; 0 where the log was not read. */
  readonly events: number;
  /** Without an error among them the session can be cited. */
  readonly findings: readonly Finding[];
}

/** One kind of finding over the whole report. */
export interface KindSummary {
  readonly kind: FindingKind;
  readonly title: string;
  readonly meaning: string;
  readonly findings: number;
  /** Sessions, or other places of a root, with such a finding. */
  readonly places: number;
}

export interface VerifyReport {
  readonly verified: readonly Verified[];
  /** All findings, in the order of `verified`. */
  readonly findings: readonly Finding[];
  /** The kinds that were found, in the order of a log: its file first, then its events. */
  readonly kinds: readonly KindSummary[];
}

/**
 * Checks what `options` names. Errors: SESSION_LOG_NOT_FOUND for a named session that is not there; SESSION_ROOT_*;
 * SESSION_REFERENCE_CANCELLED. Everything else is a finding.
 */
export async function verifySessions(options: VerifyOptions, { pace }: VerifyPorts): Promise<VerifyReport> {
  const { signal, sessionIds, onProgress } = options;
  throwIfCancelled(signal);
  const subjects = sessionIds === undefined ? await allOf(options) : await named(sessionIds, options);
  const found: Verified[] = [];
  const pause = pauses();
  for (const [done, subject] of subjects.entries()) {
    onProgress?.(done, subjects.length);
    await pause();
    throwIfCancelled(signal);
    const result = 'log' in subject ? await verifyEntry(subject, pace) : await verifySkip(subject, pace);
    if (result !== undefined) found.push(result);
  }
  if (sessionIds === undefined) for (const mixed of mixedEncodings(subjects)) found.push(mixed);
  onProgress?.(subjects.length, subjects.length);
  const verified = options.errorsOnly === true ? found.map(withoutWarnings) : found;
  return { verified, findings: verified.flatMap(({ findings }) => findings), kinds: summarise(verified) };
}

function withoutWarnings(verified: Verified): Verified {
  return { ...verified, findings: verified.findings.filter(({ severity }) => severity === 'error') };
}

function summarise(verified: readonly Verified[]): KindSummary[] {
  const counts = new Map<FindingKind, { findings: number; places: Set<string> }>();
  for (const { path, findings } of verified) {
    for (const { kind, more = 0 } of findings) {
      const known = counts.get(kind) ?? { findings: 0, places: new Set<string>() };
      counts.set(kind, { findings: known.findings + 1 + more, places: known.places.add(path) });
    }
  }
  return ALL_FINDING_KINDS.flatMap((kind) => {
    const count = counts.get(kind);
    if (count === undefined) return [];
    const { title, meaning } = FINDING_KINDS[kind];
    return [{ kind, title, meaning, findings: count.findings, places: count.places.size }];
  });
}

const TURN_MS = 12;

/** Lets everything else in the process have its turn now and then: thousands of small logs are one long work too. */
function pauses(): () => Promise<void> {
  let turnStart = performance.now();
  return async () => {
    if (performance.now() - turnStart < TURN_MS) return;
    await new Promise<void>((done) => setImmediate(done));
    turnStart = performance.now();
  };
}

type Subject = CatalogEntry | Skip;

async function allOf({ roots, signal }: VerifyOptions): Promise<Subject[]> {
  const { entries, skips } = await listCatalog(roots, () => throwIfCancelled(signal));
  return [...entries, ...skips].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

async function named(sessionIds: readonly string[], { roots, signal }: VerifyOptions): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const sessionId of new Set(sessionIds)) {
    try {
      subjects.push(await findSession(roots, sessionId, () => throwIfCancelled(signal)));
    } catch (error) {
      if (!(error instanceof SessionLogError) || error.kind === 'not-found') throw error;
      subjects.push({ path: error.path, sessionId, kind: error.kind, message: messageOf(error) });
    }
  }
  return subjects;
}

async function verifyEntry(
  { log, sessionId }: Pick<CatalogEntry, 'log' | 'sessionId'>,
  pace: VerifyPorts['pace'],
): Promise<Verified | undefined> {
  try {
    const { findings, formatVersion, events } = await walk(log, sessionId, pace);
    const format = formatVersion === undefined ? {} : { formatVersion };
    return { path: log.path, sessionId, ...format, events, findings };
  } catch (error) {
    if (!(error instanceof SessionLogError)) throw error;
    const { path, kind, message } = error;
    return faultOf({ path, sessionId, kind, message });
  }
}

/** Walks the log, and once more when that found it damaged while a writer was at work, as the reader does. */
async function walk(
  log: FoundLog,
  sessionId: string | undefined,
  pace: VerifyPorts['pace'],
): Promise<LogVerdict> {
  for (let attempt = 1; ; attempt += 1) {
    const bytes = LogBytes.open(log.path);
    try {
      const verdict = await pace(verifyLog(await logSource(log, bytes), sessionId));
      const isDamaged = verdict.findings.some(({ severity }) => severity === 'error');
      if (!isDamaged || attempt > 1 || !bytes.hasChanged()) return verdict;
    } finally {
      bytes.close();
    }
  }
}

/** Skips that say less than the log itself does. */
const WALKED_KINDS: ReadonlySet<FaultKind> = new Set(['corrupt', 'empty', 'too-large', 'mismatch']);

async function verifySkip(skip: Skip, pace: VerifyPorts['pace']): Promise<Verified | undefined> {
  const fault = faultOf(skip);
  if (fault === undefined || !WALKED_KINDS.has(skip.kind)) return fault;
  const name = basename(skip.path);
  const log: FoundLog = {
    path: skip.path,
    isCompressed: name.endsWith('.zstd'),
    nameVersion: parseLogName(name)?.version,
    place: undefined,
  };
  try {
    const { findings, formatVersion, events } = await walk(log, skip.sessionId, pace);
    const isExplained = skip.kind !== 'mismatch' && findings.some(({ severity }) => severity === 'error');
    const format = formatVersion === undefined ? {} : { formatVersion };
    return {
      ...fault,
      ...format,
      events,
      findings: isExplained ? findings : [...fault.findings, ...findings],
    };
  } catch (error) {
    if (!(error instanceof SessionLogError)) throw error;
    return fault;
  }
}

/** Kind of finding for each kind of fault; undefined for what has vanished meanwhile. */
const KIND_OF_FAULT: Record<FaultKind, FindingKind | undefined> = {
  'not-found': undefined,
  empty: 'log-empty',
  unsupported: 'session-unsupported',
  corrupt: 'header-invalid',
  ambiguous: 'session-ambiguous',
  mismatch: 'session-mismatch',
  'too-large': 'log-too-large',
  unreadable: 'path-unreadable',
  'not-a-file': 'path-not-a-file',
  stray: 'path-stray',
  'root-missing': 'path-unreadable',
  'root-not-directory': 'path-not-a-file',
  'root-unreadable': 'path-unreadable',
};

function faultOf({ path, sessionId, kind, message }: Skip): Verified | undefined {
  const findingKind = KIND_OF_FAULT[kind];
  if (findingKind === undefined) return undefined;
  const findings = new FindingList(path, sessionId);
  findings.add(findingKind, message);
  return { path, ...(sessionId === undefined ? {} : { sessionId }), events: 0, findings: findings.list() };
}

/** Harness roots that have logs of both encodings: the harness refuses such a root as a whole. */
function mixedEncodings(subjects: readonly Subject[]): Verified[] {
  const encodings = new Map<string, Set<boolean>>();
  for (const subject of subjects) {
    const path = pathOf(subject);
    const name = parseLogName(basename(path));
    const project = dirname(dirname(path));
    if (name === undefined || !isProjectDirectory(basename(project))) continue;
    const known = encodings.get(dirname(project)) ?? new Set();
    encodings.set(dirname(project), known.add(name.isCompressed));
  }
  const mixed = [...encodings].filter(([, seen]) => seen.size > 1);
  return mixed.map(([path]) => {
    const findings = new FindingList(path, undefined);
    findings.add(
      'root-mixed-encodings',
      'the root has plain and compressed logs; the harness refuses such a root',
    );
    return { path, events: 0, findings: findings.list() };
  });
}

function pathOf(subject: Subject): string {
  return 'log' in subject ? subject.log.path : subject.path;
}
