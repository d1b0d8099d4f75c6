import { expect, test } from 'vitest';
import { shorten } from '../../../src/snapshot/shorten.ts';

const DIGITS = '0123456789'.repeat(10);
const notice = (omitted: number) => `\n[… omitted ${omitted} UTF-8 bytes …]`;

// The numbers are the rows of table B.1 of the retention document.
test.each<[row: number, text: string, maxBytes: number, kept: string, bytes: number, omitted: number]>([
  [2, DIGITS, 99, DIGITS.slice(0, 33) + DIGITS.slice(-33), 99, 34],
  [3, DIGITS, 50, '01234567823456789', 50, 83],
  [4, DIGITS, 40, '0123789', 40, 93],
  [5, DIGITS, 36, '019', 36, 97],
  [6, DIGITS, 34, '0', 34, 99],
  [8, 'z'.repeat(40), 33, '', 33, 40],
  [9, 'z'.repeat(40), 34, 'z', 34, 39],
  [10, '界'.repeat(40), 60, '界'.repeat(9), 60, 93],
  [10, '界'.repeat(40), 61, '界'.repeat(9), 60, 93],
  [10, '界'.repeat(40), 62, '界'.repeat(9), 60, 93],
  [11, '界'.repeat(40), 63, '界'.repeat(10), 63, 90],
  [11, '界'.repeat(40), 64, '界'.repeat(10), 63, 90],
  [11, '界'.repeat(40), 65, '界'.repeat(10), 63, 90],
  [12, '😀'.repeat(30), 50, '😀'.repeat(4), 50, 104],
  [14, 'a'.repeat(1030), 64, 'a'.repeat(29), 64, 1001],
  [15, 'a'.repeat(1030), 65, 'a'.repeat(31), 65, 999],
  [16, 'a'.repeat(1000), 134, 'a'.repeat(100), 134, 900],
  [16, 'a'.repeat(1000), 135, 'a'.repeat(101), 135, 899],
  [
    17,
    'The quick brown fox jumps over the lazy dog near the riverbank.',
    60,
    'The quick browhe riverbank.',
    60,
    36,
  ],
  [18, 'x\ud800'.repeat(30), 60, `${'x\ufffd'.repeat(3)}x${'x\ufffd'.repeat(3)}`, 58, 95],
  [19, `\ufeff${'a'.repeat(100)}`, 50, 'a'.repeat(17), 50, 83],
])('row %i', (_, text, maxBytes, kept, bytes, omitted) => {
  expect(shorten(text, maxBytes)).toEqual({ text: kept + notice(omitted), bytes, omitted });
});

test('row 1: a text that fits is left alone', () => {
  expect(shorten(DIGITS, 100)).toEqual({ text: DIGITS, bytes: 100, omitted: 0 });
});

test.each([
  [7, DIGITS, 33, 100],
  [13, '😀'.repeat(30), 33, 120],
  [13, '😀'.repeat(30), 0, 120],
])('row %i: nothing is left where the notice does not fit', (_, text, maxBytes, omitted) => {
  expect(shorten(text, maxBytes)).toEqual({ text: '', bytes: 0, omitted });
});

test('where a dropped byte-order mark breaks the order of fits, the steps of the search decide', () => {
  const text = `${'a'.repeat(100)}\ufeff`;
  // Six kept bytes would fit too, as `aaa` and a count of two digits, but the search has turned down five.
  expect(shorten(text, 36)).toEqual({ text: `aa${notice(101)}`, bytes: 36, omitted: 101 });
});
