import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FileReference } from '../../../src/files/file-reference.ts';
import { rankFileReferences } from '../../../src/files/rank.ts';
import { show } from './workspace.ts';

const files = (...paths: string[]): FileReference[] => paths.map((path) => ({ path, kind: 'file' }));

test('the rules in their order', () => {
  const candidates = files('t_s_x/c', 'tsx/c', 'c/atsx', 'c/tsxa', 'long/c/tsx');
  expect(show(rankFileReferences(candidates, 'TSX', 9))).toEqual([
    'long/c/tsx',
    'c/tsxa',
    'c/atsx',
    'tsx/c',
    't_s_x/c',
  ]);
});

test('a directory wins by 25, but not by threading', () => {
  const candidates: FileReference[] = [
    { path: 'a/xy', kind: 'directory' },
    { path: 'xy', kind: 'file' },
    { path: 'p-q', kind: 'file' },
    { path: 'p--q', kind: 'directory' },
  ];
  expect(show(rankFileReferences(candidates, 'xy', 9))).toEqual(['a/xy [d]', 'xy']);
  expect(show(rankFileReferences(candidates, 'pq', 9))).toEqual(['p-q', 'p--q [d]']);
});

test('a gap above 100 still matches, without a better place for a smaller one', () => {
  const far = `a${'-'.repeat(150)}b`;
  const farther = `a${'-'.repeat(300)}b`;
  const farButLong = `${far}${'-'.repeat(200)}`;
  expect(show(rankFileReferences(files(farther, farButLong, far, 'a-b'), 'ab', 9))).toEqual([
    'a-b',
    far,
    farther,
    farButLong,
  ]);
});

test('a needle of astral characters threads by code points', () => {
  expect(show(rankFileReferences(files('😀x😁', '😁x😀'), '😀😁', 9))).toEqual(['😀x😁']);
});

test('shorter first only for a needle; then code units', () => {
  expect(show(rankFileReferences(files('b', 'aa', 'B'), '', 9))).toEqual(['B', 'aa', 'b']);
  expect(show(rankFileReferences(files('xbb', 'xaaa', 'xba'), 'x', 9))).toEqual(['xba', 'xbb', 'xaaa']);
});

test('the order of the input plays no part, and the answer is cut', () => {
  const path = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), minLength: 1, maxLength: 5 });
  const candidate = fc.record({ path, kind: fc.constantFrom('file', 'directory') });
  const distinct = fc.uniqueArray(candidate, { selector: (one) => one.path, maxLength: 12 });
  fc.assert(
    fc.property(
      distinct.chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
      ),
      fc.constantFrom('', 'a', 'ab', '.'),
      ([given, shuffled], needle) => {
        const ranked = rankFileReferences(given, needle, 5);
        expect(rankFileReferences(shuffled, needle, 5)).toEqual(ranked);
        expect(ranked.length).toBeLessThanOrEqual(5);
      },
    ),
  );
});
