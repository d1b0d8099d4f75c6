/** The full text of a projection as a file, and the way back (spill document, section 8). */

import type { ConversationItem, SnapshotFields } from './retention.ts';
import {
  FRAGMENTS_EXPLAINED,
  FRAGMENTS_JOINED,
  SNAPSHOT_WARNING,
  TRANSCRIPT_INTRODUCTION,
} from './wording.ts';

/** What the transcript says about its session; `capturedFormatVersion` is the version of the file's header. */
export interface TranscriptMetadata extends SnapshotFields {
  readonly capturedFormatVersion: number;
}

/** One message of a transcript, with its exact text. */
export interface TranscriptMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** A transcript read back. */
export interface Transcript {
  readonly metadata: TranscriptMetadata;
  readonly messages: readonly TranscriptMessage[];
}

const HEADING = '## Referenced session — full projected snapshot';
const METADATA_LINE = 5;
const FRAGMENT_CODE_POINTS = 64;

/** The transcript of all projected items: lines end with one line feed, no fragment exceeds 386 code units. */
export function renderTranscript(
  metadata: TranscriptMetadata,
  items: readonly Pick<ConversationItem, 'role' | 'text'>[],
): string {
  return [...transcriptParts(metadata, items)].join('');
}

/** The same text in parts, one for each message, so that a long one need not be in memory as a whole. */
export function* transcriptParts(
  metadata: TranscriptMetadata,
  items: readonly Pick<ConversationItem, 'role' | 'text'>[],
): Generator<string> {
  const { sessionId, label, cwd, capturedThroughSeq, capturedFormatVersion } = metadata;
  const captured = JSON.stringify(
    { sessionId, label, cwd, capturedThroughSeq, capturedFormatVersion },
    null,
    2,
  );
  const opening = [HEADING, '', TRANSCRIPT_INTRODUCTION, SNAPSHOT_WARNING, '', captured, ''];
  yield `${[...opening, FRAGMENTS_EXPLAINED, FRAGMENTS_JOINED].join('\n')}\n`;
  let number = 0;
  for (const { role, text } of items) {
    number += 1;
    let part = `\n### Message ${number}: ${role}\n\n`;
    for (const fragment of fragments(text)) part += `${JSON.stringify(fragment)}\n`;
    yield part;
  }
}

/** The inverse of `renderTranscript`; any sentences pass where it puts its own. `undefined` for any other text. */
export function parseTranscript(text: string): Transcript | undefined {
  const lines = text.split('\n');
  if (lines[0] !== HEADING || lines.pop() !== '') return undefined;
  const metadataEnd = lines.indexOf('', METADATA_LINE);
  if (metadataEnd === -1) return undefined;
  const metadata = parseJson(lines.slice(METADATA_LINE, metadataEnd).join('\n'));
  if (!isMetadata(metadata)) return undefined;
  const messages = parseMessages(lines, metadataEnd + 3);
  return messages && { metadata, messages };
}

/** Pieces of 64 code points; a surrogate pair is never split, a lone surrogate is a code point. */
function* fragments(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = start;
    for (let count = 0; count < FRAGMENT_CODE_POINTS && end < text.length; count++) {
      end += text.codePointAt(end)! > 0xffff ? 2 : 1;
    }
    yield text.slice(start, end);
    start = end;
  }
}

function parseMessages(lines: readonly string[], from: number): TranscriptMessage[] | undefined {
  const messages: TranscriptMessage[] = [];
  let at = from;
  while (at < lines.length) {
    const role = messageRole(lines[at + 1], messages.length + 1);
    if (role === undefined || lines[at] !== '' || lines[at + 2] !== '') return undefined;
    at += 3;
    let text = '';
    for (; at < lines.length && lines[at] !== ''; at++) {
      const fragment = parseJson(lines[at]!);
      if (typeof fragment !== 'string') return undefined;
      text += fragment;
    }
    messages.push({ role, text });
  }
  return messages;
}

function messageRole(line: string | undefined, number: number): 'user' | 'assistant' | undefined {
  if (line === `### Message ${number}: user`) return 'user';
  return line === `### Message ${number}: assistant` ? 'assistant' : undefined;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Not a transcript; the caller says so by returning nothing.
    return undefined;
  }
}

function isMetadata(value: unknown): value is TranscriptMetadata {
  if (typeof value !== 'object' || value === null) return false;
  const { sessionId, label, cwd, capturedThroughSeq, capturedFormatVersion } = value as Record<
    string,
    unknown
  >;
  return (
    typeof sessionId === 'string' &&
    typeof label === 'string' &&
    (cwd === null || typeof cwd === 'string') &&
    (capturedThroughSeq === null || Number.isSafeInteger(capturedThroughSeq)) &&
    Number.isSafeInteger(capturedFormatVersion)
  );
}
