/** `JsonRuns` for bytes anywhere, byte by byte: the slow and obvious twin of `json-runs.wat`. */
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, MINUS, OPEN_BRACE, OPEN_BRACKET, QUOTE, ZERO } from './ascii.ts';
import type { JsonRuns } from './json-runs.ts';
import { beginsNumber, skipKey, skipNumber, skipSpace, skipString, skipWord } from './json-scan.ts';

const MAX_DIGITS = 8;
/** Deeper values than this are left to `JSON.parse`. */
const MAX_DEPTH = 64;

/** Which of the open values are objects, by depth. */
const isObjectAt = new Uint8Array(MAX_DEPTH);

class PlainRuns implements JsonRuns {
  #count = 0;
  #last = -1;

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

/** For bytes anywhere. */
export const plainRuns: JsonRuns = new PlainRuns();
