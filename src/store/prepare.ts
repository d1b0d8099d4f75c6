/**
 * Prepares one message: settles what is cited and how large each snapshot may be, reads every source once,
 * fits it, and builds the context message. All or nothing (contract, section 4).
 */
import { SessionLogError, SessionReferenceError, throwIfCancelled } from '../errors.ts';
import { parseSessionReferenceText } from '../mention/mention.ts';
import {
  assertReferenceSettings,
  MAX_REFERENCES,
  type ReferenceBudget,
  settleBudget,
} from '../snapshot/budget.ts';
import {
  buildContextMessage,
  type ContextMessage,
  type SnapshotPreview,
} from '../snapshot/context-message.ts';
import { type NormalisedReference, normaliseReferences } from '../snapshot/references.ts';
import { retain } from '../snapshot/retention.ts';
import type { Conversation } from './sessions.ts';

export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface PrepareOptions {
  /** Content blocks, taken as they are; or else `text`, whose mentions are parsed. */
  readonly content?: readonly ContentBlock[];
  readonly text?: string;
  /** What is cited; with `text`, in addition to the mentions found in it. */
  readonly references?: readonly { readonly sessionId: string; readonly label?: string }[];
  /** Id of the asking session, where known. */
  readonly self?: string;
  /** 1 to 3, default 3. */
  readonly maxReferences?: number;
  /** Budget of each reference in UTF-8 bytes; default by the context window (contract, 4.3). */
  readonly maxReferenceBytes?: number;
  /** Tokens; default: what the log of `self` last recorded. */
  readonly contextWindow?: number;
  /** 0 to 1, default 0.2. */
  readonly referenceContextFraction?: number;
  readonly signal?: AbortSignal;
}

export interface PreparedMessage {
  readonly content: readonly ContentBlock[];
  /** Absent when nothing was cited. */
  readonly additionalContext?: ContextMessage;
}

/** What preparing needs of the store. */
export interface PreparePorts {
  readConversation(sessionId: string, signal: AbortSignal | undefined): Promise<Conversation>;
  /** Tokens, by the session's own log; undefined where that does not say or cannot be read. */
  readContextWindow(sessionId: string, signal: AbortSignal | undefined): Promise<number | undefined>;
  readonly ids: () => string;
}

/** Errors: every code of the contract's section 5 but none of a single log: those are causes of READ_FAILED. */
export async function prepareMessage(options: PrepareOptions, ports: PreparePorts): Promise<PreparedMessage> {
  const { signal } = options;
  assertReferenceSettings(options);
  throwIfCancelled(signal);
  const { content, cited } = citedContent(options);
  const references = normaliseReferences(cited, {
    self: options.self,
    maxReferences: options.maxReferences ?? MAX_REFERENCES,
  });
  if (references.length === 0) return { content };
  const budget = await budgetOf(options, ports);
  const conversations: Conversation[] = [];
  // One after the other: reading is synchronous work, and so the first failing mention is the one reported.
  for (const reference of references) conversations.push(await readSource(reference, ports, signal));
  const previews = references.map((reference, at) => preview(reference, conversations[at]!, budget));
  throwIfCancelled(signal);
  return { content, additionalContext: buildContextMessage({ id: ports.ids(), previews }) };
}

function citedContent(options: PrepareOptions): {
  content: readonly ContentBlock[];
  cited: readonly unknown[];
} {
  const { content, text, references = [] } = options;
  if (content !== undefined) return { content: structuredClone(content), cited: references };
  const parsed = parseSessionReferenceText(text ?? '');
  return { content: [{ type: 'text', text: parsed.text }], cited: [...parsed.references, ...references] };
}

async function budgetOf(options: PrepareOptions, ports: PreparePorts): Promise<ReferenceBudget> {
  const isSettled = options.maxReferenceBytes !== undefined || options.contextWindow !== undefined;
  if (isSettled || options.self === undefined) return settleBudget(options);
  const contextWindow = await ports.readContextWindow(options.self, options.signal);
  return settleBudget({ ...options, contextWindow });
}

async function readSource(
  reference: NormalisedReference,
  ports: PreparePorts,
  signal: AbortSignal | undefined,
): Promise<Conversation> {
  try {
    return await ports.readConversation(reference.sessionId, signal);
  } catch (error) {
    throwIfCancelled(signal);
    if (!(error instanceof SessionLogError)) throw error;
    throw new SessionReferenceError(
      'SESSION_REFERENCE_READ_FAILED',
      `cannot cite a session: ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

function preview(
  reference: NormalisedReference,
  source: Conversation,
  budget: ReferenceBudget,
): SnapshotPreview {
  const { sessionId, label, inputIndex } = reference;
  const { cwd, version } = source.session;
  const fields = { sessionId, label, cwd: cwd ?? null, capturedThroughSeq: source.capturedThroughSeq };
  return {
    snapshot: retain(fields, source.items, budget.bytes),
    capturedFormatVersion: version,
    inputIndex,
  };
}
