/** Reading single sessions: the surface, the conversation that a citation would carry, and what is listed of it. */

import { findSession, type OnStep } from '../catalog/catalog.ts';
import { SessionLogError } from '../errors.ts';
import type { Diagnostic } from '../log/diagnostics.ts';
import type { SessionHeader } from '../log/header.ts';
import type { StoredEvent } from '../log/rows.ts';
import { type ConversationItem, projectEvent } from '../surface/projection.ts';
import { type FoldedSession, readSession, type SessionReading } from './read-session.ts';
import type { ReadingMemory } from './reading-memory.ts';

interface SessionSummary {
  /** The header as stored. */
  readonly session: SessionHeader;
  /** Seq of the last stored event, null for a log without events (contract, 6.1). */
  readonly capturedThroughSeq: number | null;
  readonly title?: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Surface extends SessionSummary {
  /** Events of the current surface, in surface order, as stored. */
  readonly events: readonly StoredEvent[];
}

export interface Conversation extends SessionSummary {
  readonly items: readonly ConversationItem[];
}

/** Where to look, and how to stop. */
export interface ReadScope {
  readonly roots: readonly string[];
  readonly onStep: OnStep;
  readonly signal: AbortSignal | undefined;
  /** What a batch has read before; the look-up is made each time all the same. */
  readonly memory?: BatchMemory;
}

export interface BatchMemory {
  readonly conversations: ReadingMemory<Conversation>;
  readonly contextWindows: ReadingMemory<number | undefined>;
}

/** Errors: SessionLogError for the look-up and the log. */
export async function readSurface(sessionId: string, scope: ReadScope): Promise<Surface> {
  const { log } = await findSession(scope.roots, sessionId, scope.onStep);
  const folded = await readSession(log, WHOLE_EVENTS, scope.signal);
  return { ...describe(folded), events: folded.surface };
}

/** Errors: SessionLogError for the look-up and the log. */
export async function readConversation(sessionId: string, scope: ReadScope): Promise<Conversation> {
  const { log } = await findSession(scope.roots, sessionId, scope.onStep);
  return recall(scope.memory?.conversations, log.path, async () => {
    const folded = await readSession(log, ITEMS, scope.signal);
    return { ...describe(folded), items: folded.surface.filter((item) => item !== undefined) };
  });
}

/** Tokens by the last `request/context` of the session's log; undefined where it says none or cannot be read. */
export async function readContextWindow(sessionId: string, scope: ReadScope): Promise<number | undefined> {
  try {
    const { log } = await findSession(scope.roots, sessionId, scope.onStep);
    return await recall(scope.memory?.contextWindows, log.path, async () => {
      return (await readSession(log, FACTS, scope.signal)).facts.contextWindow;
    });
  } catch (error) {
    // The window is a convenience: a log that cannot be read leaves it unknown.
    if (error instanceof SessionLogError) return undefined;
    throw error;
  }
}

function recall<T>(memory: ReadingMemory<T> | undefined, path: string, read: () => Promise<T>): Promise<T> {
  return memory === undefined ? read() : memory.recall(path, read);
}

function describe(folded: FoldedSession<unknown>): SessionSummary {
  const { header, capturedThroughSeq, facts, diagnostics } = folded;
  const title = facts.title?.title;
  return { session: header, capturedThroughSeq, ...(title === undefined ? {} : { title }), diagnostics };
}

const WHOLE_EVENTS: SessionReading<StoredEvent> = { keep: () => (event) => event };
/** Facts only: nothing is kept of the surface, which is folded all the same. */
export const FACTS: SessionReading<undefined> = {
  keep: () => () => undefined,
  unread: { types: new Set(['tool/result', 'assistant/message', 'user/message']), value: undefined },
};
const ITEMS: SessionReading<ConversationItem | undefined> = {
  keep:
    ({ version }) =>
    (event, type, message) =>
      projectEvent(event.seq, type, message, version),
  unread: { types: new Set(['tool/result']), value: undefined },
};
