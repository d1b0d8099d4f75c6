/** The data of a packed chunk row, proven from its tape (format document, 4.4): exact keys, counted members, whole gaps. */
import { CLOSE_BRACKET, MINUS, NINE, OPEN_BRACKET, QUOTE, ZERO } from './ascii.ts';
import { KIND, keyWord, TAPE, TAPE_NUMBERS, type Tape } from './json-tape.ts';

const KEYS = ['turn', 'step', 'index', 'dt', 'texts', 'args', 'id', 'name'] as const;
const KEY_WORDS = KEYS.map(keyWord);
const TEXT_MEMBERS = 0b0001_1111;
const TOOL_CALL_MEMBERS = 0b0110_1111;
const NAME = 0b1000_0000;
/** With gaps of at most nine digits, no time of so few members can leave the safe integers. */
const MAX_MEMBERS = 1_000_000;

/**
 * How many events the row stands for, whose data is the value of entry `data`; undefined where the proof does not come
 * out.
 */
export function scanPackedData(
  buffer: Uint8Array,
  { numbers, base }: Tape,
  data: number,
  isToolCall: boolean,
): number | undefined {
  let members = 0;
  let gaps = 0;
  let texts = 0;
  const end = numbers[data * TAPE_NUMBERS + TAPE.next]!;
  let entry = data + 1;
  while (entry < end) {
    const from = entry * TAPE_NUMBERS;
    const key = keyNumber(buffer, numbers, from, base);
    if (key < 0 || (members & (1 << key)) !== 0) return undefined;
    members |= 1 << key;
    const at = numbers[from + TAPE.valueAt]! - base;
    const kind = numbers[from + TAPE.kind]!;
    switch (KEYS[key]) {
      case 'dt':
        if (kind === KIND.numbers || kind === KIND.increasing) gaps = numbers[from + TAPE.count]!;
        else if (buffer[at] !== OPEN_BRACKET || buffer[at + 1] !== CLOSE_BRACKET) return undefined;
        break;
      case 'texts':
      case 'args':
        if (kind !== KIND.strings) return undefined;
        texts = numbers[from + TAPE.count]!;
        break;
      case 'id':
      case 'name':
        if (buffer[at] !== QUOTE) return undefined;
        break;
      default:
        if (!isGap(buffer, at, numbers[from + TAPE.valueEnd]! - base)) return undefined;
    }
    entry = numbers[from + TAPE.next]!;
  }
  const expected = isToolCall ? TOOL_CALL_MEMBERS | (members & NAME) : TEXT_MEMBERS;
  const isSound = members === expected && texts > 0 && texts <= MAX_MEMBERS && gaps === texts - 1;
  return isSound ? texts : undefined;
}

function keyNumber(buffer: Uint8Array, numbers: Int32Array, from: number, base: number): number {
  const word = numbers[from + TAPE.keyWord]!;
  const bytes = numbers[from + TAPE.keyBytes]!;
  for (let key = 0; key < KEYS.length; key += 1) {
    const name = KEYS[key]!;
    if (KEY_WORDS[key] !== word || name.length !== bytes) continue;
    // None is longer than five letters.
    if (bytes <= 4 || buffer[numbers[from + TAPE.keyAt]! - base + 4] === name.charCodeAt(4)) return key;
  }
  return -1;
}

/** A small whole number; larger ones, and anything spelled unusually, are for the slow way. */
function isGap(buffer: Uint8Array, start: number, end: number): boolean {
  const first = buffer[start] === MINUS ? start + 1 : start;
  const digits = end - first;
  if (digits < 1 || digits > 9 || (buffer[first] === ZERO && digits > 1)) return false;
  for (let i = first; i < end; i += 1) if (buffer[i]! < ZERO || buffer[i]! > NINE) return false;
  return true;
}
