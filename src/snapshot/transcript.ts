/** The full text of a projection as a file, and the way back (spill document, section 8). */

import { FragmentWriter } from './fragment-writer.ts';
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

/** The transcript of all projected items: lines end with one line feed, no fragment exceeds 386 code units. */
export function renderTranscript(
  metadata: TranscriptMetadata,
  items: readonly Pick<ConversationItem, 'role' | 'text'>[],
): string {
  let text = '';
  // No part ends within a code point.
  for (const part of transcriptParts(metadata, items)) text += Buffer.from(part).toString();
  return text;
}

/**
 * The same text in UTF-8 and in parts, so that a long one need not be in memory as a whole. A part is valid until the
 * part after the next is asked for.
 */
export function* transcriptParts(
  metadata: TranscriptMetadata,
  items: readonly Pick<ConversationItem, 'role' | 'text'>[],
): Generator<Uint8Array> {
  const { sessionId, label, cwd, capturedThroughSeq, capturedFormatVersion } = metadata;
  const captured = JSON.stringify(
    { sessionId, label, cwd, capturedThroughSeq, capturedFormatVersion },
    null,
    2,
  );
  const opening = [HEADING, '', TRANSCRIPT_INTRODUCTION, SNAPSHOT_WARNING, '', captured, ''];
  yield Buffer.from(`${[...opening, FRAGMENTS_EXPLAINED, FRAGMENTS_JOINED].join('\n')}\n`);
  const writer = new FragmentWriter();
  for (const [at, { role, text }] of items.entries()) {
    if (writer.isFull) yield writer.take();
    writer.add(`\n### Message ${at + 1}: ${role}\n\n`);
    for (let done = 0; done < text.length; done = writer.addFragments(text, done)) {
      if (writer.isFull) yield writer.take();
    }
  }
  yield writer.take();
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
