import { describe, expect, test } from 'vitest';
import { formatSessionReferenceMention, parseSessionReferenceText } from '../../../src/mention/mention.ts';
import { measureGrowth } from '../../support/growth.ts';

const A = 'dsh-session:ImEi';

describe('writing a mention', () => {
  test.each([
    [{ sessionId: 'a' }, `@[a](${A})`],
    [{ sessionId: 'a', label: undefined }, `@[a](${A})`],
    [{ sessionId: 'a', label: '' }, `@[](${A})`],
    [{ sessionId: 'a', label: 'x]y\\z[' }, `@[x\\]y\\\\z[](${A})`],
    [{ sessionId: 'a', label: 'new\nline' }, `@[new\nline](${A})`],
    [{ sessionId: 'x]y' }, '@[x\\]y](dsh-session:InhdeSI)'],
  ])('%j', (reference, mention) => {
    expect(formatSessionReferenceMention(reference)).toBe(mention);
  });
});

describe('reading a text', () => {
  const rows: [name: string, text: string, readable: string, labels: string[]][] = [
    ['nothing', '', '', []],
    ['no mention', 'mail me@host, @[x](y) and [z](http://h)', 'mail me@host, @[x](y) and [z](http://h)', []],
    ['a mention', `see @[Plan](${A})!`, 'see @Plan!', ['Plan']],
    ['an empty label', `@[](${A})`, '@', ['']],
    ['escapes', `@[a\\]b\\\\c\\n\\😀](${A})`, '@a]b\\cn😀', ['a]b\\cn😀']],
    [
      'line breaks in the label',
      `@[two\r\nlines\u2028](${A})`,
      '@two\r\nlines\u2028',
      ['two\r\nlines\u2028'],
    ],
    ['a bracket in the label', `@[x @[a](${A})`, '@x @[a', ['x @[a']],
    ['an escaped line feed', `@[a\\\nb](${A})`, '@[a\\\nb](@a)', ['a']],
    ['an escaped U+2029', `@[a\\\u2029b](${A})`, '@[a\\\u2029b](@a)', ['a']],
    ['a label behind a broken one', `@[a\\\n@[b](${A})`, '@[a\\\n@b', ['b']],
    ['an escaped end', `@[tail\\](${A})`, '@[tail\\](@a)', ['a']],
    ['a backslash at the end', `${A} @[\\`, '@a @[\\', ['a']],
    ['a bare one', `(${A}), x${A}.`, '(@a), x@a.', ['a', 'a']],
    ['a scheme without payload', 'dsh-session: dsh-session:(', 'dsh-session: dsh-session:(', []],
    ['a scheme inside a scheme', `dsh-session:${'='}${A}`, 'dsh-session:=@a', ['a']],
    ['white space in the URI', `@[x](${A} and)`, '@[x](@a and)', ['a']],
    ['U+FEFF is white space', `@[x](${A}\ufeff)`, '@[x](@a\ufeff)', ['a']],
    ['an unclosed URI', `@[x](${A}`, '@[x](@a', ['a']],
    ['space between label and URI', `@[x] (${A})`, '@[x] (@a)', ['a']],
    ['neighbours, duplicates kept', `@[x](${A})@[y](${A})${A}`, '@x@y@a', ['x', 'y', 'a']],
    ['another case of the scheme', '@[x](DSH-session:ImEi)', '@[x](DSH-session:ImEi)', []],
  ];

  test.each(rows)('%s', (_, text, readable, labels) => {
    const references = labels.map((label) => ({ sessionId: 'a', label }));
    expect(parseSessionReferenceText(text)).toEqual({ text: readable, references });
  });

  test.each([
    ['an empty payload', '@[x](dsh-session:)', 'dsh-session:'],
    ['a comma in the URI', `@[x](${A},)`, `${A},`],
    ['a bare one that is not canonical', 'see dsh-session:zzzz.', 'dsh-session:zzzz'],
    ['a scheme as payload', 'dsh-session:dsh-session:', 'dsh-session:dsh-session'],
    ['the first of two bad ones', 'dsh-session:AAAA @[x](dsh-session:)', 'dsh-session:AAAA'],
  ])('%s is an error', (_, text, uri) => {
    expect(() => parseSessionReferenceText(text)).toThrow(
      expect.objectContaining({
        code: 'SESSION_REFERENCE_INVALID_REFERENCE',
        message: expect.stringContaining(JSON.stringify(uri)),
      }),
    );
  });
});

describe('hostile texts cost linear time', () => {
  test.each([
    '@[[[[',
    '@[',
    '\\',
    '@[\\',
    '@[a\\\n',
    '@[\\\u2028',
    '](',
    '@[x](',
    '](dsh-session:',
    'dsh-session:.',
    '@[a](dsh-session:',
    '@[a](dsh-session: ',
    '@[]',
    '@[😀\\😀',
    ' ',
  ])('%j repeated to 10 MB', (unit) => {
    const text = (length: number) => `@[${unit.repeat(length / unit.length)}`;
    const run = (input: string) => void parseSessionReferenceText(input);
    // Small sizes first: a square would take hours on the large ones.
    for (const length of [100_000, 10_000_000]) {
      const { factor, largeMs } = measureGrowth(text(length / 4), text(length), run);
      expect(largeMs).toBeLessThan(3000);
      expect(factor).toBeLessThan(5);
    }
  });
});
