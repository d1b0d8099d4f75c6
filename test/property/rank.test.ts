import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareSessions, firstRanked, workspaceMatcher } from '../../src/catalog/candidates.ts';
import {
  decodeIdSegment,
  idSegment,
  isProjectDirectory,
  parseLogName,
  projectKey,
} from '../../src/catalog/names.ts';
import { keyOf, segmentOf } from '../support/log-writer/write-root.ts';

const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const awkward = fc.constantFrom(
  '/',
  '\\',
  ':',
  '-',
  '~',
  '.',
  '..',
  '~002E',
  '~00',
  'a',
  'A',
  '_',
  '😀',
  '\ud800',
  '\0',
  ' ',
);
const anyString = fc.string({ unit: fc.oneof(anyUnit, awkward), maxLength: 300 });

interface Entry {
  readonly id: string;
  readonly createdAt: number;
  readonly cwd: string | undefined;
}

const entry: fc.Arbitrary<Entry> = fc.record({
  id: fc.string({
    unit: fc.constantFrom('a', 'B', 'b', 'é', 'e\u0301', '1', '-', 'ß', '\u0000'),
    maxLength: 4,
  }),
  createdAt: fc.constantFrom(0, 1, 5, Number.MAX_SAFE_INTEGER),
  cwd: fc.constantFrom(undefined, '/here', '/else', '/here/'),
});

const first = (entries: readonly Entry[], count: number) =>
  firstRanked(
    entries.map((outline) => ({ outline: { ...outline, origin: 'root' as const }, entry: outline })),
    count,
    workspaceMatcher('/here', 'linux'),
  ).map((ranked) => ranked.entry);

const order = (entries: readonly Entry[]) => first(entries, entries.length);

describe('ranking', () => {
  test('does not depend on the order of its input', () => {
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: ({ id }) => id }), fc.nat(), (entries, seed) => {
        const shuffled = [...entries].sort((a, b) => hash(a.id, seed) - hash(b.id, seed));
        expect(order(shuffled)).toEqual(order(entries));
      }),
      { numRuns: 1000 },
    );
  });

  test('newest first inside each group; the same workspace, none, others', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const ranked = order(entries);
        const group = ({ cwd }: Entry) => (cwd === '/here' ? 0 : cwd === undefined ? 1 : 2);
        for (const [at, { createdAt }] of ranked.entries()) {
          const next = ranked[at + 1];
          if (next === undefined) continue;
          expect(group(next)).toBeGreaterThanOrEqual(group(ranked[at]!));
          if (group(next) === group(ranked[at]!)) expect(next.createdAt).toBeLessThanOrEqual(createdAt);
        }
        expect(ranked.length).toBe(entries.length);
      }),
    );
  });

  test('the first few are those that all begin with', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(entry, { selector: ({ id }) => id }),
        fc.nat({ max: 12 }),
        (entries, count) => {
          expect(first(entries, count)).toEqual(order(entries).slice(0, count));
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('more sessions than a call takes arguments', () => {
    const many = Array.from({ length: 300_000 }, (_, at) => ({ id: `${at}`, createdAt: at, cwd: undefined }));
    expect(first(many, many.length).length).toBe(many.length);
  });

  test('the order is total: antisymmetric and transitive', () => {
    fc.assert(
      fc.property(entry, entry, entry, (a, b, c) => {
        expect(Math.sign(compareSessions(a, b))).toBe(-Math.sign(compareSessions(b, a)) + 0);
        if (compareSessions(a, b) <= 0 && compareSessions(b, c) <= 0)
          expect(compareSessions(a, c)).toBeLessThanOrEqual(0);
        if (compareSessions(a, b) === 0) expect(a.id).toBe(b.id);
      }),
      { numRuns: 3000 },
    );
  });
});

function hash(id: string, seed: number): number {
  let value = seed;
  for (const unit of id) value = (value * 31 + unit.charCodeAt(0)) % 1_000_003;
  return value;
}

describe('names', () => {
  test('H-44: every id makes the round trip, and no two share a segment', () => {
    fc.assert(
      fc.property(
        anyString.filter((id) => id !== ''),
        anyString,
        (id, other) => {
          const segment = idSegment(id);
          expect(segment).toBe(segmentOf(id));
          expect(segment).toMatch(/^[A-Za-z0-9._~-]+$/);
          expect(['.', '..']).not.toContain(segment);
          expect(decodeIdSegment(segment)).toBe(id);
          if (other !== id) expect(idSegment(other)).not.toBe(segment);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('what decodes is what encoding gives', () => {
    const unit = fc.constantFrom(
      '~',
      '0',
      '2',
      'E',
      'e',
      '.',
      'F',
      'D',
      '8',
      '_',
      '/',
      'x',
      '~002E',
      '~0041',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (segment) => {
        const id = decodeIdSegment(segment);
        if (id !== undefined) expect(idSegment(id)).toBe(segment);
      }),
      { numRuns: 5000 },
    );
  });

  test('project keys are those of the format document, unit by unit, and recognised', () => {
    fc.assert(
      fc.property(
        anyString.filter((cwd) => cwd !== ''),
        (cwd) => {
          const key = projectKey(cwd);
          expect(key).toBe(keyOf(cwd));
          expect(key).toMatch(/^--[A-Za-z0-9._~-]{1,251}--$/);
          expect(isProjectDirectory(key)).toBe(true);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('no name but a canonical one is a log', () => {
    const part = fc.constantFrom(
      'session',
      '.v',
      '1',
      '0',
      '4',
      '12',
      '.jsonl',
      '.zstd',
      '.tmp',
      'Session',
      '.',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const name = parts.join('');
        const match = /^session(?:\.v([1-9][0-9]*))?\.jsonl(\.zstd)?$/.exec(name);
        const parsed =
          match === null ? undefined : { version: Number(match[1] ?? 0), isCompressed: name.endsWith('d') };
        expect(parseLogName(name)).toEqual(parsed);
      }),
      { numRuns: 3000 },
    );
  });
});
