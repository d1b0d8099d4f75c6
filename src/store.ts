/**
 * The use cases: list, read, prepare. Composes the rooms and owns what goes across them: roots, cancelling,
 * freezing of results. Opening a store touches nothing on disk. What reads logs is loaded when it is called for: a
 * listing of known sessions does without.
 */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { compareSessions } from './catalog/candidates.ts';
import { type Catalog, findSession, listCatalog } from './catalog/catalog.ts';
import type { Skip } from './catalog/found-log.ts';
import { matchSessionId } from './catalog/match-id.ts';
import { SessionIndex } from './catalog/session-index.ts';
import { throwIfCancelled } from './errors.ts';
import type { ExportOptions, ExportPorts, LogExport } from './export/export-log.ts';
import type { Transcript, TranscriptOptions } from './export/transcript.ts';
import type { SessionHeader } from './log/header.ts';
import { harnessHome, sessionsRoot } from './places/harness-home.ts';
import type { ContextMessage } from './snapshot/context-message.ts';
import type { SpillStore } from './spill/local.ts';
import {
  assertLimit,
  type Candidate,
  type CandidateList,
  type CandidateOptions,
  listCandidates,
  readCandidate,
} from './store/candidates.ts';
import { deepFreeze } from './store/freeze.ts';
import { runPaced } from './store/pace.ts';
import type { PreparedMessage, PrepareOptions, PreparePorts } from './store/prepare.ts';
import {
  createBatchMemory,
  type HostMessage,
  type MessageBatch,
  openMessageBatch,
  type PrepareMessagesOptions,
} from './store/prepare-messages.ts';
import type { BatchMemory, Conversation, ReadScope, Surface } from './store/sessions.ts';
import type { VerifyOptions, VerifyPorts, VerifyReport } from './verify/verify-sessions.ts';

export type { Skip } from './catalog/found-log.ts';
export type { SessionOrigin } from './catalog/outline.ts';
export type { ExportOptions, LogExport } from './export/export-log.ts';
export type { LeftOut } from './export/left-out.ts';
export type { Transcript, TranscriptOptions } from './export/transcript.ts';
export type { Diagnostic } from './log/diagnostics.ts';
export type { Candidate, CandidateList, CandidateOptions } from './store/candidates.ts';
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
  /**
   * Private directory where the index is kept between processes; default none, so it lives with the store. So it does
   * with a directory inside a root, where nothing is written.
   */
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

/** Opens a store over `options.roots`; nothing is read before the first call. */
export function openSessionStore(options: SessionStoreOptions = {}): SessionStore {
  const roots = (options.roots ?? [defaultRoot(options.home)]).map((root) => resolve(root));
  const scope = (signal: AbortSignal | undefined): ReadScope => ({
    roots,
    signal,
    onStep: () => throwIfCancelled(signal),
  });
  const index =
    options.index === false
      ? undefined
      : new SessionIndex(
          { indexDir: options.indexDir && resolve(options.indexDir), roots },
          options.clock ?? Date.now,
        );
  const catalog = (signal: AbortSignal | undefined, withHeaders: boolean) =>
    listCatalog(roots, scope(signal).onStep, index, withHeaders);
  const ports = (memory?: BatchMemory): PreparePorts => {
    const through = memory === undefined ? {} : { memory };
    return {
      ids: options.ids,
      readConversation: async (id, signal) => {
        const { readConversation } = await import('./store/sessions.ts');
        return readConversation(id, { ...scope(signal), ...through });
      },
      readContextWindow: async (id, signal) => {
        const { readContextWindow } = await import('./store/sessions.ts');
        return readContextWindow(id, { ...scope(signal), ...through });
      },
      spill: options.spill,
    };
  };
  const openBatch = (batchOptions: PrepareMessagesOptions = {}): MessageBatch =>
    openMessageBatch(batchOptions, ports(createBatchMemory(options.clock ?? Date.now)));
  return {
    roots: Object.freeze([...roots]),
    async listSessions({ signal } = {}) {
      throwIfCancelled(signal);
      return deepFreeze(sessionList(await catalog(signal, true)));
    },
    async listCandidates(candidateOptions = {}) {
      assertLimit(candidateOptions.limit);
      throwIfCancelled(candidateOptions.signal);
      const list = await listCandidates(
        await catalog(candidateOptions.signal, false),
        candidateOptions,
        index,
      );
      index?.flush();
      return deepFreeze(list);
    },
    async readCandidate(sessionId, { cwd, signal } = {}) {
      throwIfCancelled(signal);
      const entry = await findSession(roots, sessionId, scope(signal).onStep);
      return deepFreeze(await readCandidate(entry, cwd, signal));
    },
    async readSurface(sessionId, { signal } = {}) {
      throwIfCancelled(signal);
      const { readSurface } = await import('./store/sessions.ts');
      return deepFreeze(await readSurface(sessionId, scope(signal)));
    },
    async readConversation(sessionId, { signal } = {}) {
      throwIfCancelled(signal);
      const { readConversation } = await import('./store/sessions.ts');
      return deepFreeze(await readConversation(sessionId, scope(signal)));
    },
    async prepare(prepareOptions) {
      const { prepareMessage } = await import('./store/prepare.ts');
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
    async close() {
      await index?.close();
    },
  };
}

function defaultRoot(home: string | undefined): string {
  return sessionsRoot(harnessHome({ env: process.env, homedir: homedir() }, home));
}

function sessionList({ entries, skips }: Catalog): SessionList {
  const sessions = [...entries]
    .sort((a, b) => compareSessions(a.outline, b.outline))
    .map(({ sessionId, log, header, sizeBytes }) => ({
      sessionId,
      path: log.path,
      sizeBytes,
      header: header!,
    }));
  return { sessions, skipped: skips };
}

/** Checks logs, or whole roots, and tells what is wrong; it stops at nothing that it finds. See `VerifyOptions`. */
export async function verifySessions(options: VerifyOptions): Promise<VerifyReport> {
  const verify = await import('./verify/verify-sessions.ts');
  return deepFreeze(await verify.verifySessions(options, pacedBy(options.signal)));
}

/** The stored log of a session, checked and ready to be given out line by line. See `ExportOptions`. */
export async function openExport(options: ExportOptions): Promise<LogExport> {
  const { openExport: open } = await import('./export/export-log.ts');
  return open(options, pacedBy(options.signal));
}

/** As `readConversation`, with counts of what a citation leaves out. See `TranscriptOptions`. */
export async function readTranscript({ roots, sessionId, signal }: TranscriptOptions): Promise<Transcript> {
  throwIfCancelled(signal);
  const [{ TranscriptFold }, { readSession }] = await Promise.all([
    import('./export/transcript.ts'),
    import('./store/read-session.ts'),
  ]);
  const { log } = await findSession(roots, sessionId, () => throwIfCancelled(signal));
  const fold = new TranscriptFold();
  return deepFreeze(fold.transcript(await readSession(log, { keep: fold.keep }, signal)));
}

function pacedBy(signal: AbortSignal | undefined): VerifyPorts & ExportPorts {
  return { pace: (work) => runPaced(work, signal) };
}
