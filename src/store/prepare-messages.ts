/** Batches: what happens to the user messages that are about to enter a model step (contract, 4.5). */
import { parseSessionReferenceText } from '../mention/mention.ts';
import type { ContextMessage } from '../snapshot/context-message.ts';
import { type ContentBlock, type PrepareOptions, type PreparePorts, prepareMessage } from './prepare.ts';

/** A message as the host has it; further keys stay as they are. */
export interface HostMessage {
  readonly source: { readonly kind: string; readonly [key: string]: unknown };
  readonly content: readonly ContentBlock[];
  readonly [key: string]: unknown;
}

/** Settings of a batch; limits and duplicates are counted for each message. */
export type PrepareMessagesOptions = Omit<PrepareOptions, 'content' | 'text' | 'references'>;

/**
 * The message itself where it cites nothing or is not a person's; else a copy of it with readable text, and its
 * context message directly behind. Errors: as `prepareMessage`.
 */
export async function prepareHostMessage(
  message: HostMessage,
  options: PrepareMessagesOptions,
  ports: PreparePorts,
): Promise<readonly (HostMessage | ContextMessage)[]> {
  if (message.source.kind !== 'user') return [message];
  const cited = citedBlocks(message.content);
  if (cited.references.length === 0) return [message];
  const prepared = await prepareMessage({ ...options, ...cited }, ports);
  return [{ ...message, content: prepared.content }, prepared.additionalContext!];
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
