import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isPrintable,
  onOneLine,
  printable,
  printableJson,
  printableLines,
} from '../../../src/cli/output/printable.ts';

const anyText = fc.string({ unit: 'binary' });

describe('printable', () => {
  it.each([
    ['plain [text] \\ ok', 'plain [text] \\ ok'],
    ['漢字 é 👍🏽 🇩🇪', '漢字 é 👍🏽 🇩🇪'],
    ['a\u001b[31mb', 'a\\u001b[31mb'],
    ['\u009b\u007f\u0000', '\\u009b\\u007f\\u0000'],
    ['a\r\n\tb', 'a\\r\\n\\tb'],
    ['\u202eabc\u2066', '\\u202eabc\\u2066'],
    ['a\u200bb\u200dc\ufeff', 'a\\u200bb\\u200dc\\ufeff'],
    ['x\u00ad\u3164\u034f', 'x\\u00ad\\u3164\\u034f'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud800', '\\ud800'],
    ['\u2028\u2029', '\\u2028\\u2029'],
    ['👨‍👩‍👧 ❤️ 1️⃣', '👨‍👩‍👧 ❤️ 1️⃣'],
    ['a\ufe0f 1\ufe0f', 'a\\ufe0f 1\\ufe0f'],
  ])('%j', (text, shown) => {
    expect(printable(text)).toBe(shown);
    expect(isPrintable(text)).toBe(text === shown);
  });

  it('leaves nothing dangerous in any text, and is done after one pass', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = printable(text);
        expect(shown).not.toMatch(
          /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f]/u,
        );
        expect(printable(shown)).toBe(shown);
      }),
    );
  });

  it('keeps line feeds and tabs of a text of several lines', () => {
    expect(printableLines('a\n\tb\u001b\r\n')).toBe('a\n\tb\\u001b\\r\n');
  });

  it('JSON keeps its value', () => {
    fc.assert(
      fc.property(fc.array(anyText), (texts) => {
        const json = printableJson(JSON.stringify(texts, null, 2));
        expect(JSON.parse(json)).toEqual(texts);
        expect(json).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      }),
    );
  });

  it('one line for a pipe', () => expect(onOneLine('a\r\nb\u2028c\td')).toBe('a b c d'));
});
