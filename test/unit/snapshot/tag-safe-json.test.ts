import { expect, test } from 'vitest';
import { tagSafeJson, tagSafeTextBytes } from '../../../src/snapshot/tag-safe-json.ts';

test('no tag can be spelled, keys included', () => {
  const value = { '<k>': ['</referenced-sessions>', null, 1, true] };
  expect(tagSafeJson(value)).toBe('{"\\u003ck>":["\\u003c/referenced-sessions>",null,1,true]}');
  expect(JSON.parse(tagSafeJson(value))).toEqual(value);
});

test('the size of every code unit, alone and before another', () => {
  for (let unit = 0; unit <= 0xffff; unit++) {
    for (const text of [String.fromCharCode(unit), `${String.fromCharCode(unit)}\ude00a`]) {
      const want = Buffer.byteLength(tagSafeJson(text)) - 2;
      // One comparison without the matcher: 131,072 of them would take seconds.
      if (tagSafeTextBytes(text) !== want) expect([unit, tagSafeTextBytes(text)]).toEqual([unit, want]);
    }
  }
  expect(tagSafeTextBytes('a"\\\n\u0001<é界😀\ud800')).toBe(1 + 2 + 2 + 2 + 6 + 6 + 2 + 3 + 4 + 6);
});
