/** Content blocks of messages (format document, 6.2). */
import { isObject } from '../log/header.ts';
import { quoted, type Report } from './event-report.ts';

/** Where blocks stand: the role of the message as its event type has it, or inside the result of a tool. */
export type Holder = 'user' | 'assistant' | 'tool' | 'system' | 'developer';

interface BlockRule {
  readonly holders: readonly Holder[];
  /** First and last format that has it. */
  readonly formats: readonly [number, number];
  readonly isSound: (block: Record<string, unknown>) => boolean;
}

const ALL: readonly [number, number] = [0, Number.POSITIVE_INFINITY];
const isText = (block: Record<string, unknown>): boolean => typeof block.text === 'string';
const namesTool = (block: Record<string, unknown>): boolean => typeof block.toolName === 'string';

const RULES: ReadonlyMap<string, BlockRule> = new Map<string, BlockRule>([
  ['text', { holders: ['user', 'assistant', 'tool', 'system', 'developer'], formats: ALL, isSound: isText }],
  ['reasoning', { holders: ['assistant'], formats: ALL, isSound: isText }],
  ['image', { holders: ['user', 'tool'], formats: ALL, isSound: hasAttachment }],
  ['file', { holders: ['user', 'tool'], formats: [2, Number.POSITIVE_INFINITY], isSound: hasAttachment }],
  ['tool-call', { holders: ['assistant'], formats: ALL, isSound: isToolCall }],
  ['tool-result', { holders: ['tool'], formats: [0, 3], isSound: isToolResult }],
  ['tool-addition', { holders: ['developer'], formats: [4, Number.POSITIVE_INFINITY], isSound: namesTool }],
  ['tool-removal', { holders: ['developer'], formats: [4, Number.POSITIVE_INFINITY], isSound: namesTool }],
]);

/** `name` is what the blocks belong to, for messages. */
export function checkBlocks(
  blocks: readonly unknown[],
  holder: Holder,
  { name, version }: { readonly name: string; readonly version: number },
  report: Report,
): void {
  for (const block of blocks) {
    if (!isObject(block) || typeof block.type !== 'string') {
      report('content-block', `${name} has a block that is no object with a type: ${quoted(block)}`);
      continue;
    }
    const rule = RULES.get(block.type);
    if (rule === undefined) {
      // A later format keeps what an upgrade did not know under a prefix.
      if (version >= 4 && block.type.startsWith('plugin:')) continue;
      report('content-block-unknown', `${name} has a block of the unknown type ${quoted(block.type)}`);
    } else if (version < rule.formats[0] || (version > rule.formats[1] && holder !== 'tool')) {
      report(
        'content-block',
        `${name} has a block ${quoted(block.type)}, which format v${version} does not have`,
      );
    } else if (!rule.holders.includes(holder)) {
      report('content-block', `${name} has a block ${quoted(block.type)}, which does not belong there`);
    } else if (!rule.isSound(block)) {
      report('content-block', `${name} has a malformed block ${quoted(block.type)}`);
    }
  }
}

function hasAttachment({ attachment, offloaded }: Record<string, unknown>): boolean {
  if (offloaded !== undefined && offloaded !== true) return false;
  return isObject(attachment) && typeof attachment.attachmentId === 'string';
}

function isToolCall(block: Record<string, unknown>): boolean {
  return ['id', 'name', 'arguments'].every(
    (key) => typeof block[key] === 'string' && (key !== 'id' || block.id !== ''),
  );
}

function isToolResult({ toolCallId, content, isError }: Record<string, unknown>): boolean {
  return (
    typeof toolCallId === 'string' &&
    Array.isArray(content) &&
    (isError === undefined || typeof isError === 'boolean')
  );
}

/** Image blocks of a message, those inside a wrapped tool result too. */
export function countImages(blocks: readonly unknown[]): number {
  let images = 0;
  // A list of its own in place of recursion: a hostile row may be nested deeper than the call stack is.
  const open: unknown[] = Array.from(blocks);
  while (open.length > 0) {
    const block = open.pop();
    if (!isObject(block)) continue;
    if (block.type === 'image') images += 1;
    else if (block.type === 'tool-result' && Array.isArray(block.content)) {
      for (const inner of block.content) open.push(inner);
    }
  }
  return images;
}
