/**
 * The use cases: list, read, prepare. Composes the rooms and owns what goes across them: roots, cancelling,
 * freezing of results. Opening a store touches nothing on disk.
 */
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import {
  type CandidateRecord,
  candidateRecord,
  compareSessions,
  queryMatcher,
  rankByWorkspace,
  workspaceMatcher,
} from './catalog/candidates.ts';
import { type Catalog, type CatalogEntry, findSession, listCatalog, sessionGone } from './catalog/catalog.ts';
import type { Skip } from './catalog/found-log.ts';
import { matchSessionId } from './catalog/match-id.ts';
import { SessionIndex } from './catalog/session-index.ts';
import { SessionReferenceError, throwIfCancelled } from './errors.ts';
import type { ExportOptions, LogExport } from './export/export-log.ts';
import type { Transcript, TranscriptOptions } from './export/read-transcript.ts';
import type { SessionHeader } from './log/header.ts';
import { formatSessionReferenceMention } from './mention/mention.ts';
import { harnessHome, sessionsRoot } from './places/harness-home.ts';
import type { ContextMessage } from './snapshot/context-message.ts';
import type { SpillStore } from './spill/local.ts';
import { deepFreeze } from './store/freeze.ts';
import {
  type PreparedMessage,
  type PrepareOptions,
  type PreparePorts,
  prepareMessage,
} from './store/prepare.ts';
import {
  createBatchMemory,
  type HostMessage,
  type MessageBatch,
  openMessageBatch,
  type PrepareMessagesOptions,
} from './store/prepare-messages.ts';
import { readLabels } from './store/read-labels.ts';
import {
  type BatchMemory,
  type Conversation,
  type ReadScope,
  readContextWindow,
  readConversation,
  readSurface,
  type Surface,
} from './store/sessions.ts';
import type { VerifyOptions, VerifyReport } from './verify/verify-sessions.ts';

export type { Skip } from './catalog/found-log.ts';
export type { ExportOptions, LogExport } from './export/export-log.ts';
export type { LeftOut } from './export/left-out.ts';
export type { Transcript, TranscriptOptions } from './export/read-transcript.ts';
export type { Diagnostic } from './log/diagnostics.ts';
export type { BudgetExplanation, Explanation, SourceExplanation } from './store/explain.ts';
export type { ContentBlock, PreparedMessage, PrepareOptions } from './store/prepare.ts';
export type { HostMessage, MessageBatch, PrepareMessagesOptions } from './store/prepare-messages.ts';
export { messageFault } from './store/prepare-messages.ts';
export type { Conversation, Surface } from './store/sessions.ts';
export type { Finding, Severity } from './verify/findings.ts';
export type { KindSummary, Verified, VerifyOptions, VerifyReport } from './verify/verify-sessions.ts';

export interface SessionRecord {
  readonly sessionId: string;
  /** Path of the log that is the session. */
  readonly path: string;
  readonly sizeBytes: number;
  /** The header as stored. */
  readonly header: SessionHeader;
}

export interface SessionList {
  /** Newest first (contract, section 3, rule 2). */
  readonly sessions: readonly SessionRecord[];
  readonly skipped: readonly Skip[];
}

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

export interface ResolveOptions {
  /** Accept an unambiguous beginning of at least 4 characters. */
  readonly prefix?: boolean;
  readonly signal?: AbortSignal;
}

export interface SessionStoreOptions {
  /** Folders that hold logs; default `<harness home>/sessions`. A root that does not exist is an empty one. */
  readonly roots?: readonly string[];
  /** Harness home, before `DSH_HOME` and `~/.dsh`. */
  readonly home?: string;
  /** `false`: nothing is remembered between calls. The answers are the same. */
  readonly index?: boolean;
  /** Private directory where the index is kept between processes; default none, so it lives with the store. */
  readonly indexDir?: string;
  /** Milliseconds since 1970; default the system's clock. */
  readonly clock?: () => number;
  /** Message ids; default random UUID v4. */
  readonly ids?: () => string;
  /** Where the full text of truncated snapshots goes (`openLocalSpill`); default nowhere. Stays the caller's. */
  readonly spill?: SpillStore;
}

interface Cancellable {
  readonly signal?: AbortSignal;
}

export interface SessionStore {
  /** Absolute roots in use. */
  readonly roots: readonly string[];
  /** Every session with a sound header. Errors: SESSION_ROOT_*, SESSION_REFERENCE_CANCELLED. */
  listSessions(options?: Cancellable): Promise<SessionList>;
  /** Contract, section 3. Errors: SESSION_REFERENCE_INVALID_REFERENCE (limit), SESSION_ROOT_*, CANCELLED. */
  listCandidates(options?: CandidateOptions): Promise<CandidateList>;
  /** The candidate record of one session, whatever a listing would leave out. Errors: SessionLogError. */
  readCandidate(
    sessionId: string,
    options?: { readonly cwd?: string; readonly signal?: AbortSignal },
  ): Promise<Candidate>;
  /** The current surface, events as stored. Errors: SessionLogError, SESSION_REFERENCE_CANCELLED. */
  readSurface(sessionId: string, options?: Cancellable): Promise<Surface>;
  /** What a citation would carry, nothing cut. Errors: SessionLogError, SESSION_REFERENCE_CANCELLED. */
  readConversation(sessionId: string, options?: Cancellable): Promise<Conversation>;
  /** Contract, section 4. Errors: every SESSION_REFERENCE_* code. */
  prepare(options: PrepareOptions): Promise<PreparedMessage>;
  /** Contract, 4.5: contexts inserted, all or nothing. Errors: every SESSION_REFERENCE_* code. */
  prepareMessages(
    messages: readonly HostMessage[],
    options?: PrepareMessagesOptions,
  ): Promise<readonly (HostMessage | ContextMessage)[]>;
  /** Contract, 4.5, message by message, for batches that need not be in memory as a whole. */
  openBatch(options?: PrepareMessagesOptions): MessageBatch;
  /** The one id that `given` is or begins. Errors: SESSION_LOG_NOT_FOUND, SESSION_LOG_AMBIGUOUS. */
  resolveSessionId(given: string, options?: ResolveOptions): Promise<string>;
  close(): Promise<void>;
}

const DEFAULT_CANDIDATE_LIMIT = 50;

/** Opens a store over `options.roots`; nothing is read before the first call. */
export function openSessionStore(options: SessionStoreOptions = {}): SessionStore {
  const roots = (options.roots ?? [defaultRoot(options.home)]).map((root) => resolve(root));
  const ids = options.ids ?? randomUUID;
  const scope = (signal: AbortSignal | undefined): ReadScope => ({
    roots,
    signal,
    onStep: () => throwIfCancelled(signal),
  });
  const index =
    options.index === false ? undefined : new SessionIndex(options.indexDir, options.clock ?? Date.now);
  const catalog = (signal: AbortSignal | undefined) => listCatalog(roots, scope(signal).onStep, index);
  const ports = (memory?: BatchMemory): PreparePorts => {
    const through = memory === undefined ? {} : { memory };
    return {
      ids,
      readConversation: (id, signal) => readConversation(id, { ...scope(signal), ...through }),
      readContextWindow: (id, signal) => readContextWindow(id, { ...scope(signal), ...through }),
      spill: options.spill,
    };
  };
  const openBatch = (batchOptions: PrepareMessagesOptions = {}): MessageBatch =>
    openMessageBatch(batchOptions, ports(createBatchMemory(options.clock ?? Date.now)));
  return {
    roots: Object.freeze([...roots]),
    async listSessions({ signal } = {}) {
      throwIfCancelled(signal);
      return deepFreeze(sessionList(await catalog(signal)));
    },
    async listCandidates(candidateOptions = {}) {
      assertLimit(candidateOptions.limit);
      throwIfCancelled(candidateOptions.signal);
      const list = await candidateList(await catalog(candidateOptions.signal), candidateOptions, index);
      index?.flush();
      return deepFreeze(list);
    },
    async readCandidate(sessionId, { cwd, signal } = {}) {
      throwIfCancelled(signal);
      const entry = await findSession(roots, sessionId, scope(signal).onStep);
      const labels = await readLabels(entry, undefined, signal);
      if (labels === undefined) throw sessionGone(entry);
      return deepFreeze(withMention(candidateRecord(entry.header, labels, workspaceMatcher(cwd))));
    },
    async readSurface(sessionId, { signal } = {}) {
      throwIfCancelled(signal);
      return deepFreeze(await readSurface(sessionId, scope(signal)));
    },
    async readConversation(sessionId, { signal } = {}) {
      throwIfCancelled(signal);
      return deepFreeze(await readConversation(sessionId, scope(signal)));
    },
    async prepare(prepareOptions) {
      return deepFreeze(await prepareMessage(prepareOptions, ports()));
    },
    async prepareMessages(messages, messagesOptions = {}) {
      const batch = openBatch(messagesOptions);
      const prepared: (HostMessage | ContextMessage)[] = [];
      for (const message of messages) prepared.push(...(await batch.prepare(message)));
      return Object.freeze(prepared);
    },
    openBatch,
    async resolveSessionId(given, { prefix = false, signal } = {}) {
      throwIfCancelled(signal);
      return matchSessionId(given, prefix, scope(signal));
    },
    async close() {},
  };
}

function defaultRoot(home: string | undefined): string {
  return sessionsRoot(harnessHome({ env: process.env, homedir: homedir() }, home));
}

function sessionList({ entries, skips }: Catalog): SessionList {
  const sessions = [...entries]
    .sort((a, b) => compareSessions(a.header, b.header))
    .map(({ sessionId, log, header, sizeBytes }) => ({ sessionId, path: log.path, sizeBytes, header }));
  return { sessions, skipped: skips };
}

async function candidateList(
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

function assertLimit(limit: unknown): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && (limit as number) >= 1)) return;
  throw new SessionReferenceError(
    'SESSION_REFERENCE_INVALID_REFERENCE',
    `the limit of a listing must be a whole number of 1 or more, not ${JSON.stringify(limit)}`,
  );
}

/** Checks logs, or whole roots, and tells what is wrong; it stops at nothing that it finds. See `VerifyOptions`. */
export async function verifySessions(options: VerifyOptions): Promise<VerifyReport> {
  const verify = await import('./verify/verify-sessions.ts');
  return deepFreeze(await verify.verifySessions(options));
}

/** The stored log of a session, checked and ready to be given out line by line. See `ExportOptions`. */
export async function openExport(options: ExportOptions): Promise<LogExport> {
  const { openExport: open } = await import('./export/export-log.ts');
  return open(options);
}

/** As `readConversation`, with counts of what a citation leaves out. See `TranscriptOptions`. */
export async function readTranscript(options: TranscriptOptions): Promise<Transcript> {
  const { readTranscript: read } = await import('./export/read-transcript.ts');
  return deepFreeze(await read(options));
}
