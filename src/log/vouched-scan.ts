/**
 * The quickest way through a row: for bytes that a frame checksum vouches for, in the spelling of the harness's
 * own writers. Who wrote such a frame wrote whole rows, so the front and the end of a line prove what it is; the
 * middle is not looked at. Whatever is spelled otherwise goes to `scanRow`, and from there to `decodeRow`.
 */
import { KNOWN_TYPES, READ_TYPES } from './event-types.ts';
import { skipValue } from './json-scan.ts';
import type { ScannedRow } from './row-scan.ts';

const QUOTE = 0x22;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;

const OPENING = Buffer.from('{"type":"');
const SEQ = Buffer.from(',"seq":');
const SEQ0 = Buffer.from(',"seq0":');
const TIME = Buffer.from(',"time":');
const TIME0 = Buffer.from(',"time0":');
const DATA = Buffer.from(',"data":{');
const TURN = Buffer.from('"turn":');
const STEP = Buffer.from(',"step":');
const INDEX = Buffer.from(',"index":');
const GAPS = Buffer.from(',"dt":[');
const TEXTS = Buffer.from('],"texts":["');
const TEXTS_END = Buffer.from('"]}}');
const MESSAGE = Buffer.from(',"message":{');
const CONTENT = Buffer.from('"content":[');
const APPENDED = Buffer.from(',"surfaceOp":"append"}');

type Kind = 'packed' | ScannedRow['kind'];

const KIND_OF_TYPE = new Map<string, Kind>([
  ...[...KNOWN_TYPES]
    .filter((type) => !READ_TYPES.has(type))
    .map((type): [string, Kind] => [type, 'log-only']),
  ['text-chunks', 'packed'],
  ['reasoning-chunks', 'packed'],
  ['tool/result', 'tool/result'],
  ['assistant/message', 'assistant/message'],
]);

const row: ScannedRow = { kind: 'log-only', seq: -1, count: 1, messageStart: 0, messageEnd: 0, time: 0 };
/** Where the last number that `takeNumber` read ends. */
let cursor = 0;

/** As `scanRow`, for a line of a frame whose checksum is right. The result is valid until the next call. */
export function scanVouchedRow(
  buffer: Buffer,
  start: number,
  end: number,
  version: number,
): ScannedRow | undefined {
  if (!isAt(buffer, start, OPENING) || buffer[end - 1] !== CLOSE_BRACE) return undefined;
  const typeStart = start + OPENING.length;
  const typeEnd = buffer.indexOf(QUOTE, typeStart);
  if (typeEnd < 0 || typeEnd - typeStart > 64) return undefined;
  const kind = KIND_OF_TYPE.get(buffer.toString('latin1', typeStart, typeEnd));
  if (kind === undefined) return undefined;
  const isPacked = kind === 'packed';
  row.seq = takeNumber(buffer, typeEnd + 1, isPacked ? SEQ0 : SEQ);
  if (row.seq < 0) return undefined;
  row.time = takeNumber(buffer, cursor, isPacked ? TIME0 : TIME);
  if (row.time < 0 || !isAt(buffer, cursor, DATA)) return undefined;
  const dataStart = cursor + DATA.length;
  row.kind = isPacked ? 'log-only' : kind;
  row.count = 1;
  switch (kind) {
    case 'log-only':
      // An event without a surface operation ends with its data.
      return buffer[end - 2] === CLOSE_BRACE ? row : undefined;
    case 'packed':
      return version <= 1 && isPackedData(buffer, dataStart, end) ? row : undefined;
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

/** Counts the members by their gaps, of which there is one less. */
function isPackedData(buffer: Buffer, at: number, end: number): boolean {
  if (takeNumber(buffer, at, TURN) < 0 || takeNumber(buffer, cursor, STEP) < 0) return false;
  if (takeNumber(buffer, cursor, INDEX) < 0 || !isAt(buffer, cursor, GAPS)) return false;
  let i = cursor + GAPS.length;
  let gaps = buffer[i] === CLOSE_BRACKET ? 0 : 1;
  for (let byte = buffer[i]!; byte !== CLOSE_BRACKET; byte = buffer[i]!) {
    if (byte === COMMA) gaps += 1;
    else if (byte !== MINUS && (byte < ZERO || byte > NINE)) return false;
    i += 1;
  }
  row.count = gaps + 1;
  return isAt(buffer, i, TEXTS) && isAt(buffer, end - TEXTS_END.length, TEXTS_END);
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
    if (lastCited(buffer, operation - 1) >= row.seq) return false;
  }
  row.messageStart = members - 1;
  row.messageEnd = skipValue(buffer, row.messageStart, operation);
  return row.messageEnd > 0;
}

/** The number that ends at the closing bracket `at`; Infinity where none does. */
function lastCited(buffer: Buffer, at: number): number {
  let value = 0;
  let weight = 1;
  let i = at - 1;
  for (; buffer[i]! >= ZERO && buffer[i]! <= NINE; i -= 1) {
    value += (buffer[i]! - ZERO) * weight;
    weight *= 10;
  }
  const isNumber = weight > 1 && (buffer[i] === COMMA || buffer[i] === OPEN_BRACKET);
  return isNumber ? value : Number.POSITIVE_INFINITY;
}
