/**
 * What a surface event says: its message, in whichever shape its format has, early v0 shapes included
 * (format document, 6.1 and 12.0). After this file a message's parts have types.
 */
import { isObject } from '../log/header.ts';
import type { StoredEvent } from '../log/rows.ts';

/** The five types that can be on a surface; early v0's `steering/message` counts as `user/message`. */
export type SurfaceType =
  | 'user/message'
  | 'assistant/message'
  | 'tool/result'
  | 'system/message'
  | 'developer/message';

/** The parts of a message that a reader needs. */
export interface MessageParts {
  readonly source: Record<string, unknown>;
  readonly content: readonly unknown[];
}

const TYPES_OF_V0: ReadonlySet<string> = new Set([
  'user/message',
  'assistant/message',
  'tool/result',
  'steering/message',
]);
const TYPES_OF_V1_V2: ReadonlySet<string> = new Set(['user/message', 'assistant/message', 'tool/result']);
const TYPES_OF_V3: ReadonlySet<string> = new Set([...TYPES_OF_V1_V2, 'system/message']);
const TYPES_OF_V4: ReadonlySet<string> = new Set([...TYPES_OF_V3, 'developer/message']);

/** The event types that a log of this format puts on the surface (format document, 5.1). */
export function surfaceTypesOf(version: number): ReadonlySet<string> {
  if (version === 0) return TYPES_OF_V0;
  if (version <= 2) return TYPES_OF_V1_V2;
  return version === 3 ? TYPES_OF_V3 : TYPES_OF_V4;
}

/** The surface type of an event whose type is in `surfaceTypesOf` its format. */
export function surfaceTypeOf(event: StoredEvent): SurfaceType {
  return event.type === 'steering/message' ? 'user/message' : (event.type as SurfaceType);
}

/** Source and content of a surface event, or undefined when its content is not an array. */
export function messageParts(event: StoredEvent): MessageParts | undefined {
  const { data } = event;
  if (!isObject(data)) return undefined;
  // `user/message` is its own message; the early flat shapes of the other types carry content directly too.
  const message = event.type !== 'user/message' && isObject(data.message) ? data.message : data;
  if (!Array.isArray(message.content)) return undefined;
  const source = isObject(message.source) ? message.source : flatSource(event.type, data);
  return { source, content: message.content };
}

function flatSource(type: string, data: Record<string, unknown>): Record<string, unknown> {
  if (type === 'tool/result') return { kind: 'tool', callId: data.callId };
  if (type === 'assistant/message') return { kind: 'model' };
  return {};
}

/** The text blocks of a message joined with a line feed; every other block is left out (format document, 6.2). */
export function messageText(content: readonly unknown[]): string {
  const texts: string[] = [];
  for (const block of content) {
    if (isObject(block) && block.type === 'text' && typeof block.text === 'string') texts.push(block.text);
  }
  return texts.join('\n');
}

/** Everything of a tool result but the result's content: a replacement may change nothing else (format document, 5.5). */
export interface ToolResultEnvelope {
  /** Id of the message; early flat results have none, and take the one of what they stand for (12.0). */
  readonly id: unknown;
  /** All the rest as one comparable string, flat results in the later shape. */
  readonly rest: string;
}

export function toolResultEnvelope(event: StoredEvent): ToolResultEnvelope {
  const data = event.data as Record<string, unknown>;
  if (!isObject(data.message)) {
    const { content: _content, callId, isError, ...rest } = data;
    const block = { type: 'tool-result', toolCallId: callId, isError };
    const message = { role: 'user', source: { kind: 'tool', callId }, content: [block] };
    return { id: undefined, rest: canonical({ ...rest, message }) };
  }
  const { id, ...message } = data.message;
  return { id, rest: canonical({ ...data, message: withoutResultContent(message) }) };
}

export function isSameEnvelope(a: ToolResultEnvelope, b: ToolResultEnvelope): boolean {
  return a.rest === b.rest && (a.id === b.id || a.id === undefined || b.id === undefined);
}

function withoutResultContent(message: Record<string, unknown>): unknown {
  const blocks = message.content as readonly unknown[];
  const [first] = blocks;
  // The wrapped shape of v0 to v3 is told by its block; a v4 log may hold either (trap 37).
  if (blocks.length === 1 && isObject(first) && first.type === 'tool-result') {
    const { content: _content, ...block } = first;
    return { ...message, content: [block] };
  }
  const { content: _content, ...rest } = message;
  return rest;
}

/**
 * One string for equal values, whatever the order of their keys. Not recursive: a value from a log may be nested
 * deeper than the stack.
 */
function canonical(root: unknown): string {
  const parts: string[] = [];
  const open: ({ readonly literal: string } | { readonly value: unknown })[] = [{ value: root }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if ('literal' in next) {
      parts.push(next.literal);
    } else if (Array.isArray(next.value)) {
      parts.push('[');
      open.push({ literal: ']' });
      for (const value of next.value.toReversed()) open.push({ literal: ',' }, { value });
    } else if (isObject(next.value)) {
      parts.push('{');
      open.push({ literal: '}' });
      const members = Object.entries(next.value).sort(([a], [b]) => (a < b ? 1 : -1));
      for (const [key, value] of members)
        open.push({ literal: ',' }, { value }, { literal: `${JSON.stringify(key)}:` });
    } else {
      parts.push(JSON.stringify(next.value) ?? 'undefined');
    }
  }
  return parts.join('');
}
