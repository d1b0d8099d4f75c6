/** A conversation as Markdown for people: what it is, what it leaves out, and its messages with nothing cut. */

import type { LeftOut, Transcript } from '../../store.ts';
import type { Io } from '../io.ts';
import type { Palette } from './colour.ts';
import { onOneLine, printable, printableLines } from './printable.ts';
import { relativeTime } from './time.ts';

/** The whole text; on a terminal everything that comes from the log is cleaned. */
export function conversationMarkdown(transcript: Transcript, io: Io, palette: Palette): string {
  const isTerminal = io.stdout.isTTY === true;
  const line = isTerminal ? printable : onOneLine;
  const text = isTerminal ? printableLines : (given: string) => given;
  const { items } = transcript;
  const name = transcript.subagentLabel ?? transcript.title ?? transcript.session.id;
  const head = [
    `${palette.heading(`# ${line(name)}`)}\n\n`,
    ...facts(transcript, io).map(([fact, value]) => `- ${palette.faint(`${fact}:`)} ${line(value)}\n`),
  ];
  const messages = items.map(({ role, text: said, checkpoint, seq }) => {
    const mark = checkpoint ? `User ${CHECKPOINT_MARK}` : role === 'user' ? 'User' : 'Assistant';
    const style = checkpoint ? palette.here : palette.heading;
    const end = said.endsWith('\n') ? '' : '\n';
    return `\n${style(`## ${mark}`)} ${palette.faint(`(seq ${seq})`)}\n\n${text(said)}${end}`;
  });
  return head.join('') + messages.join('');
}

const CHECKPOINT_MARK = '· checkpoint, the summary of a compaction';

function facts(transcript: Transcript, io: Io): [fact: string, value: string][] {
  const { session, capturedThroughSeq, lastMessageAt, items, leftOut } = transcript;
  const through = capturedThroughSeq === null ? 'no events' : `events 0 to ${capturedThroughSeq}`;
  const checkpoints = items.filter(({ checkpoint }) => checkpoint).length;
  const marked =
    checkpoints === 0 ? '' : `, ${checkpoints} of them ${plural(checkpoints, 'a checkpoint', 'checkpoints')}`;
  return [
    ['Session', session.id],
    ['Directory', session.cwd ?? 'none recorded'],
    ...(session.parentSession === undefined ? [] : [parentFact(session.origin, session.parentSession)]),
    ['Created', timeFor(session.createdAt, io)],
    ...(lastMessageAt === undefined
      ? []
      : [['Last message', timeFor(lastMessageAt, io)] as [string, string]]),
    ['Log', `format v${session.version}, ${through}`],
    ['Messages', `${items.length}${marked}`],
    ['Left out', describeLeftOut(leftOut)],
  ];
}

function parentFact(origin: string | undefined, parent: string): [string, string] {
  return [origin === 'subagent' ? 'Subagent of' : 'Forked from', parent];
}

/** Local and relative on a terminal, UTC elsewhere. */
function timeFor(epochMs: number, io: Io): string {
  const date = new Date(epochMs);
  if (Number.isNaN(date.getTime())) return String(epochMs);
  if (io.stdout.isTTY !== true) return date.toISOString();
  const [month, day, hours, minutes] = [
    date.getMonth() + 1,
    date.getDate(),
    date.getHours(),
    date.getMinutes(),
  ].map((part) => String(part).padStart(2, '0'));
  const local = `${date.getFullYear()}-${month}-${day} ${hours}:${minutes}`;
  const relative = relativeTime(epochMs, io.now());
  return local.startsWith(relative) ? local : `${local} (${relative})`;
}

/** What a citation leaves out, in words; also a notice beside the JSON form. */
export function describeLeftOut(leftOut: LeftOut): string {
  const { injected, toolResults, toolCalls, reasoning, attachments, otherBlocks } = leftOut;
  const kinds = Object.entries(injected);
  const injectedCount = kinds.reduce((sum, [, count]) => sum + count, 0);
  const byKind = kinds.map(([kind, count]) => `${count} ${kind}`).join(', ');
  const parts = [
    counted(toolResults, 'tool result'),
    counted(toolCalls, 'tool call'),
    counted(reasoning, 'reasoning block'),
    injectedCount === 0 ? '' : `${counted(injectedCount, 'injected message')} (${byKind})`,
    counted(leftOut.instructions, 'system or developer message'),
    counted(attachments, 'image or file', 'images and files'),
    counted(otherBlocks, 'other block'),
    counted(leftOut.withoutText, 'message without text', 'messages without text'),
    counted(leftOut.shadowed, 'shadowed event'),
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

function counted(count: number, one: string, many = `${one}s`): string {
  return count === 0 ? '' : `${count} ${plural(count, one, many)}`;
}

function plural(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
