import { describe, expect, test } from 'vitest';
import {
  BYTES_PER_TOKEN,
  DEFAULT_CONTEXT_FRACTION,
  DEFAULT_REFERENCE_BYTES,
  MAX_REFERENCES,
  readReferenceSettings,
  settleBudget,
} from '../../../src/snapshot/budget.ts';

test('the constants of the contract', () => {
  expect([DEFAULT_REFERENCE_BYTES, BYTES_PER_TOKEN, DEFAULT_CONTEXT_FRACTION, MAX_REFERENCES]).toEqual([
    65_536, 4, 0.2, 3,
  ]);
});

describe('budget', () => {
  // The table of the host document, section 3.
  test.each([
    [8_000, 0.2, 65_536],
    [81_920, 0.2, 65_536],
    [81_925, 0.2, 65_540],
    [128_000, 0.2, 102_400],
    [200_001, 0.2, 160_000],
    [200_001, 0.1, 80_000],
    [200_001, 0, 65_536],
    [262_144, 0.2, 209_715],
    [1_000_000, 0.2, 800_000],
  ])('a window of %i tokens, fraction %d', (contextWindow, referenceContextFraction, bytes) => {
    const want = { bytes, rule: 'context-window' };
    expect(settleBudget({ contextWindow, referenceContextFraction })).toEqual(want);
    if (referenceContextFraction === 0.2) expect(settleBudget({ contextWindow })).toEqual(want);
  });

  test('given bytes come first, however few; nothing known gives the default', () => {
    const given = { bytes: 1, rule: 'max-bytes' };
    expect(settleBudget({ maxReferenceBytes: 1, contextWindow: 1_000_000 })).toEqual(given);
    const unknown = { bytes: 65_536, rule: 'default' };
    expect(settleBudget({})).toEqual(unknown);
    expect(settleBudget({ contextWindow: undefined, referenceContextFraction: 1 })).toEqual(unknown);
  });
});

describe('settings', () => {
  const positive = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e21, '2', true, {}, 2n];

  test.each([
    ['maxReferences', 'a whole number from 1 to 3', [...positive, 4]],
    ['maxReferenceBytes', 'a whole number, 1 or more', positive],
    ['contextWindow', 'a whole number, 1 or more', positive],
    ['candidateLimit', 'a whole number, 1 or more', positive],
    [
      'referenceContextFraction',
      'a number from 0 to 1',
      [-0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY, '0.2', [0.2], Symbol('x')],
    ],
  ])('%s must be %s', (key, range, refused) => {
    for (const value of refused) {
      const assertIt = () => readReferenceSettings({ [key]: value });
      const message = expect.stringContaining(`${key} must be ${range}, not `);
      expect(assertIt).toThrow(
        expect.objectContaining({ code: 'SESSION_REFERENCE_INVALID_CONFIG', message }),
      );
    }
  });

  test.each([
    [4, '4'],
    ['2', '"2"'],
    [true, 'true'],
    [Number.NaN, 'NaN'],
    [[], 'a value of type object'],
  ])('%j is named in the message', (value, words) => {
    expect(() => readReferenceSettings({ maxReferences: value })).toThrow(
      `maxReferences must be a whole number from 1 to 3, not ${words}`,
    );
  });

  test.each([
    {},
    { maxReferences: undefined, maxReferenceBytes: undefined, referenceContextFraction: undefined },
    {
      maxReferences: 1,
      maxReferenceBytes: 1,
      contextWindow: 1,
      candidateLimit: 1,
      referenceContextFraction: 0,
    },
    { maxReferences: 3, maxReferenceBytes: Number.MAX_SAFE_INTEGER, referenceContextFraction: 1 },
  ])('%j is accepted', (settings) => {
    expect(readReferenceSettings(settings)).toEqual(JSON.parse(JSON.stringify(settings)));
  });

  test('null and undefined mean the default, other keys are not settings', () => {
    const given = { maxReferences: null, maxReferenceBytes: undefined, contextWindow: 8, text: 'x' };
    expect(readReferenceSettings(given)).toEqual({ contextWindow: 8 });
  });
});
