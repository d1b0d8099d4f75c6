import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSessionReferenceError } from '../../src/errors.ts';
import {
  formatSessionReferenceMention,
  type ParsedSessionReferences,
  parseSessionReferenceText,
} from '../../src/mention/mention.ts';
import { decodeSessionReferenceUri, encodeSessionReferenceUri } from '../../src/mention/uri.ts';
import { parseSlowly } from '../support/slow-mention.ts';

const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const awkward = fc.constantFrom(
  '\\',
  ']',
  '[',
  '@[',
  '](',
  ')',
  '\n',
  '\u2028',
  '😀',
  '\ud83d',
  '\ude00',
  '"',
);
const anyString = fc.string({
  unit: fc.oneof(anyUnit, awkward, fc.string({ unit: 'binary', maxLength: 1 })),
});

describe('URIs', () => {
  test('every string makes the round trip', () => {
    fc.assert(
      fc.property(anyString, (id) => {
        const uri = encodeSessionReferenceUri(id);
        expect(uri).toMatch(/^dsh-session:[A-Za-z0-9_-]+$/);
        expect(decodeSessionReferenceUri(uri)).toBe(id);
      }),
      { numRuns: 2000 },
    );
  });

  test('what decodes is what encoding gives', () => {
    const char = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ ');
    const json = fc.oneof(
      fc.json(),
      anyString.map((id) => JSON.stringify(id)),
    );
    const payload = fc.oneof(
      fc.string({ unit: char, maxLength: 12 }),
      json.map((text) => Buffer.from(text).toString('base64url')),
      fc.tuple(anyString, char).map(([id, extra]) => encodeSessionReferenceUri(id).slice(12) + extra),
    );
    fc.assert(
      fc.property(payload, (text) => {
        const uri = `dsh-session:${text}`;
        const id = valueOrCode(() => decodeSessionReferenceUri(uri));
        if (id !== 'SESSION_REFERENCE_INVALID_REFERENCE') expect(encodeSessionReferenceUri(id)).toBe(uri);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('mentions', () => {
  test('every id and label makes the round trip', () => {
    fc.assert(
      fc.property(anyString, anyString, (sessionId, label) => {
        const mention = formatSessionReferenceMention({ sessionId, label });
        const want = { text: `- @${label} -`, references: [{ sessionId, label }] };
        expect(parseSessionReferenceText(`- ${mention} -`)).toEqual(want);
      }),
      { numRuns: 2000 },
    );
  });

  test('parsing equals the two regular expressions of the contract', () => {
    let cited = 0;
    fc.assert(
      fc.property(tokens, (text) => {
        const got = valueOrCode(() => parseSessionReferenceText(text));
        expect(got).toEqual(valueOrCode(() => parseSlowly(text)));
        if ((got as ParsedSessionReferences).references?.length > 0) cited++;
      }),
      { numRuns: 20_000 },
    );
    expect(cited).toBeGreaterThan(5000);
  });

  test('so it does for hostile texts: the same piece again and again, labels longer than a look back', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(outcome(() => parseSessionReferenceText(text))).toEqual(outcome(() => parseSlowly(text)));
      }),
      { numRuns: 5000 },
    );
  });
});

const valid = fc.constantFrom('ImEi', 'IiI', 'InhdeSI').map((payload) => `dsh-session:${payload}`);
const token = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('@[', ']', '](', '(', ')', '\\', '[', '@', '@[x](') },
  { weight: 2, arbitrary: fc.constantFrom(' ', '\n', '\r', '\u2028', '\u2029', '\ufeff', '\u00a0', '.') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('a', '_', '😀', '\ud83d', '\ude00', 'dsh-session:', 'dsh-session'),
  },
  { weight: 3, arbitrary: valid },
  { weight: 1, arbitrary: valid.map((uri) => `@[l](${uri})`) },
);
const tokens = fc.array(token, { maxLength: 16 }).map((parts) => parts.join(''));

/** Pieces of mentions that fail, in each of the ways there are, and of some that do not. */
const piece = fc.constantFrom(
  '@[',
  '@[a](dsh-session:*',
  '@[a](dsh-session:* ',
  '@[a](dsh-session:*] ',
  '@[a](dsh-session:ImEi ',
  '](dsh-session:)',
  '\\](dsh-session:*)',
  '@[]](dsh-session:) ',
  '@[]a\\](dsh-session:)',
  '@[\\\n](dsh-session:*)',
  '@[\\\\\n',
  '@[b\\]](dsh-session:ImEi)',
  'dsh-session:ImEi ',
  'dsh-session:ImEj ',
  'dsh-session: ',
  '\\',
  '\\]',
  'white space \n',
  ']',
  ')',
);
const repeated = fc
  .tuple(piece, fc.constantFrom(1, 2, 3, 30, 201))
  .map(([text, times]) => text.repeat(times));
const hostile = fc.array(fc.oneof(repeated, token), { maxLength: 7 }).map((parts) => parts.join(''));

function outcome(run: () => ParsedSessionReferences): ParsedSessionReferences | string {
  try {
    return run();
  } catch (error) {
    if (!isSessionReferenceError(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

function valueOrCode<T>(run: () => T): T | 'SESSION_REFERENCE_INVALID_REFERENCE' {
  try {
    return run();
  } catch (error) {
    if (!isSessionReferenceError(error)) throw error;
    expect(error.code).toBe('SESSION_REFERENCE_INVALID_REFERENCE');
    return 'SESSION_REFERENCE_INVALID_REFERENCE';
  }
}
