import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findFileToken } from '../../../src/files/token.ts';

describe('worked table of file-references.md 2.1', () => {
  test.each<[before: string, prefix: string, query: string, quoted: boolean]>([
    ['@', '@', '', false],
    ['see @', '@', '', false],
    ['@src/tu', '@src/tu', 'src/tu', false],
    ['x @"', '@"', '', true],
    ['@"my dir/n', '@"my dir/n', 'my dir/n', true],
    ['@"a@b', '@"a@b', 'a@b', true],
    ['@@x', '@@x', '@x', false],
    ['@a@b', '@a@b', 'a@b', false],
    ['@a"b', '@a"b', 'a"b', false],
    ['@"ab"', '@"ab"', '"ab"', false],
    ['@""', '@""', '""', false],
    ['@"a b" @c', '@c', 'c', false],
    ['@"a b" @"c d', '@"c d', 'c d', true],
    ['read @src,', '@src,', 'src,', false],
    ['\t@x', '@x', 'x', false],
    ['\n@x', '@x', 'x', false],
    ['\u3000@x', '@x', 'x', false],
    ['\u00a0@x', '@x', 'x', false],
    ['\u2028@x', '@x', 'x', false],
    ['\ufeff@x', '@x', 'x', false],
    ['@"a\nb @c', '@"a\nb @c', 'a\nb @c', true],
  ])('%j', (before, prefix, query, quoted) => {
    expect(findFileToken(before, before.length)).toEqual({ prefix, query, quoted });
  });

  test.each(['a@b', '(@x', '"@x', '中@x', '@ x', '@"a b"', "@'a b", '', 'x', ' '])(
    '%j has none',
    (before) => {
      expect(findFileToken(before, before.length)).toBeUndefined();
    },
  );
});

test('only the text before the caret counts', () => {
  expect(findFileToken('see @src/in now', 8)).toEqual({ prefix: '@src', query: 'src', quoted: false });
  expect(findFileToken('@"a', 1)).toEqual({ prefix: '@', query: '', quoted: false });
  expect(findFileToken('@src', 0)).toBeUndefined();
});

test('a caret outside of the text stands at the nearer end', () => {
  expect(findFileToken('@a', 99)?.query).toBe('a');
  expect(findFileToken('@a', -1)).toBeUndefined();
  expect(findFileToken('@a', Number.NaN)).toBeUndefined();
});

test('says the same as the grammar written as two patterns', () => {
  const text = fc.string({
    unit: fc.constantFrom('@', '"', ' ', '\n', 'a', '/', '\ud800', '\u3000'),
    maxLength: 12,
  });
  fc.assert(
    fc.property(text, fc.nat(13), (draft, caret) => {
      const before = draft.slice(0, caret);
      const quoted = /(?:^|\s)(@"([^"]*))$/.exec(before);
      const hit = quoted ?? /(?:^|\s)(@(\S*))$/.exec(before);
      const expected = hit ? { prefix: hit[1], query: hit[2], quoted: quoted !== null } : undefined;
      expect(findFileToken(draft, caret)).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['at signs', '@'.repeat(2_000_000)],
  ['opened quotes', ' @"'.repeat(700_000)],
  ['one long word', 'x'.repeat(2_000_000)],
  ['one long quoted run', `@"${' @'.repeat(1_000_000)}`],
])('stays linear on %s', (_name, text) => {
  const start = performance.now();
  findFileToken(text, text.length);
  expect(performance.now() - start).toBeLessThan(1000);
});
