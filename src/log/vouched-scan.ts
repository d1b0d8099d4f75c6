/**
 * The quickest way through long rows, which are most of a log's bytes: tool results, request headers, streams.
 * Where a frame checksum vouches for the bytes, and the row is spelled as the harness's own writers spell it, its
 * front and its end prove what it is, and the middle is not looked at. Whatever is short or spelled otherwise
 * goes to `scanRow`, which looks at every byte, and from there to `decodeRow`.
 */
import { KNOWN_TYPES, READ_TYPES } from './event-types.ts';
import { skipValue, walkMembers } from './json-scan.ts';
import type { ScannedRow } from './row-scan.ts';

const QUOTE = 0x22;
const ZERO = 0x30;
const NINE = 0x39;
const COMMA = 0x2c;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;

const OPENING = Buffer.from('{"type":"');
const SEQ = Buffer.from(',"seq":');
const TIME = Buffer.from(',"time":');
const DATA = Buffer.from(',"data":{');
const TURN = Buffer.from('"turn":');
const STEP = Buffer.from(',"step":');
const MESSAGE = Buffer.from(',"message":{');
const CONTENT = Buffer.from('"content":[');
const SOURCES = Buffer.from('},"sourceEventSeqs":[');
const APPENDED = Buffer.from(',"surfaceOp":"append"}');

const KIND_OF_TYPE = new Map<string, ScannedRow['kind']>([
  ...[...KNOWN_TYPES]
    .filter((type) => !READ_TYPES.has(type))
    .map((type): [string, ScannedRow['kind']] => [type, 'log-only']),
  ['tool/result', 'tool/result'],
  ['assistant/message', 'assistant/message'],
]);

const row: ScannedRow = { kind: 'log-only', seq: -1, count: 1, messageStart: 0, messageEnd: 0, time: 0 };
/** Where the last number that `takeNumber` read ends. */
let cursor = 0;

/** Shorter rows are looked at in full: that costs little, and repaired or hand-made logs have their faults there. */
const LONG_ROW_BYTES = 1024;

/** As `scanRow`, for a line of a frame whose checksum is right. The result is valid until the next call. */
export function scanVouchedRow(
  buffer: Buffer,
  start: number,
  end: number,
  version: number,
): ScannedRow | undefined {
  if (end - start < LONG_ROW_BYTES || !isAt(buffer, start, OPENING) || buffer[end - 1] !== CLOSE_BRACE)
    return undefined;
  const typeStart = start + OPENING.length;
  const typeEnd = buffer.indexOf(QUOTE, typeStart);
  if (typeEnd < 0 || typeEnd - typeStart > 64) return undefined;
  const kind = KIND_OF_TYPE.get(buffer.toString('latin1', typeStart, typeEnd));
  if (kind === undefined) return undefined;
  row.seq = takeNumber(buffer, typeEnd + 1, SEQ);
  if (row.seq < 0) return undefined;
  row.time = takeNumber(buffer, cursor, TIME);
  if (row.time < 0 || !isAt(buffer, cursor, DATA)) return undefined;
  const dataStart = cursor + DATA.length;
  row.kind = kind;
  row.count = 1;
  switch (kind) {
    case 'log-only':
      // An event without a surface operation ends with its data.
      return buffer[end - 2] === CLOSE_BRACE ? row : undefined;
    case 'tool/result':
      return isToolResult(buffer, dataStart, end) ? row : undefined;
    case 'assistant/message':
      return isAssistantMessage(buffer, dataStart, end, version) ? row : undefined;
  }
}

function isAt(buffer: Buffer, at: number, word: Buffer): boolean {
  for (let i = 0; i < word.length; i += 1) if (buffer[at + i] !== word[i]) return false;
  return true;
}

/** The number of up to 15 digits behind `name`, or −1. Leaves `cursor` behind it. */
function takeNumber(buffer: Buffer, at: number, name: Buffer): number {
  if (!isAt(buffer, at, name)) return -1;
  const first = at + name.length;
  let i = first;
  let value = 0;
  for (let digit = buffer[i]! - ZERO; digit >= 0 && digit <= 9; digit = buffer[i]! - ZERO) {
    value = value * 10 + digit;
    i += 1;
  }
  cursor = i;
  const digits = i - first;
  return digits < 1 || digits > 15 || (digits > 1 && buffer[first] === ZERO) ? -1 : value;
}

/** Finds the message behind turn and step; gives the place of its first member, or −1. */
function messageMembers(buffer: Buffer, at: number): number {
  if (takeNumber(buffer, at, TURN) < 0 || takeNumber(buffer, cursor, STEP) < 0) return -1;
  return isAt(buffer, cursor, MESSAGE) ? cursor + MESSAGE.length : -1;
}

function isAppended(buffer: Buffer, end: number, before: number): boolean {
  const operation = end - APPENDED.length;
  return buffer[operation - 1] === before && isAt(buffer, operation, APPENDED);
}

const FARTHEST_CONTENT = 512;

function isToolResult(buffer: Buffer, at: number, end: number): boolean {
  const members = messageMembers(buffer, at);
  if (members < 0 || !isAppended(buffer, end, CLOSE_BRACE)) return false;
  // Members of the message that stand before its content are short; walk over them.
  let i = members;
  while (i < end && i - members < FARTHEST_CONTENT) {
    if (isAt(buffer, i, CONTENT)) return true;
    if (buffer[i] !== QUOTE) return false;
    const keyEnd = skipValue(buffer, i, end);
    if (keyEnd < 0) return false;
    const behind = skipValue(buffer, keyEnd + 1, end);
    if (behind < 0 || buffer[behind] !== COMMA) return false;
    i = behind + 1;
  }
  return false;
}

function isAssistantMessage(buffer: Buffer, at: number, end: number, version: number): boolean {
  const members = messageMembers(buffer, at);
  if (members < 0) return false;
  const operation = end - APPENDED.length;
  if (!isAppended(buffer, end, CLOSE_BRACE)) {
    // Up to v1 a message cites its chunks; the last of them must come before it.
    if (version > 1 || !isAppended(buffer, end, CLOSE_BRACKET)) return false;
    if (!citesInOrder(buffer, operation - 1)) return false;
  }
  row.messageStart = members - 1;
  contents = 0;
  row.messageEnd = walkMembers(buffer, row.messageStart, operation, (keyStart, keyEnd, value) => {
    if (keyEnd - keyStart === CONTENT.length - 4 && isAt(buffer, keyStart - 1, CONTENT)) contents += 1;
    else if (!isPlainOtherKey(buffer, keyStart, keyEnd)) return -1;
    return skipValue(buffer, value, operation);
  });
  return row.messageEnd > 0 && contents === 1;
}

/** How many content arrays the message has that is being walked. */
let contents = 0;

/** A key without escapes that is not `content`, which would have to be an array. */
function isPlainOtherKey(buffer: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if (buffer[i] === 0x5c) return false;
  return (
    end - start !== CONTENT.length - 4 || !isAt(buffer, start - 1, CONTENT.subarray(0, CONTENT.length - 2))
  );
}

/**
 * Read from its closing bracket `at` backwards: seqs that increase and stay below the row's own, in the member that
 * holds them.
 */
function citesInOrder(buffer: Buffer, at: number): boolean {
  let next = row.seq;
  let i = at;
  do {
    let value = 0;
    let weight = 1;
    for (i -= 1; buffer[i]! >= ZERO && buffer[i]! <= NINE; i -= 1) {
      value += (buffer[i]! - ZERO) * weight;
      weight *= 10;
    }
    if (weight === 1 || value >= next || (weight > 10 && buffer[i + 1] === ZERO)) return false;
    next = value;
  } while (buffer[i] === COMMA);
  return isAt(buffer, i - SOURCES.length + 1, SOURCES);
}
