/**
 * Messages as the format document has them (6.1 and 6.3). Nothing here makes a log unreadable for this program:
 * the harness is strict where a reader of text need not be.
 */
import { isCount, isObject } from '../log/header.ts';
import type { StoredEvent } from '../log/rows.ts';
import { checkBlocks, type Holder } from './block-checks.ts';
import { quoted, type Report } from './event-report.ts';
import { checkSource } from './source-checks.ts';

type Data = Record<string, unknown>;

const HOLDERS: ReadonlyMap<string, Holder> = new Map<string, Holder>([
  ['user/message', 'user'],
  ['steering/message', 'user'],
  ['assistant/message', 'assistant'],
  ['tool/result', 'tool'],
  ['system/message', 'system'],
  ['developer/message', 'developer'],
]);

interface Subject {
  readonly type: string;
  readonly holder: Holder;
  readonly version: number;
  readonly report: Report;
}

/** Checks a surface event whose message has an array of content. */
export function checkMessage(event: StoredEvent, version: number, report: Report): void {
  const { type } = event;
  const holder = HOLDERS.get(type);
  const data = event.data;
  if (holder === undefined || !isObject(data)) return;
  const subject: Subject = { type, holder, version, report };
  if (type !== 'user/message') checkPlace(data, subject);
  const message = type === 'user/message' ? data : data.message;
  if (isObject(message)) checkParts(message, data, subject);
  else checkFlat(data, subject);
}

/** The shapes from before the first release: sound in v0, where the harness repairs them. */
function checkFlat(data: Data, { type, holder, version, report }: Subject): void {
  if (version > 0) report('message-shape', `${type} has the flat shape of early v0`);
  if (Array.isArray(data.content)) checkBlocks(data.content, holder, { name: type, version }, report);
  if (type === 'tool/result') checkCallIds([data.callId], type, report);
}

function checkParts(message: Data, data: Data, subject: Subject): void {
  const { type, holder, version, report } = subject;
  const isEarly = version === 0 && holder === 'user';
  if (!(isEarly && !('id' in message)) && (typeof message.id !== 'string' || message.id === '')) {
    report('message-id', `the message of ${type} has ${quoted(message.id)} as its id`);
  }
  const isWrapped = type === 'tool/result' && isWrappedResult(message);
  const role = isWrapped || (type === 'tool/result' && version <= 3) ? 'user' : holder;
  if (!(isEarly && !('role' in message)) && message.role !== role) {
    report('message-role', `the message of ${type} has the role ${quoted(message.role)}, not "${role}"`);
  }
  checkSource(message.source, { type, version }, report);
  const content = message.content as readonly unknown[];
  checkBlocks(content, holder, { name: type, version }, report);
  if (type === 'assistant/message') checkAssistant(data, subject);
  if (type === 'tool/result') checkToolResult(message, data, isWrapped, subject);
  if (type === 'system/message') checkSystem(content, subject);
  if (type === 'developer/message') checkDeveloper(content, data, subject);
}

/** Turn and step beside the message. */
function checkPlace(data: Data, { type, report }: Subject): void {
  for (const key of type === 'steering/message' ? (['turn'] as const) : (['turn', 'step'] as const)) {
    if (!isCount(data[key])) report('message-shape', `${type} has ${quoted(data[key])} as its ${key}`);
  }
}

function checkAssistant(data: Data, { type, version, report }: Subject): void {
  if (version >= 2 && !Array.isArray(data.stream)) report('message-shape', `${type} has no array "stream"`);
  if (version <= 1 && 'stream' in data) {
    report('message-shape', `${type} has a "stream", which format v${version} does not have`);
  }
  if ('interrupted' in data && data.interrupted !== true) {
    report(
      'message-shape',
      `${type} has ${quoted(data.interrupted)} as "interrupted", which can only be true`,
    );
  }
}

function isWrappedResult({ content }: Data): boolean {
  if (!Array.isArray(content) || content.length !== 1) return false;
  const [block] = content as readonly unknown[];
  return isObject(block) && block.type === 'tool-result';
}

function checkToolResult(message: Data, data: Data, isWrapped: boolean, subject: Subject): void {
  const { type, version, report } = subject;
  if (isWrapped && version >= 4) report('message-shape', `${type} has the wrapped shape of v3 in a v4 log`);
  if (!isWrapped && version <= 3) {
    report('message-shape', `the message of ${type} does not have exactly one block "tool-result"`);
  }
  const [block] = message.content as readonly Data[];
  const callId = isObject(message.source) ? message.source.callId : undefined;
  const toolCallId = isWrapped ? block!.toolCallId : message.toolCallId;
  checkCallIds(isWrapped || version >= 4 ? [callId, toolCallId] : [callId], type, report);
  if (isWrapped && Array.isArray(block!.content)) {
    checkBlocks(block!.content, 'tool', { name: type, version }, report);
  }
  const isError = isWrapped ? block!.isError : message.isError;
  if (version >= 4 && isObject(data.error) && isError !== true) {
    report('message-shape', `${type} has an error, but is not marked as one`);
  }
}

function checkCallIds(ids: readonly unknown[], type: string, report: Report): void {
  const [first] = ids;
  const odd = ids.find((id) => typeof id !== 'string' || id === '');
  if (ids.some((id) => typeof id !== 'string' || id === '')) {
    report('call-id', `${type} has ${quoted(odd)} as the id of its call`);
  } else if (ids.some((id) => id !== first)) {
    report('call-id', `${type} names two calls, ${quoted(ids[0])} and ${quoted(ids[1])}`);
  }
}

function checkSystem(content: readonly unknown[], { type, report }: Subject): void {
  const [block] = content;
  const isSound = content.length === 0 || (content.length === 1 && isObject(block) && block.type === 'text');
  if (!isSound) report('message-shape', `the content of ${type} is neither empty nor one text block`);
}

function checkDeveloper(content: readonly unknown[], data: Data, { type, report }: Subject): void {
  const hasAddition = content.some((block) => isObject(block) && block.type === 'tool-addition');
  if (hasAddition !== 'headerSeq' in data) {
    report(
      'message-shape',
      `${type} has ${hasAddition ? 'a tool-addition without' : 'without a tool-addition'} a "headerSeq"`,
    );
  }
}
