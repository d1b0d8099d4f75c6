/** Both ways to spell fragments give the same bytes, and those are what `JSON.stringify` says of 64 code points each. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FragmentWriter } from '../../src/snapshot/fragment-writer.ts';

/** All parts of `texts`, each with a heading, as a transcript has them. */
function spell(texts: readonly string[], isQuick: boolean): string {
  const writer = new FragmentWriter({ isQuick });
  const parts: Buffer[] = [];
  const take = () => parts.push(Buffer.from(writer.take()));
  for (const text of texts) {
    if (writer.isFull) take();
    writer.add('\n');
    for (let done = 0; done < text.length; done = writer.addFragments(text, done)) if (writer.isFull) take();
  }
  take();
  return Buffer.concat(parts).toString();
}

function spellSlowly(texts: readonly string[]): string {
  return texts
    .map((text) => {
      const points = [...text];
      let lines = '\n';
      for (let at = 0; at < points.length; at += 64) {
        lines += `${JSON.stringify(points.slice(at, at + 64).join(''))}\n`;
      }
      return lines;
    })
    .join('');
}

const short = fc.string({ unit: 'binary', maxLength: 200 });
const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 300 });
const lone = fc.constantFrom('\ud83d', '\ude00', '\ud83dx', 'x\ude00', '\ude00\ud83d');
const piece = fc.oneof(
  short,
  ascii,
  fc.constantFrom(
    '\n',
    '"',
    '\\',
    '\u0000',
    '\u001f',
    '\u007f',
    '\u0080',
    'é',
    '語',
    '\uffff',
    '😀',
    '\t\b\f\r',
  ),
  fc
    .integer({ min: 0, max: 0x10ffff })
    .filter((point) => point < 0xd800 || point > 0xdfff)
    .map((point) => String.fromCodePoint(point)),
);
const text = fc.oneof(
  { weight: 5, arbitrary: fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')) },
  {
    weight: 1,
    arbitrary: fc.array(fc.oneof(piece, lone), { maxLength: 8 }).map((pieces) => pieces.join('')),
  },
);

test('short texts', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
      const expected = spellSlowly(texts);
      expect(spell(texts, true)).toBe(expected);
      expect(spell(texts, false)).toBe(expected);
    }),
    { numRuns: 3000 },
  );
});

test('texts longer than a piece and than a part', () => {
  fc.assert(
    fc.property(
      text.filter(({ length }) => length > 0),
      fc.integer({ min: 1, max: 200_000 }),
      fc.nat(70),
      (unit, length, shift) => {
        const long = 'x'.repeat(shift) + unit.repeat(Math.ceil(length / unit.length));
        const texts = ['a', long, 'b'];
        const expected = spellSlowly(texts);
        expect(spell(texts, true)).toBe(expected);
        expect(spell(texts, false)).toBe(expected);
      },
    ),
    { numRuns: 150 },
  );
});

test('four bytes each at every place of a step, over the end of a piece', () => {
  for (let shift = 0; shift < 70; shift += 1) {
    const texts = ['x'.repeat(shift) + '😀'.repeat(9000), '"'.repeat(shift) + '語'.repeat(17_000)];
    expect(spell(texts, true)).toBe(spell(texts, false));
  }
});

test('every character below 256 at every place of a step', () => {
  for (let code = 0; code < 256; code += 1) {
    for (let place = 0; place < 34; place += 1) {
      const texts = [`${'a'.repeat(place)}${String.fromCharCode(code)}${'b'.repeat(40)}`];
      expect(spell(texts, true)).toBe(spellSlowly(texts));
    }
  }
});

test('a part stays as it is while the next one is made', () => {
  const writer = new FragmentWriter();
  writer.addFragments('one', 0);
  const first = writer.take();
  writer.addFragments('second', 0);
  expect(Buffer.from(first).toString()).toBe('"one"\n');
  expect(Buffer.from(writer.take()).toString()).toBe('"second"\n');
});
