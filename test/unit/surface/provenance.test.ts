import { describe, expect, test } from 'vitest';
import { citesAll, decodeSourceSeqs } from '../../../src/surface/provenance.ts';
import { ALL_FORMATS, LogScript } from '../../support/log-writer/log-script.ts';
import { eventsOf, foldEvents } from '../../support/log-writer/read-back.ts';

/** The decoded list, every seq by itself. */
function seqsOf(list: unknown, ownSeq = 100): number[] | string {
  const ranges = decodeSourceSeqs(list, ownSeq);
  if (typeof ranges === 'string') return 'refused';
  return ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_none, at) => first + at),
  );
}

describe('decoding (4.2)', () => {
  test.each([
    [[], []],
    [[5], [5]],
    [
      [2, [5, 9], 12],
      [2, 5, 6, 7, 8, 9, 12],
    ],
    [
      [[0, 0], 1],
      [0, 1],
    ],
    [
      [
        [0, 3],
        [5, 6],
      ],
      [0, 1, 2, 3, 5, 6],
    ],
    [
      [0, 1, 2, 3, 7, 8],
      [0, 1, 2, 3, 7, 8],
    ],
    [
      [9, 3, 7],
      [9, 3, 7],
    ],
    [
      [3, 4, 5, 1, 2],
      [3, 4, 5, 1, 2],
    ],
    [[99], [99]],
  ])('%j', (list, seqs) => {
    expect(seqsOf(list)).toEqual(seqs);
  });

  test.each([
    null,
    'x',
    5,
    {},
    [100],
    [-1],
    [1.5],
    ['1'],
    [null],
    [{}],
    [true],
    [[1]],
    [[]],
    [[1, 2, 3]],
    [[2, 1]],
    [[1, 100]],
    [['1', 2]],
    [[[1, 2], 3]],
    [5, 5],
    [3, 4, 3],
    [1, 2, 3, 2],
    [2, 3, 2, 3],
    [[1, 3], 2],
    [[1, 3], 3],
    [
      [1, 3],
      [3, 4],
    ],
    [7, [1, 3]],
    [
      [5, 6],
      [1, 2],
    ],
    [0, [0, 9007199254740990]],
    [[0, 9007199254740990]],
    [[0, 9007199254740992]],
  ])('refuses %j', (list) => {
    expect(seqsOf(list)).toBe('refused');
  });

  test('refuses negative zero', () => {
    expect(seqsOf(JSON.parse('[-0]'))).toBe('refused');
    expect(seqsOf(JSON.parse('[[-0,2]]'))).toBe('refused');
  });

  test('trap 20: bounds are checked before anything is expanded', () => {
    const own = Number.MAX_SAFE_INTEGER;
    const before = performance.now();
    expect(decodeSourceSeqs([[0, own - 1]], own)).toEqual([[0, own - 1]]);
    expect(performance.now() - before).toBeLessThan(50);
  });

  test('a list of 250,000 seqs is no matter', () => {
    const list = Array.from({ length: 250_000 }, (_none, at) => at * 2);
    expect(seqsOf(list, 600_000)).toEqual(list);
    expect(seqsOf([...list].reverse(), 600_000)).toEqual([...list].reverse());
  });
});

test('citing', () => {
  expect(citesAll([], [])).toBe(true);
  expect(citesAll([], [1])).toBe(false);
  expect(
    citesAll(
      [
        [9, 9],
        [1, 3],
      ],
      [2, 9, 1, 3],
    ),
  ).toBe(true);
  expect(
    citesAll(
      [
        [9, 9],
        [1, 3],
      ],
      [4],
    ),
  ).toBe(false);
  expect(
    citesAll(
      [
        [9, 9],
        [1, 3],
      ],
      [0],
    ),
  ).toBe(false);
  expect(
    citesAll(
      [
        [9, 9],
        [1, 3],
      ],
      [10],
    ),
  ).toBe(false);
});

describe.each(ALL_FORMATS)('rules of v%i (5.4)', (format) => {
  const kinds = (write: (script: LogScript) => void) => {
    const script = new LogScript(format);
    script.user('a');
    script.event('turn/start', { turn: 1 });
    write(script);
    return foldEvents(format, eventsOf(script.rows)).kinds;
  };
  const isOld = format <= 1;

  test('an empty list is odd but for assistant messages of v0 and v1', () => {
    expect(kinds((script) => script.user('b', { sourceEventSeqs: [] }))).toEqual(['odd-provenance']);
    const onMessage = kinds((script) => script.assistant('b', { sourceEventSeqs: [] }));
    expect(onMessage).toEqual(isOld ? [] : ['odd-provenance']);
  });

  test('assistant messages cite their chunks in v0 and v1 only', () => {
    const onMessage = kinds((script) => script.assistant('b', { sourceEventSeqs: [1] }));
    expect(onMessage).toEqual(isOld ? [] : ['odd-provenance']);
    expect(kinds((script) => script.user('b', { sourceEventSeqs: [0, 1] }))).toEqual([]);
  });

  test('an assistant message cannot replace without citing', () => {
    const script = new LogScript(format);
    script.user('a');
    script.assistant('b', { surfaceOp: script.replace(0, 0) });
    expect(() => foldEvents(format, eventsOf(script.rows))).toThrow('does not cite');
  });
});
