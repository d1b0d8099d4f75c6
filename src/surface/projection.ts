/** The projection: which surface events a citation carries, and as what (contract, 4.1). */
import { type MessageParts, messageText, type SurfaceType } from './message.ts';

export interface ConversationItem {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** The item is the summary that a compaction put in the place of earlier messages. */
  readonly checkpoint: boolean;
  readonly seq: number;
}

/** The item that a surface event of a log of format `version` becomes, or undefined where it is left out. */
export function projectEvent(
  seq: number,
  type: SurfaceType,
  message: MessageParts,
  version: number,
): ConversationItem | undefined {
  switch (type) {
    case 'user/message': {
      const checkpoint = isCheckpoint(message.source, version);
      if (!checkpoint && message.source.kind !== 'user') return undefined;
      return itemOf('user', message, checkpoint, seq);
    }
    case 'assistant/message':
      return itemOf('assistant', message, false, seq);
    case 'tool/result':
    case 'system/message':
    case 'developer/message':
      return undefined;
    default:
      return type satisfies never;
  }
}

/**
 * The compaction checkpoint is told by its source alone (format document, section 7). A v4 log may hold v3
 * shapes, so there either marker counts.
 */
function isCheckpoint(source: Record<string, unknown>, version: number): boolean {
  if (source.kind === 'plugin' && source.plugin === 'compact') return true;
  return version >= 4 && source.kind === 'compact-checkpoint';
}

function itemOf(
  role: 'user' | 'assistant',
  message: MessageParts,
  checkpoint: boolean,
  seq: number,
): ConversationItem | undefined {
  const text = messageText(message.content);
  return text === '' ? undefined : { role, text, checkpoint, seq };
}
