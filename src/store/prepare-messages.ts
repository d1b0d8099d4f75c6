/** Batches: what happens to the user messages that are about to enter a model step (contract, 4.5). */
import { SessionReferenceError, throwIfCancelled } from '../errors.ts';
import { isObject } from '../log/header.ts';
import { parseSessionReferenceText } from '../mention/mention.ts';
import { readReferenceSettings } from '../snapshot/budget.ts';
import type { ContextMessage } from '../snapshot/context-message.ts';
import { deepFreeze } from './freeze.ts';
import type { ContentBlock, PrepareOptions, PreparePorts } from './prepare.ts';
import { ReadingMemory } from './reading-memory.ts';
import type { BatchMemory, Conversation } from './sessions.ts';

/** A message as the host has it; further keys stay as they are. */
export interface HostMessage {
  readonly source: { readonly kind: string; readonly [key: string]: unknown };
  readonly content: readonly ContentBlock[];
  readonly [key: string]: unknown;
}

/** Settings of a batch; limits and duplicates are counted for each message. */
export type PrepareMessagesOptions = Omit<PrepareOptions, 'content' | 'text' | 'references'>;

/** Messages prepared one after the other. Of a log that stays as it is, only the look-up is made again. */
export interface MessageBatch {
  /**
   * The very message given, where it cites nothing or is not a person's; else a frozen copy with readable text,
   * and its context message directly behind. `name` is what errors call it, default `messages[n]`, from 0.
   * Errors: every SESSION_REFERENCE_* code; INVALID_REFERENCE for what is no message, too.
   */
  prepare(message: HostMessage, name?: string): Promise<readonly (HostMessage | ContextMessage)[]>;
}

/** Opens a batch; `ports` read through the memory of that batch. Errors: SESSION_REFERENCE_INVALID_CONFIG. */
export function openMessageBatch(options: PrepareMessagesOptions, ports: PreparePorts): MessageBatch {
  readReferenceSettings(options);
  let count = 0;
  return {
    async prepare(message, name = `messages[${count}]`) {
      count += 1;
      throwIfCancelled(options.signal);
      const fault = messageFault(message);
      if (fault !== undefined) {
        throw new SessionReferenceError(
          'SESSION_REFERENCE_INVALID_REFERENCE',
          `${name} is no message: ${fault}`,
        );
      }
      try {
        return Object.freeze(await prepareHostMessage(message, options, ports));
      } catch (error) {
        throw named(error, name);
      }
    },
  };
}

/** Memory for what a batch reads. */
export function createBatchMemory(clock: () => number): BatchMemory {
  return {
    conversations: new ReadingMemory(clock, conversationUnits),
    contextWindows: new ReadingMemory<number | undefined>(clock, () => 1),
  };
}

/** What a value lacks to be a message of the host; nothing where it is one. */
export function messageFault(message: unknown): string | undefined {
  if (!isObject(message)) return 'it is not an object';
  const { source, content } = message;
  if (!isObject(source) || typeof source.kind !== 'string')
    return 'its source is not an object with a string kind';
  if (!Array.isArray(content)) return 'its content is not an array of blocks';
  const odd = content.findIndex((block) => !isObject(block) || typeof block.type !== 'string');
  return odd === -1 ? undefined : `content[${odd}] is not an object with a string type`;
}

async function prepareHostMessage(
  message: HostMessage,
  options: PrepareMessagesOptions,
  ports: PreparePorts,
): Promise<(HostMessage | ContextMessage)[]> {
  if (message.source.kind !== 'user') return [message];
  const cited = citedBlocks(message.content);
  if (cited.references.length === 0) return [message];
  const { prepareMessage } = await import('./prepare.ts');
  const { content, additionalContext } = await prepareMessage({ ...options, ...cited }, ports);
  // A copy through and through: freezing it must not freeze what belongs to the caller.
  return deepFreeze([structuredClone({ ...message, content }), additionalContext!]);
}

/** Text blocks with their mentions made readable, and what they cite, in order; other blocks as they are. */
function citedBlocks(content: readonly ContentBlock[]): {
  readonly content: readonly ContentBlock[];
  readonly references: { sessionId: string; label: string }[];
} {
  const references: { sessionId: string; label: string }[] = [];
  const readable = content.map((block) => {
    if (block.type !== 'text' || typeof block.text !== 'string') return block;
    const parsed = parseSessionReferenceText(block.text);
    for (const reference of parsed.references) references.push(reference);
    return { type: 'text', text: parsed.text };
  });
  return { content: readable, references };
}

/** The failure with the message it came from; a cancellation or a bad setting comes from none. */
function named(error: unknown, name: string): unknown {
  if (!(error instanceof SessionReferenceError)) return error;
  const { code, message, cause } = error;
  if (code === 'SESSION_REFERENCE_CANCELLED' || code === 'SESSION_REFERENCE_INVALID_CONFIG') return error;
  return new SessionReferenceError(code, `${name}: ${message}`, cause === undefined ? undefined : { cause });
}

function conversationUnits({ items }: Conversation): number {
  const perItem = 100;
  return items.reduce((units, { text }) => units + text.length + perItem, 0);
}
