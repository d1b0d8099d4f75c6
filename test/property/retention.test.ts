import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSessionReferenceError } from '../../src/errors.ts';
import { keepHeadAndTail } from '../../src/snapshot/head-tail.ts';
import {
  type ConversationItem,
  type RetainedSnapshot,
  retain,
  type SnapshotFields,
} from '../../src/snapshot/retention.ts';
import { shorten } from '../../src/snapshot/shorten.ts';
import { tagSafeJson, tagSafeTextBytes } from '../../src/snapshot/tag-safe-json.ts';
import { parseTranscript, renderTranscript } from '../../src/snapshot/transcript.ts';
import { slowHeadAndTail, slowRetain, slowShorten } from '../support/slow-retention.ts';

const piece = fc.oneof(
  fc.constantFrom(
    '"',
    '\\',
    '\n',
    '\t',
    '\b',
    '\u0000',
    '\u001f',
    '\u007f',
    '<',
    '</',
    '\ufeff',
    '\ufeff\ufeff',
  ),
  fc.constantFrom('a', 'é', '界', '😀', '\ud83d', '\ude00', '\u2028', 'plain words ', '0123456789'),
  fc.constantFrom('a'.repeat(70), '界'.repeat(30), '<'.repeat(20), '\ud800'.repeat(20)),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const anyText = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
const item: fc.Arbitrary<ConversationItem> = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  text: anyText,
  checkpoint: fc.boolean(),
});
const oftenPlain = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const),
  text: fc.integer({ min: 0, max: 120 }).map((length) => 'x'.repeat(length)),
  checkpoint: fc.constantFrom(true, false, false, false),
});
const items = fc.oneof(fc.array(item, { maxLength: 8 }), fc.array(oftenPlain, { maxLength: 16 }));
const fields: fc.Arbitrary<SnapshotFields> = fc.record({
  sessionId: fc.oneof(fc.constant('s1'), anyText),
  label: fc.oneof(fc.constant('s1'), anyText),
  cwd: fc.option(fc.oneof(fc.constant('/w'), anyText)),
  capturedThroughSeq: fc.option(fc.nat()),
});

function retainOrGiveUp(...args: Parameters<typeof retain>): RetainedSnapshot | undefined {
  try {
    return retain(...args);
  } catch (error) {
    if (!isSessionReferenceError(error)) throw error;
    expect(error.code).toBe('SESSION_REFERENCE_BUDGET_EXCEEDED');
    return undefined;
  }
}

describe('layers A and B', () => {
  test('head and tail of any bytes equal the slow version', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 24 }),
      anyText.map((text) => new TextEncoder().encode(text)),
    );
    const room = fc.oneof(fc.nat(12), fc.nat(200));
    fc.assert(
      fc.property(bytes, room, room, (input, head, tail) => {
        expect(keepHeadAndTail(input, head, tail)).toEqual(slowHeadAndTail(input, head, tail));
      }),
      { numRuns: 3000 },
    );
  });

  test('shortening equals the slow version, fits, and counts every byte', () => {
    const room = fc.oneof(fc.nat(80), fc.nat(400));
    fc.assert(
      fc.property(anyText, room, (text, maxBytes) => {
        const got = shorten(text, maxBytes);
        expect(got).toEqual(slowShorten(text, maxBytes));
        expect(got.bytes).toBe(Buffer.byteLength(got.text));
        expect(got.bytes).toBeLessThanOrEqual(maxBytes);
      }),
      { numRuns: 3000 },
    );
  });

  test('byte-order marks around a cut where the count loses a digit', () => {
    const marks = (min: number) => fc.string({ unit: fc.constant('\ufeff'), minLength: min, maxLength: 2 });
    const letters = (min: number, max: number) =>
      fc.integer({ min, max }).map((length) => 'a'.repeat(length));
    const marked = fc
      .tuple(marks(0), letters(80, 110), marks(1), letters(0, 14))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(marked, fc.integer({ min: 32, max: 70 }), (text, maxBytes) => {
        expect(shorten(text, maxBytes)).toEqual(slowShorten(text, maxBytes));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('layer C', () => {
  test('equals the loops as written, and fits the budget', () => {
    let retained = 0;
    let givenUp = 0;
    const budget = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 80, max: 2500 }));
    fc.assert(
      fc.property(fields, items, budget, (anyFields, conversation, maxBytes) => {
        const got = retainOrGiveUp(anyFields, conversation, maxBytes);
        const want = slowRetain(anyFields, conversation, maxBytes);
        expect(got).toEqual(want);
        if (got === undefined) return void givenUp++;
        retained++;
        expect(JSON.stringify(got)).toBe(JSON.stringify(want));
        expect(Buffer.byteLength(tagSafeJson(got.data))).toBeLessThanOrEqual(maxBytes);
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(retained, givenUp)).toBeGreaterThan(300);
  });

  test('equals the loops at budgets around the size of the whole', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: -300, max: 3 }), (conversation, distance) => {
        const s1 = { sessionId: 's1', label: 's1', cwd: '/w', capturedThroughSeq: 3 };
        const whole = retain(s1, conversation, Number.MAX_SAFE_INTEGER);
        expect(whole.truncated).toBe(false);
        const maxBytes = Math.max(1, Buffer.byteLength(tagSafeJson(whole.data)) + distance);
        expect(retainOrGiveUp(s1, conversation, maxBytes)).toEqual(slowRetain(s1, conversation, maxBytes));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('tag-safe JSON', () => {
  test('has no tag, parses back, and its size is known without building it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = tagSafeJson({ text });
        expect(json).not.toContain('<');
        expect(JSON.parse(json)).toEqual({ text });
        expect(tagSafeTextBytes(text)).toBe(Buffer.byteLength(tagSafeJson(text)) - 2);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('transcript', () => {
  test('is the JSON of 64 code points a line, whatever the text', () => {
    const unit = fc.oneof(
      { weight: 80, arbitrary: fc.string({ unit: 'binary', maxLength: 150 }) },
      {
        weight: 20,
        arbitrary: fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 80 }).map(fromUnits),
      },
      { weight: 20, arbitrary: fc.array(fc.nat(0x200), { maxLength: 200 }).map(fromUnits) },
      // More than a part holds.
      { weight: 1, arbitrary: fc.constantFrom('\0'.repeat(50_000), '…😀'.repeat(60_000)) },
    );
    const texts = fc.array(
      fc.array(unit, { maxLength: 4 }).map((all) => all.join('')),
      { maxLength: 6 },
    );
    const metadata = {
      sessionId: 's',
      label: 'l',
      cwd: null,
      capturedThroughSeq: null,
      capturedFormatVersion: 4,
    };
    const opening = renderTranscript(metadata, []);
    fc.assert(
      fc.property(texts, (all) => {
        const items = all.map((text) => ({ role: 'assistant' as const, text }));
        const expected = all.map(
          (text, at) => `\n### Message ${at + 1}: assistant\n\n${slowFragments(text)}`,
        );
        expect(renderTranscript(metadata, items)).toBe(opening + expected.join(''));
      }),
      { numRuns: 2000 },
    );
  });

  test('gives every message back exactly', () => {
    const messages = fc.array(item, { maxLength: 6 });
    fc.assert(
      fc.property(fields, fc.nat(9), messages, (anyFields, capturedFormatVersion, conversation) => {
        const metadata = { ...anyFields, capturedFormatVersion };
        const text = renderTranscript(metadata, conversation);
        const plain = conversation.map((each) => ({ role: each.role, text: each.text }));
        expect(parseTranscript(text)).toEqual({ metadata, messages: plain });
        const fragments = text.split('\n').filter((line) => line.startsWith('"'));
        expect(fragments.every((line) => line.length <= 386)).toBe(true);
      }),
    );
  });
});

function fromUnits(units: readonly number[]): string {
  return String.fromCharCode(...units);
}

function slowFragments(text: string): string {
  const codePoints = [...text];
  let lines = '';
  for (let at = 0; at < codePoints.length; at += 64) {
    lines += `${JSON.stringify(codePoints.slice(at, at + 64).join(''))}\n`;
  }
  return lines;
}
