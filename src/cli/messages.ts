/** User messages from a file or standard input: a JSON array, or one a line. Lines are read one after the other. */

import { isUtf8 } from 'node:buffer';
import { type HostMessage, messageFault } from '../store/prepare-messages.ts';
import { CliError } from './exit.ts';
import { byteChunks, MAX_INPUT_BYTES } from './input.ts';
import type { Task } from './perform.ts';

/** One message of the input. */
export interface IncomingMessage {
  /** What it is called in errors: `line 3`, `messages[2]`. */
  readonly name: string;
  /** Its text; in the bytes of its line where it came on a line of its own. */
  readonly json: string | Buffer;
  readonly message: HostMessage;
}

const LF = 10;
const OPENING_BRACKET = 0x5b;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const REMEDY = 'give a JSON array of user messages, or one message a line';

/**
 * Opens `path`, or standard input for `-`; its first character tells whether it is an array or has one message a line.
 * To be read once; the iteration throws CliError `DSH_REF_INPUT_FAILED` where the next one is none.
 */
export async function openMessages(task: Task, path: string): Promise<AsyncIterable<IncomingMessage>> {
  const chunks = byteChunks(task, path)[Symbol.asyncIterator]();
  const start = await readStart(chunks);
  const rest = { [Symbol.asyncIterator]: () => chunks };
  const isArray = start.find(isMeaningful) === OPENING_BRACKET;
  return isArray ? arrayMessages(start, rest) : lineMessages(start, rest);
}

/** The beginning up to the chunk that tells the form, without a byte order mark. */
async function readStart(chunks: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for (;;) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    parts.push(value);
    sizeBytes += value.length;
    assertSize(sizeBytes);
    if (value.some(isMeaningful)) break;
  }
  const start = Buffer.concat(parts, sizeBytes);
  const hasMark = BYTE_ORDER_MARK.every((byte, at) => start[at] === byte);
  return hasMark ? start.subarray(BYTE_ORDER_MARK.length) : start;
}

function isMeaningful(byte: number): boolean {
  return !isWhiteSpace(byte) && !BYTE_ORDER_MARK.includes(byte);
}

async function* arrayMessages(
  start: Buffer,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<IncomingMessage> {
  const parts: Uint8Array[] = [start];
  let sizeBytes = start.length;
  for await (const chunk of rest) {
    parts.push(chunk);
    sizeBytes += chunk.length;
    assertSize(sizeBytes);
  }
  const json = decode(Buffer.concat(parts, sizeBytes), 'the input', {});
  const values = parse(json, 'the input', {}) as unknown[];
  const { elementTexts } = await import('./json-elements.ts');
  const texts = elementTexts(json);
  for (const [index, value] of values.entries()) {
    const name = `messages[${index}]`;
    yield { name, json: texts[index]!, message: asMessage(value, name, { index }) };
  }
}

async function* lineMessages(
  start: Buffer,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<IncomingMessage> {
  let line = 0;
  for await (const bytes of splitLines(start, rest)) {
    line += 1;
    if (bytes.every(isWhiteSpace)) continue;
    const name = `line ${line}`;
    const value = parse(decode(bytes, name, { line }), name, { line });
    yield { name, json: bytes, message: asMessage(value, name, { line }) };
  }
}

/** Lines without their line feed; the last one need not have one. */
async function* splitLines(start: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let open: Uint8Array[] = [];
  let openBytes = 0;
  const chunks = (async function* () {
    yield start;
    yield* rest;
  })();
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      yield Buffer.concat([...open, chunk.subarray(from, end)]);
      open = [];
      openBytes = 0;
      from = end + 1;
    }
    open.push(chunk.subarray(from));
    openBytes += chunk.length - from;
    assertSize(openBytes);
  }
  if (openBytes > 0) yield Buffer.concat(open);
}

type Position = { readonly line?: number; readonly index?: number };

function decode(bytes: Buffer, name: string, at: Position): string {
  if (!isUtf8(bytes)) throw fault(`${name} is not valid UTF-8`, at);
  return bytes.toString('utf8');
}

function parse(json: string, name: string, at: Position): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw fault(`${name} is not JSON: ${why}`, at, cause);
  }
}

function asMessage(value: unknown, name: string, at: Position): HostMessage {
  const what = messageFault(value);
  if (what !== undefined) throw fault(`${name} is no message: ${what}`, at);
  return value as HostMessage;
}

function assertSize(sizeBytes: number): void {
  if (sizeBytes > MAX_INPUT_BYTES) {
    throw fault(`an array or a line of the input is larger than ${MAX_INPUT_BYTES} bytes`, {});
  }
}

function fault(message: string, details: Position, cause?: unknown): CliError {
  return new CliError('DSH_REF_INPUT_FAILED', message, { details, remedy: REMEDY, cause });
}

function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
