/** The data of a packed chunk row, proven in bytes (format document, 4.4): exact keys, counted members, whole gaps. */
import { ENDS_RUN, skipEscape, skipString, walkMembers } from './json-scan.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const KEYS = ['turn', 'step', 'index', 'dt', 'texts', 'args', 'id', 'name'] as const;
const TEXT_MEMBERS = 0b0001_1111;
const TOOL_CALL_MEMBERS = 0b0110_1111;
const NAME = 0b1000_0000;
/** With gaps of at most nine digits, no time of so few members can leave the safe integers. */
const MAX_MEMBERS = 1_000_000;

/** How many events the row stands for, and the place behind its data. Valid until the next call. */
export interface PackedData {
  count: number;
  behind: number;
}

const found: PackedData = { count: 0, behind: 0 };
let members = 0;
let gaps = 0;
let texts = 0;
let bytes: Buffer;
let limit = 0;

/** Undefined where the proof does not come out. */
export function scanPackedData(
  buffer: Buffer,
  at: number,
  end: number,
  isToolCall: boolean,
): PackedData | undefined {
  members = 0;
  gaps = 0;
  texts = 0;
  bytes = buffer;
  limit = end;
  const behind = walkMembers(buffer, at, end, onMember);
  const expected = isToolCall ? TOOL_CALL_MEMBERS | (members & NAME) : TEXT_MEMBERS;
  if (behind < 0 || members !== expected || texts === 0 || texts > MAX_MEMBERS || gaps !== texts - 1)
    return undefined;
  found.count = texts;
  found.behind = behind;
  return found;
}

function onMember(keyStart: number, keyEnd: number, at: number): number {
  const key = keyNumber(keyStart, keyEnd);
  if (key < 0 || (members & (1 << key)) !== 0) return -1;
  members |= 1 << key;
  switch (KEYS[key]) {
    case 'dt':
      return scanGaps(at);
    case 'texts':
    case 'args':
      return scanTexts(at);
    case 'id':
    case 'name':
      return skipString(bytes, at, limit);
    default:
      return scanGap(at);
  }
}

function keyNumber(start: number, end: number): number {
  for (let key = 0; key < KEYS.length; key += 1) {
    const name = KEYS[key]!;
    if (name.length !== end - start) continue;
    let i = 0;
    while (i < name.length && bytes[start + i] === name.charCodeAt(i)) i += 1;
    if (i === name.length) return key;
  }
  return -1;
}

/** A small whole number; larger ones, and anything spelled unusually, are for the slow way. */
function scanGap(at: number): number {
  const first = bytes[at] === MINUS ? at + 1 : at;
  let i = first;
  while (i < limit && bytes[i]! >= ZERO && bytes[i]! <= NINE) i += 1;
  const digits = i - first;
  if (digits < 1 || digits > 9 || (bytes[first] === ZERO && digits > 1)) return -1;
  return i;
}

function scanGaps(at: number): number {
  if (bytes[at] !== OPEN_BRACKET) return -1;
  let i = at + 1;
  if (bytes[i] === CLOSE_BRACKET) return i + 1;
  for (;;) {
    i = scanGap(i);
    if (i < 0 || i >= limit) return -1;
    gaps += 1;
    const byte = bytes[i];
    i += 1;
    if (byte === CLOSE_BRACKET) return i;
    if (byte !== COMMA) return -1;
  }
}

/**
 * Strings of a few letters each, and most of a log's bytes: one flat loop. It may look behind the line, where
 * nothing can make the row end at the right place.
 */
function scanTexts(at: number): number {
  if (bytes[at] !== OPEN_BRACKET || bytes[at + 1] !== QUOTE) return -1;
  let i = at + 2;
  for (;;) {
    const byte = bytes[i]!;
    if (ENDS_RUN[byte] === 0) {
      i += 1;
    } else if (byte === QUOTE) {
      texts += 1;
      if (bytes[i + 1] === COMMA && bytes[i + 2] === QUOTE) i += 3;
      else return bytes[i + 1] === CLOSE_BRACKET ? i + 2 : -1;
    } else {
      i = byte === BACKSLASH ? skipEscape(bytes, i) : -1;
      if (i < 0) return -1;
    }
  }
}
