/**
 * Walks JSON in bytes without making values: as strict as `JSON.parse`, several times as fast, and without
 * memory. Every function takes the place where something begins and gives the place behind it, or −1 where it is
 * not (valid) JSON of that sort.
 */
import { BACKSLASH, COLON, MINUS, QUOTE, ZERO } from './ascii.ts';

export function skipSpace(buffer: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const byte = buffer[i];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    i += 1;
  }
  return i;
}

/** Bytes that end the quick run through a string: the quote, the backslash, and controls, which are not allowed. */
const ENDS_RUN = new Uint8Array(256);
ENDS_RUN.fill(1, 0, 0x20);
ENDS_RUN[QUOTE] = 1;
ENDS_RUN[BACKSLASH] = 1;

const IS_ESCAPE = new Uint8Array(256);
for (const character of '"\\/bfnrt') IS_ESCAPE[character.charCodeAt(0)] = 1;

const IS_HEX = new Uint8Array(256);
for (const character of '0123456789abcdefABCDEF') IS_HEX[character.charCodeAt(0)] = 1;

/** `at` is the opening quote. May look behind `end`. */
export function skipString(buffer: Uint8Array, at: number, end: number): number {
  if (at >= end || buffer[at] !== QUOTE) return -1;
  let i = at + 1;
  while (i < end) {
    const byte = buffer[i]!;
    if (ENDS_RUN[byte] === 0) {
      i += 1;
    } else if (byte === QUOTE) {
      return i + 1;
    } else {
      i = byte === BACKSLASH ? behindEscape(buffer, i) : -1;
      if (i < 0) return -1;
    }
  }
  return -1;
}

/** `at` is the backslash; gives the place behind the escape, or −1. */
function behindEscape(buffer: Uint8Array, at: number): number {
  if (IS_ESCAPE[buffer[at + 1]!] === 1) return at + 2;
  return buffer[at + 1] === 0x75 && isHex4(buffer, at + 2) ? at + 6 : -1;
}

function isHex4(buffer: Uint8Array, at: number): boolean {
  return (
    (IS_HEX[buffer[at]!]! &
      IS_HEX[buffer[at + 1]!]! &
      IS_HEX[buffer[at + 2]!]! &
      IS_HEX[buffer[at + 3]!]!) ===
    1
  );
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= 0x39;
}

export function beginsNumber(byte: number | undefined): boolean {
  return byte === MINUS || isDigit(byte);
}

function skipDigits(buffer: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && isDigit(buffer[i])) i += 1;
  return i;
}

export function skipNumber(buffer: Uint8Array, at: number, end: number): number {
  let i = buffer[at] === MINUS ? at + 1 : at;
  if (i >= end || !isDigit(buffer[i])) return -1;
  i = buffer[i] === ZERO ? i + 1 : skipDigits(buffer, i, end);
  if (i < end && buffer[i] === 0x2e) {
    const digits = skipDigits(buffer, i + 1, end);
    if (digits === i + 1) return -1;
    i = digits;
  }
  if (i < end && (buffer[i] === 0x65 || buffer[i] === 0x45)) {
    const sign = buffer[i + 1] === 0x2b || buffer[i + 1] === MINUS ? 1 : 0;
    const digits = skipDigits(buffer, i + 1 + sign, end);
    if (digits === i + 1 + sign) return -1;
    i = digits;
  }
  return i;
}

export function skipWord(buffer: Uint8Array, at: number, end: number, word: string): number {
  if (at + word.length > end) return -1;
  for (let i = 0; i < word.length; i += 1) if (buffer[at + i] !== word.charCodeAt(i)) return -1;
  return at + word.length;
}

/** From a key's quote to the first byte of its value. */
export function skipKey(buffer: Uint8Array, at: number, end: number): number {
  const behind = skipString(buffer, at, end);
  if (behind < 0) return -1;
  const colon = skipSpace(buffer, behind, end);
  if (colon >= end || buffer[colon] !== COLON) return -1;
  return skipSpace(buffer, colon + 1, end);
}

/** The whole number of at most 15 digits that stands at `[start, end)`, or undefined for anything else. */
export function wholeNumber(buffer: Uint8Array, start: number, end: number): number | undefined {
  const first = buffer[start] === MINUS ? start + 1 : start;
  if (end - first < 1 || end - first > 15) return undefined;
  if (buffer[first] === ZERO && end - first > 1) return undefined;
  let value = 0;
  for (let i = first; i < end; i += 1) {
    if (!isDigit(buffer[i])) return undefined;
    value = value * 10 + (buffer[i]! - ZERO);
  }
  // −0 is no count, and JSON.parse keeps its sign.
  if (first !== start) return value === 0 ? undefined : -value;
  return value;
}
