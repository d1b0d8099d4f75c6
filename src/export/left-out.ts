/** What a citation leaves out of the current surface, counted (contract, 4.1). */
import { isObject } from '../log/header.ts';
import type { StoredEvent } from '../log/rows.ts';
import type { MessageParts, SurfaceType } from '../surface/message.ts';
import { type ConversationItem, projectEvent } from '../surface/projection.ts';

export interface LeftOut {
  /** Results of tools that are on the surface. */
  readonly toolResults: number;
  /** Blocks of assistant messages that ask for a tool. */
  readonly toolCalls: number;
  /** Blocks of reasoning. */
  readonly reasoning: number;
  /** Images and files in messages that are shown or would be. */
  readonly attachments: number;
  /** All other blocks that are no text. */
  readonly otherBlocks: number;
  /** Injected user messages by source kind; of a plug-in by `plugin:` and its name. */
  readonly injected: Readonly<Record<string, number>>;
  /** System and developer messages. */
  readonly instructions: number;
  /** Messages of people and models that have no text. */
  readonly withoutText: number;
  /** Messages that a replacement took off the surface: shadowed events. */
  readonly shadowed: number;
}

/** What one event of the surface gives: an item, or the reason why there is none. */
export interface Projected {
  readonly item: ConversationItem | undefined;
  readonly time: number;
  readonly left: 'toolResults' | 'instructions' | 'withoutText' | undefined;
  /** Source of an injected message. */
  readonly injectedBy: string | undefined;
  readonly blocks: Readonly<Record<BlockCount, number>>;
}

type BlockCount = 'toolCalls' | 'reasoning' | 'attachments' | 'otherBlocks';

const COUNT_OF_BLOCK: ReadonlyMap<unknown, BlockCount> = new Map<unknown, BlockCount>([
  ['tool-call', 'toolCalls'],
  ['reasoning', 'reasoning'],
  ['image', 'attachments'],
  ['file', 'attachments'],
]);

/** Stands in for the text of a message, to learn whether its kind of message is kept at all. */
const SOME_TEXT = [{ type: 'text', text: '-' }] as const;

/** Projects one surface event of a log of format `version`, and notes what that leaves out. */
export function projectCounted(
  event: StoredEvent,
  type: SurfaceType,
  message: MessageParts,
  version: number,
): Projected {
  const { seq, time } = event;
  const item = projectEvent(seq, type, message, version);
  const isKeptKind = projectEvent(seq, type, { ...message, content: SOME_TEXT }, version) !== undefined;
  if (isKeptKind) {
    const left = item === undefined ? 'withoutText' : undefined;
    return { item, time, left, injectedBy: undefined, blocks: countBlocks(message.content) };
  }
  // What is inside a message that is left out as a whole is not counted again.
  if (type === 'user/message') {
    return { item, time, left: undefined, injectedBy: injectorOf(message.source), blocks: NO_BLOCKS };
  }
  const left = type === 'tool/result' ? 'toolResults' : 'instructions';
  return { item, time, left, injectedBy: undefined, blocks: NO_BLOCKS };
}

const NO_BLOCKS: Projected['blocks'] = { toolCalls: 0, reasoning: 0, attachments: 0, otherBlocks: 0 };

function countBlocks(content: readonly unknown[]): Projected['blocks'] {
  const counts = { ...NO_BLOCKS };
  for (const block of content) {
    const type = isObject(block) ? block.type : undefined;
    if (type === 'text') continue;
    counts[COUNT_OF_BLOCK.get(type) ?? 'otherBlocks'] += 1;
  }
  return counts;
}

function injectorOf({ kind, plugin }: Record<string, unknown>): string {
  if (typeof kind !== 'string' || kind === '') return 'unknown';
  return kind === 'plugin' && typeof plugin === 'string' && plugin !== '' ? `plugin:${plugin}` : kind;
}

/** Adds up what the events of a surface leave out; `applied` messages have been on it at some time. */
export function sumLeftOut(surface: readonly Projected[], applied: number): LeftOut {
  const sums = { toolResults: 0, instructions: 0, withoutText: 0 };
  const blocks = { ...NO_BLOCKS };
  const injected = new Map<string, number>();
  for (const { left, injectedBy, blocks: own } of surface) {
    if (left !== undefined) sums[left] += 1;
    if (injectedBy !== undefined) injected.set(injectedBy, (injected.get(injectedBy) ?? 0) + 1);
    for (const name of Object.keys(blocks) as BlockCount[]) blocks[name] += own[name];
  }
  const byCount = [...injected].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return { ...sums, ...blocks, injected: Object.fromEntries(byCount), shadowed: applied - surface.length };
}
