/** The data of a packed chunk row, proven in bytes (format document, 4.4): exact keys, counted members, whole gaps. */
import { CLOSE_BRACKET, MINUS, NINE, OPEN_BRACKET, ZERO } from './ascii.ts';
import type { JsonRuns } from './json-runs.ts';
import { skipString, walkMembers } from './json-scan.ts';

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
let quickRuns: JsonRuns;

/** Undefined where the proof does not come out. */
export function scanPackedData(
  buffer: Buffer,
  at: number,
  end: number,
  isToolCall: boolean,
  runs: JsonRuns,
): PackedData | undefined {
  members = 0;
  gaps = 0;
  texts = 0;
  bytes = buffer;
  limit = end;
  quickRuns = runs;
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
  if (bytes[at + 1] === CLOSE_BRACKET) return at + 2;
  const behind = quickRuns.numbers(bytes, at + 1, limit, false);
  gaps = quickRuns.count();
  return behind;
}

function scanTexts(at: number): number {
  if (bytes[at] !== OPEN_BRACKET) return -1;
  const behind = quickRuns.strings(bytes, at + 1, limit, true);
  texts = quickRuns.count();
  return behind >= 0 && bytes[behind] === CLOSE_BRACKET ? behind + 1 : -1;
}
