import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileReference } from '../../../src/files/file-reference.ts';
import { formatFileMention } from '../../../src/files/mention.ts';
import { findFileToken } from '../../../src/files/token.ts';

const file = (path: string): FileReference => ({ path, kind: 'file' });
const directory = (path: string): FileReference => ({ path, kind: 'directory' });

describe('worked table of file-references.md 2.2', () => {
  test.each<[candidate: FileReference, preserveQuote: boolean, mention: string | undefined]>([
    [file('a.md'), false, '@a.md'],
    [file('a.md'), true, '@"a.md"'],
    [file('a b.md'), false, '@"a b.md"'],
    [directory('d'), false, '@d/'],
    [directory('d'), true, '@"d/'],
    [directory('d e'), false, '@"d e/'],
    [directory(''), false, '@/'],
    [directory('x/'), false, '@x//'],
    [file('a\u00a0b'), false, '@"a\u00a0b"'],
    [file('a\u3000b'), false, '@"a\u3000b"'],
    [file('a\u2028b'), false, '@"a\u2028b"'],
    [file('a\tb'), false, undefined],
    [file('a\nb'), true, undefined],
    [file('a\u0085b'), false, undefined],
    [file('a\u007fb'), true, undefined],
    [file('q"q'), false, undefined],
    [directory('q"q'), true, undefined],
    [file('bs\\x'), false, '@bs\\x'],
    [file("it's.md"), false, "@it's.md"],
    [file('a@b.md'), false, '@a@b.md'],
    [file('a,b.md'), false, '@a,b.md'],
    [file('a\u200bb'), false, '@a\u200bb'],
  ])('%j, quote kept: %j', (candidate, preserveQuote, mention) => {
    expect(formatFileMention(candidate, { preserveQuote })).toBe(mention);
  });

  test('the quote is not kept by default', () => expect(formatFileMention(file('a'))).toBe('@a'));
});

test('a directory mention is an active token with the path as its query', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (path, preserveQuote) => {
      const mention = formatFileMention(directory(path), { preserveQuote });
      // A path that begins with a quote mark cannot be written, so nothing else can open a quote.
      if (mention !== undefined) expect(findFileToken(mention, mention.length)?.query).toBe(`${path}/`);
    }),
  );
});
