/**
 * The tape of a row: where its members are, to the fourth level, and where the objects in its arrays are. Made by
 * `JsonRuns.tape`, which proves the row as it goes; numbers in one list, so that a row costs no memory.
 */

/** Places of the numbers of an entry; `json-runs.wat` has the same. */
export const TAPE = {
  /** Bytes of the key, −1 for an object in an array. */
  keyBytes: 0,
  /** The first four of them, as a number that begins with the first; zeros behind a shorter key. */
  keyWord: 1,
  keyAt: 2,
  valueAt: 3,
  /** Behind the value. */
  valueEnd: 4,
  /** Number of the entry behind all that is in the value. */
  next: 5,
  /** What the value is, and whether the key has an escape. */
  kind: 6,
  /** How many are in a list. */
  count: 7,
  /** The last number of a list that increases. */
  last: 8,
} as const;
export const TAPE_NUMBERS = 9;
/** More are left to the slow way. */
export const TAPE_ENTRIES = 4096;
export const TAPE_BYTES = TAPE_ENTRIES * TAPE_NUMBERS * 4;
/** Members of deeper objects have no entries. */
export const TAPE_LEVELS = 4;

/** Lists without spaces, of one sort of element only. */
export const KIND = { other: 0, numbers: 1, strings: 2, increasing: 3, mask: 3, escapedKey: 8 } as const;

export interface Tape {
  numbers: Int32Array;
  entries: number;
  /** What places are counted from: less this they are places in the buffer. */
  base: number;
}

/** `text` as a `keyWord`. */
export function keyWord(text: string): number {
  let word = 0;
  for (let at = 0; at < Math.min(4, text.length); at += 1) word |= text.charCodeAt(at) << (8 * at);
  return word;
}
