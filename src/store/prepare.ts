/**
 * Prepares one message: settles what is cited and how large each snapshot may be, reads every source once,
 * fits it, and builds the context message. All or nothing (contract, section 4).
 */
import { SessionLogError, SessionReferenceError, throwIfCancelled } from '../errors.ts';
import { parseSessionReferenceText } from '../mention/mention.ts';
import {
  MAX_REFERENCES,
  type ReferenceSettings,
  readReferenceSettings,
  settleBudget,
} from '../snapshot/budget.ts';
import {
  buildContextMessage,
  type ContextMessage,
  type FullSnapshot,
  type SnapshotPreview,
} from '../snapshot/context-message.ts';
import { type NormalisedReference, normaliseReferences } from '../snapshot/references.ts';
import { type RetainedSnapshot, retain, type SnapshotFields } from '../snapshot/retention.ts';
import { transcriptParts } from '../snapshot/transcript.ts';
import type { SpillStore } from '../spill/local.ts';
import { type BudgetExplanation, type Explanation, explainSource } from './explain.ts';
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
  /** Called with what was kept and why, once all sources are fitted; not called when nothing is cited. */
  readonly onExplain?: (explanation: Explanation) => void;
  /** Called when the full text of a truncated snapshot could not be saved; the preview is sent all the same. */
  readonly onSaveFailed?: (sessionId: string, error: unknown) => void;
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
  /** Message ids; default random UUID v4. */
  readonly ids: (() => string) | undefined;
  /** Where the full text of truncated snapshots goes; undefined where none is configured. */
  readonly spill: SpillStore | undefined;
}

/** Errors: every code of the contract's section 5 but none of a single log: those are causes of READ_FAILED. */
export async function prepareMessage(options: PrepareOptions, ports: PreparePorts): Promise<PreparedMessage> {
  const { signal } = options;
  const settings = readReferenceSettings(options);
  throwIfCancelled(signal);
  const { content, cited } = citedContent(options);
  const references = normaliseReferences(cited, {
    self: options.self,
    maxReferences: settings.maxReferences ?? MAX_REFERENCES,
  });
  if (references.length === 0) return { content };
  const budget = await budgetOf(settings, options, ports);
  const sources: Conversation[] = [];
  // One after the other: reading is synchronous work, and so the first failing mention is the one reported.
  for (const reference of references) sources.push(await readSource(reference, ports, signal));
  const snapshots = references.map((reference, at) => retainSource(reference, sources[at]!, budget));
  const previews = await Promise.all(
    references.map(async (reference, at): Promise<SnapshotPreview> => {
      const snapshot = snapshots[at]!;
      const source = sources[at]!;
      const fullSnapshot = snapshot.truncated ? await saveFull(reference, source, options, ports) : undefined;
      return {
        snapshot,
        fullSnapshot,
        capturedFormatVersion: source.session.version,
        inputIndex: reference.inputIndex,
      };
    }),
  );
  throwIfCancelled(signal);
  options.onExplain?.({
    budget,
    sources: previews.map(explainSource),
  });
  const id = await messageId(ports);
  return { content, additionalContext: buildContextMessage({ id, previews }) };
}

async function messageId({ ids }: PreparePorts): Promise<string> {
  if (ids !== undefined) return ids();
  // A text that cites nothing need not wait for it.
  const { newMessageId } = await import('./message-id.ts');
  return newMessageId();
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

async function budgetOf(
  settings: ReferenceSettings,
  { self, signal }: PrepareOptions,
  ports: PreparePorts,
): Promise<BudgetExplanation> {
  const given = settleBudget(settings);
  if (given.rule === 'context-window') return { ...given, contextWindow: settings.contextWindow! };
  if (given.rule !== 'default' || self === undefined) return given;
  const contextWindow = await ports.readContextWindow(self, signal);
  if (contextWindow === undefined) return given;
  const { bytes } = settleBudget({ ...settings, contextWindow });
  return { bytes, rule: 'session-log', contextWindow };
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

function snapshotFields({ sessionId, label }: NormalisedReference, source: Conversation): SnapshotFields {
  const { session, capturedThroughSeq } = source;
  return { sessionId, label, cwd: session.cwd ?? null, capturedThroughSeq };
}

function retainSource(
  reference: NormalisedReference,
  source: Conversation,
  budget: BudgetExplanation,
): RetainedSnapshot {
  return retain(snapshotFields(reference, source), source.items, budget.bytes);
}

/** Saves the full projected transcript of a truncated snapshot (spill document, 6); a failure costs only the notice. */
async function saveFull(
  reference: NormalisedReference,
  source: Conversation,
  options: PrepareOptions,
  { spill }: PreparePorts,
): Promise<FullSnapshot> {
  if (spill === undefined) return { status: 'unavailable', reason: 'storage-not-configured' };
  const { sessionId, label, inputIndex } = reference;
  const metadata = { ...snapshotFields(reference, source), capturedFormatVersion: source.session.version };
  try {
    const saved = await spill.saveText(
      {
        owner: { sessionId: options.self ?? '' },
        source: { kind: 'session-reference', sessionId, label },
        suggestedName: `session-reference-${inputIndex + 1}.txt`,
        content: () => transcriptParts(metadata, source.items),
      },
      options.signal === undefined ? {} : { signal: options.signal },
    );
    return { status: 'saved', ...saved };
  } catch (error) {
    throwIfCancelled(options.signal);
    options.onSaveFailed?.(sessionId, error);
    return { status: 'unavailable', reason: 'save-failed' };
  }
}
