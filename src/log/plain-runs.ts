/** `JsonRuns` for bytes anywhere, byte by byte: the slow and obvious twin of `json-runs.wat`. */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  ZERO,
} from './ascii.ts';
import type { JsonRuns } from './json-runs.ts';
import { beginsNumber, skipKey, skipNumber, skipSpace, skipString, skipWord } from './json-scan.ts';
import { KIND, TAPE, TAPE_ENTRIES, TAPE_LEVELS, TAPE_NUMBERS, type Tape } from './json-tape.ts';

const MAX_DIGITS = 8;
/** Deeper values than this are left to `JSON.parse`. */
const MAX_DEPTH = 64;

/** Which of the open values are objects, by depth. */
const isObjectAt = new Uint8Array(MAX_DEPTH);

class PlainRuns implements JsonRuns {
  #count = 0;
  #last = -1;
  readonly #tape: Tape = { numbers: new Int32Array(0), entries: 0, base: 0 };

  tape(buffer: Uint8Array, start: number, end: number): Tape | undefined {
    const tape = this.#tape;
    if (tape.numbers.length === 0) tape.numbers = new Int32Array(TAPE_ENTRIES * TAPE_NUMBERS);
    tape.entries = 0;
    const at = skipSpace(buffer, start, end);
    if (at >= end || buffer[at] !== OPEN_BRACE) return undefined;
    const behind = this.#object(buffer, at, end, 1);
    return behind >= 0 && skipSpace(buffer, behind, end) === end ? tape : undefined;
  }

  /** Where a new entry is on the tape, or −1 where there is no room. */
  #entry(keyBytes: number): number {
    const { numbers, entries } = this.#tape;
    if (entries === TAPE_ENTRIES) return -1;
    this.#tape.entries += 1;
    const entry = entries * TAPE_NUMBERS;
    numbers[entry + TAPE.keyBytes] = keyBytes;
    numbers[entry + TAPE.kind] = KIND.other;
    return entry;
  }

  #object(buffer: Uint8Array, at: number, end: number, level: number): number {
    const { numbers } = this.#tape;
    let i = skipSpace(buffer, at + 1, end);
    if (i < end && buffer[i] === CLOSE_BRACE) return i + 1;
    for (;;) {
      const behind = skipString(buffer, i, end);
      if (behind < 0) return -1;
      i += 1;
      const keyBytes = behind - i - 1;
      const entry = this.#entry(keyBytes);
      if (entry < 0) return -1;
      let word = 0;
      for (let byte = 0; byte < Math.min(4, keyBytes); byte += 1) word |= buffer[i + byte]! << (8 * byte);
      numbers[entry + TAPE.keyWord] = word;
      numbers[entry + TAPE.keyAt] = i;
      if (hasBackslash(buffer, i, behind)) numbers[entry + TAPE.kind] = KIND.escapedKey;
      i = skipSpace(buffer, behind, end);
      if (i >= end || buffer[i] !== COLON) return -1;
      i = skipSpace(buffer, i + 1, end);
      numbers[entry + TAPE.valueAt] = i;
      i = this.#recorded(buffer, i, end, level, entry);
      if (i < 0) return -1;
      numbers[entry + TAPE.valueEnd] = i;
      numbers[entry + TAPE.next] = this.#tape.entries;
      i = skipSpace(buffer, i, end);
      if (i >= end) return -1;
      if (buffer[i] === CLOSE_BRACE) return i + 1;
      if (buffer[i] !== COMMA) return -1;
      i = skipSpace(buffer, i + 1, end);
    }
  }

  #recorded(buffer: Uint8Array, at: number, end: number, level: number, entry: number): number {
    if (at >= end) return -1;
    if (buffer[at] === OPEN_BRACKET) return this.#array(buffer, at, end, level, entry);
    if (buffer[at] !== OPEN_BRACE) return this.#scalar(buffer, at, end, false);
    return level === TAPE_LEVELS ? this.value(buffer, at, end) : this.#object(buffer, at, end, level + 1);
  }

  #array(buffer: Uint8Array, at: number, end: number, level: number, entry: number): number {
    const first = at + 1;
    if (first >= end) return -1;
    if (buffer[first] === QUOTE) {
      const behind = this.strings(buffer, first, end, true);
      if (behind >= 0 && behind < end && buffer[behind] === CLOSE_BRACKET) {
        this.#list(entry, KIND.strings);
        return behind + 1;
      }
    } else if (beginsNumber(buffer[first])) {
      for (const kind of [KIND.increasing, KIND.numbers]) {
        const behind = this.numbers(buffer, first, end, kind === KIND.increasing);
        if (behind < 0) continue;
        this.#list(entry, kind);
        return behind;
      }
    }
    return level === TAPE_LEVELS ? this.value(buffer, at, end) : this.#elements(buffer, at, end, level);
  }

  #list(entry: number, kind: number): void {
    const { numbers } = this.#tape;
    numbers[entry + TAPE.kind]! |= kind;
    numbers[entry + TAPE.count] = this.#count;
    numbers[entry + TAPE.last] = this.#last;
  }

  #elements(buffer: Uint8Array, at: number, end: number, level: number): number {
    const { numbers } = this.#tape;
    let i = skipSpace(buffer, at + 1, end);
    if (i < end && buffer[i] === CLOSE_BRACKET) return i + 1;
    for (;;) {
      if (i >= end) return -1;
      if (buffer[i] === OPEN_BRACE) {
        const entry = this.#entry(-1);
        if (entry < 0) return -1;
        numbers[entry + TAPE.valueAt] = i;
        i = this.#object(buffer, i, end, level + 1);
        numbers[entry + TAPE.valueEnd] = i;
        numbers[entry + TAPE.next] = this.#tape.entries;
      } else i = this.value(buffer, i, end);
      if (i < 0) return -1;
      i = skipSpace(buffer, i, end);
      if (i >= end) return -1;
      if (buffer[i] === CLOSE_BRACKET) return i + 1;
      if (buffer[i] !== COMMA) return -1;
      i = skipSpace(buffer, i + 1, end);
    }
  }

  value(buffer: Uint8Array, at: number, end: number): number {
    let depth = 0;
    let i = at;
    for (;;) {
      // A value begins at i.
      const byte = i < end ? buffer[i] : 0;
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (depth === MAX_DEPTH) return -1;
        const isObject = byte === OPEN_BRACE;
        isObjectAt[depth] = isObject ? 1 : 0;
        depth += 1;
        i = skipSpace(buffer, i + 1, end);
        const numbersEnd = isObject || !beginsNumber(buffer[i]) ? -1 : this.numbers(buffer, i, end, false);
        if (numbersEnd >= 0) {
          i = numbersEnd;
        } else if (buffer[i] === (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
          i += 1;
        } else {
          if (isObject) i = skipKey(buffer, i, end);
          if (i < 0) return -1;
          continue;
        }
        depth -= 1;
      } else {
        i = this.#scalar(buffer, i, end, depth > 0 && isObjectAt[depth - 1] === 0);
        if (i < 0) return -1;
      }
      // A value has ended at i: so may the ones around it.
      for (;;) {
        if (depth === 0) return i <= end ? i : -1;
        i = skipSpace(buffer, i, end);
        if (i >= end) return -1;
        const isObject = isObjectAt[depth - 1] === 1;
        if (buffer[i] === COMMA) {
          i = skipSpace(buffer, i + 1, end);
          if (isObject) i = skipKey(buffer, i, end);
          if (i < 0) return -1;
          break;
        }
        if (buffer[i] !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) return -1;
        i += 1;
        depth -= 1;
      }
    }
  }

  #scalar(buffer: Uint8Array, at: number, end: number, isInArray: boolean): number {
    switch (buffer[at]) {
      case QUOTE:
        return this.strings(buffer, at, end, isInArray);
      case 0x74:
        return skipWord(buffer, at, end, 'true');
      case 0x66:
        return skipWord(buffer, at, end, 'false');
      case 0x6e:
        return skipWord(buffer, at, end, 'null');
      default:
        return skipNumber(buffer, at, end);
    }
  }

  strings(buffer: Uint8Array, at: number, end: number, isList: boolean): number {
    let count = 0;
    let i = skipString(buffer, at, end);
    while (i >= 0) {
      count += 1;
      if (!isList || buffer[i] !== COMMA || buffer[i + 1] !== QUOTE) {
        this.#count = count;
        return i;
      }
      i = skipString(buffer, i + 1, end);
    }
    return -1;
  }

  numbers(buffer: Uint8Array, at: number, end: number, isIncreasing: boolean): number {
    let count = 0;
    let last = -1;
    let i = at;
    while (i < end) {
      const isNegative = buffer[i] === MINUS;
      if (isNegative) i += 1;
      const first = i;
      let number = 0;
      for (let digit = buffer[i]! - ZERO; digit >= 0 && digit <= 9; digit = buffer[i]! - ZERO) {
        number = number * 10 + digit;
        i += 1;
      }
      const digits = i - first;
      if (digits < 1 || digits > MAX_DIGITS) return -1;
      if (buffer[first] === ZERO && (isNegative || digits > 1)) return -1;
      if (isIncreasing) {
        if (isNegative || number <= last) return -1;
        last = number;
      }
      count += 1;
      const byte = buffer[i];
      i += 1;
      if (byte === COMMA) continue;
      if (byte !== CLOSE_BRACKET || i > end) return -1;
      this.#count = count;
      this.#last = last;
      return i;
    }
    return -1;
  }

  count(): number {
    return this.#count;
  }

  last(): number {
    return this.#last;
  }
}

function hasBackslash(buffer: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if (buffer[i] === BACKSLASH) return true;
  return false;
}

/** For bytes anywhere. */
export const plainRuns: JsonRuns = new PlainRuns();
