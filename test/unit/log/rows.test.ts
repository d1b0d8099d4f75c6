import { describe, expect, test } from 'vitest';
import { decodeRow } from '../../../src/log/rows.ts';
import { framedLog, plainLog } from '../../support/log-writer/container.ts';
import { ALL_FORMATS, LogScript } from '../../support/log-writer/log-script.ts';
import { codeOf, readBytes } from '../../support/log-writer/read-back.ts';

const row = (value: unknown, expectedSeq = 9, version = 0) =>
  decodeRow(typeof value === 'string' ? value : JSON.stringify(value), expectedSeq, version);

describe('envelopes', () => {
  test('a row that continues the log is an event, as stored', () => {
    const event = { type: 'turn/start', seq: 9, time: -5, data: { turn: 1 }, ignorable: true, more: 1 };
    expect(row(event)).toEqual({ kind: 'event', event });
  });

  test.each([
    'x',
    '',
    '[]',
    'null',
    '5',
    '"turn/end"',
    '{}',
    '{"seq":9}',
    '{"type":5,"seq":9}',
    '{"type":null,"seq":9}',
    '{"type":"x"}',
    '{"type":"x","seq":8}',
    '{"type":"x","seq":10}',
    '{"type":"x","seq":"9"}',
    '{"type":"x","seq":9.5}',
    '{"type":"x","seq":null}',
    '{"type":"x","seq":[9]}',
  ])('%s is a bad row', (text) => {
    expect(row(text)).toMatchObject({ kind: 'bad', isTurnEnd: false });
  });

  test('seq 0 is not negative zero', () => {
    expect(row('{"type":"x","seq":0}', 0).kind).toBe('event');
    expect(row('{"type":"x","seq":-0}', 0).kind).toBe('bad');
  });

  test('the end of a turn is known as one, though its seq is wrong', () => {
    expect(row('{"type":"turn/end","seq":4}')).toMatchObject({ kind: 'bad', isTurnEnd: true });
    expect(row('{"type":"turn/end"}')).toMatchObject({ kind: 'bad', isTurnEnd: true });
  });
});

const DATA = { turn: 1, step: 1, index: 0, dt: [4, -1], texts: ['Hel', 'lo', ' you'] };
const TEXT = { type: 'text-chunks', seq0: 9, time0: 1000, data: DATA };
const CALL_DATA = { turn: 1, step: 1, index: 2, id: 'call-7', name: 'read', dt: [2], args: ['{"p', '"}'] };
const CALL = { type: 'tool-call-chunks', seq0: 9, time0: 1200, data: CALL_DATA };
const without = (value: object, key: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));

describe('packed rows (4.4)', () => {
  test('stand for as many events as they have members', () => {
    expect(row(TEXT)).toEqual({ kind: 'packed', count: 3 });
    expect(row(TEXT, 9, 1)).toEqual({ kind: 'packed', count: 3 });
    expect(row({ ...TEXT, type: 'reasoning-chunks' })).toEqual({ kind: 'packed', count: 3 });
    expect(row(CALL)).toEqual({ kind: 'packed', count: 2 });
    expect(row({ ...CALL, data: without(CALL_DATA, 'name') })).toEqual({ kind: 'packed', count: 2 });
    expect(row({ ...TEXT, data: { ...DATA, dt: [], texts: ['a'] } })).toEqual({ kind: 'packed', count: 1 });
    expect(row({ ...TEXT, time0: -5, data: { ...DATA, turn: 0, texts: ['', '', ''] } }).kind).toBe('packed');
  });

  const bad: [string, unknown][] = [
    ['a key too many in the row', { ...TEXT, seq: 9 }],
    ['no time', without(TEXT, 'time0')],
    ['no data', without(TEXT, 'data')],
    ['data that is no object', { ...TEXT, data: [] }],
    ['seq0 as a string', { ...TEXT, seq0: '9' }],
    ['a negative seq0', { ...TEXT, seq0: -9 }],
    ['the seq of another place', { ...TEXT, seq0: 8 }],
    ['a fraction as time', { ...TEXT, time0: 0.5 }],
    ['an unsafe time', { ...TEXT, time0: 2 ** 53 }],
    ['a key too many in the data', { ...TEXT, data: { ...DATA, id: 'x' } }],
    ['args in a text row', { ...TEXT, data: { ...without(DATA, 'texts'), args: ['a', 'b', 'c'] } }],
    ['texts in a tool call row', { ...CALL, data: { ...without(CALL_DATA, 'args'), texts: ['a', 'b'] } }],
    ['no members', { ...TEXT, data: { ...DATA, dt: [], texts: [] } }],
    ['members that are no list', { ...TEXT, data: { ...DATA, texts: 'abc' } }],
    ['a member that is no string', { ...TEXT, data: { ...DATA, texts: ['a', 1, 'c'] } }],
    ['a gap too few', { ...TEXT, data: { ...DATA, dt: [4] } }],
    ['a gap too many', { ...TEXT, data: { ...DATA, dt: [4, 1, 1] } }],
    ['a gap that is no number', { ...TEXT, data: { ...DATA, dt: [4, '1'] } }],
    ['a gap that is a fraction', { ...TEXT, data: { ...DATA, dt: [4, 0.5] } }],
    ['gaps that leave the safe integers', { ...TEXT, data: { ...DATA, dt: [Number.MAX_SAFE_INTEGER, 1] } }],
    ['a turn that is no number', { ...TEXT, data: { ...DATA, turn: '1' } }],
    ['a step that is no number', { ...TEXT, data: { ...DATA, step: null } }],
    ['an index that is no number', { ...TEXT, data: { ...DATA, index: [] } }],
    ['no turn', { ...TEXT, data: without(DATA, 'turn') }],
    ['a tool call without an id', { ...CALL, data: without(CALL_DATA, 'id') }],
    ['a tool call whose id is no string', { ...CALL, data: { ...CALL_DATA, id: 7 } }],
    ['a tool call whose name is no string', { ...CALL, data: { ...CALL_DATA, name: null } }],
  ];

  test.each(bad)('%s makes it a bad row, never an unknown event', (_what, value) => {
    expect(row(value)).toMatchObject({ kind: 'bad', isTurnEnd: false });
  });

  test('do not exist from v2 on', () => {
    for (const version of [2, 3, 4]) expect(row(TEXT, 9, version).kind).toBe('bad');
  });

  test('trap 11: consume their seqs, and the next row continues behind them', () => {
    const script = new LogScript(1);
    script.chunks(['a', 'b', 'c', 'd'], true);
    script.chunks(['e'], true);
    script.user('hello');
    const { events, lastSeq, kinds } = readBytes(plainLog(script.lines));
    expect([events.map(({ seq }) => seq), lastSeq, kinds]).toEqual([[5], 5, []]);
  });
});

describe.each(ALL_FORMATS)('bad rows (2.4) in v%i', (format) => {
  const end = (seq: number) =>
    `{"type":"turn/end","seq":${seq},"time":1,"data":{"turn":1,"reason":{"kind":"completed"}}}`;
  const read = (...rows: string[]) => {
    const script = new LogScript(format);
    script.user('kept');
    const lines = [...script.lines, ...rows];
    const plain = answerOf(plainLog(lines));
    const compressed = answerOf(framedLog(lines.map((line) => `${line}\n`)));
    expect(compressed.replace(',damage-in-whole-frame', '')).toBe(plain);
    return plain;
  };
  const user = (seq: number) => `{"type":"x/y","seq":${seq},"time":1,"data":1}`;

  test('without the end of a turn behind it the tail is dropped', () => {
    expect(read('rubbish', user(1), user(2))).toBe('0 dropped-tail');
    expect(read(user(2), user(1))).toBe('0 dropped-tail');
    expect(read(user(1), user(1), user(2))).toBe('1 dropped-tail');
    expect(read(user(0))).toBe('0 dropped-tail');
    expect(read('{"type":"text-chunks"}', user(1))).toBe('0 dropped-tail');
  });

  test('with one behind it the log is corrupt, whatever its seq', () => {
    for (const bad of ['rubbish', user(2), '', '{"type":"text-chunks"}']) {
      for (const seq of [0, 1, 2, 77]) expect(read(bad, end(seq))).toBe('SESSION_LOG_CORRUPT');
      expect(read(bad, user(5), 'more rubbish', end(1))).toBe('SESSION_LOG_CORRUPT');
    }
  });

  test('an end of a turn with the wrong seq is itself committed damage', () => {
    expect(read(end(2))).toBe('SESSION_LOG_CORRUPT');
    expect(read(end(0))).toBe('SESSION_LOG_CORRUPT');
    expect(read(end(1))).toBe('1 ');
  });

  test('text that only speaks of the end of a turn is none', () => {
    expect(read('rubbish', '{"type":"x","seq":1,"time":1,"data":"turn/end"}')).toBe('0 dropped-tail');
    expect(read('rubbish', 'turn/end')).toBe('0 dropped-tail');
    expect(read('rubbish', end(1).slice(0, -1))).toBe('0 dropped-tail');
  });

  test('an end of a turn that is spelled with escapes is one', () => {
    expect(read('rubbish', end(1).replace('turn/end', 'turn\\/end'))).toBe('SESSION_LOG_CORRUPT');
    expect(read('rubbish', end(1).replace('turn/end', '\\u0074urn/end'))).toBe('SESSION_LOG_CORRUPT');
  });

  test('line and seq of the damage are named', () => {
    const lines = [...new LogScript(format).lines, user(0), 'rubbish', end(1)];
    expect(() => readBytes(plainLog(lines))).toThrow(
      expect.objectContaining({ kind: 'corrupt', line: 3, seq: 1 }),
    );
  });
});

function answerOf(bytes: Buffer): string {
  let answer = '';
  const code = codeOf(() => {
    const { lastSeq, kinds } = readBytes(bytes);
    answer = `${lastSeq} ${kinds}`;
  });
  return code === 'none' ? answer : code;
}

test('a packed row is refused as a whole', () => {
  const script = new LogScript(0);
  script.user('kept');
  const packed = JSON.stringify({ ...TEXT, seq0: 0 });
  expect(readBytes(plainLog([...script.lines, packed])).lastSeq).toBe(0);
  expect(readBytes(plainLog([...script.lines, JSON.stringify({ ...TEXT, seq0: 1 })])).lastSeq).toBe(3);
});
