import { describe, expect, test } from 'vitest';
import { type ConversationItem, retain } from '../../../src/snapshot/retention.ts';
import { tagSafeJson } from '../../../src/snapshot/tag-safe-json.ts';
import { measureGrowth } from '../../support/growth.ts';

const fields = (capturedThroughSeq: number | null) => ({
  sessionId: 's1',
  label: 's1',
  cwd: '/w',
  capturedThroughSeq,
});
const user = (text: string): ConversationItem => ({ role: 'user', text, checkpoint: false });
const assistant = (text: string): ConversationItem => ({ role: 'assistant', text, checkpoint: false });
const checkpoint = (text: string): ConversationItem => ({ role: 'user', text, checkpoint: true });
const notice = (omitted: number) => `\n[… omitted ${omitted} UTF-8 bytes …]`;

/** The columns of the document's tables. */
function run(seq: number | null, items: readonly ConversationItem[], maxBytes: number) {
  const { data, omittedMessages, omittedBytes } = retain(fields(seq), items, maxBytes);
  const size = Buffer.byteLength(tagSafeJson(data));
  return { size, texts: data.conversation.map((message) => message.text), omittedMessages, omittedBytes };
}

describe('C.1: a checkpoint and a newest message', () => {
  const summary = `SUMMARY ${'s'.repeat(80)}`;
  const latest = `latest ask ${'q'.repeat(120)}`;
  const items = [checkpoint(summary), user('mid question'), assistant('mid answer'), user(latest)];
  const summaryCut = `SUMMARY ${'s'.repeat(45)}${notice(35)}`;
  const latestCut = (letters: number, omitted: number) =>
    `latest ask ${'q'.repeat(letters)}${notice(omitted)}`;

  test.each<[maxBytes: number, size: number, texts: string[], omittedMessages: number, omittedBytes: number]>(
    [
      [420, 394, [summary, 'mid answer', latest], 1, 12],
      [380, 353, [summary, latest], 2, 22],
      [330, 330, [summary, latestCut(63, 57)], 2, 79],
      [300, 300, [summaryCut, latestCut(34, 86)], 2, 143],
      [280, 280, [summaryCut, latestCut(13, 107)], 2, 164],
      [260, 260, [summaryCut, `laqq${notice(127)}`], 2, 184],
      [230, 222, [summary, ''], 2, 153],
      [200, 200, [`SUMMARY ${'s'.repeat(24)}${notice(56)}`, ''], 2, 209],
      [180, 180, [`SUMMAR${'s'.repeat(6)}${notice(76)}`, ''], 2, 229],
      [165, 134, ['', ''], 2, 241],
    ],
  )('budget %i', (maxBytes, size, texts, omittedMessages, omittedBytes) => {
    expect(run(3, items, maxBytes)).toEqual({ size, texts, omittedMessages, omittedBytes });
  });
});

describe('C.2: six short messages', () => {
  const texts = ['first', 'second', 'third'].flatMap((nth) => [`${nth} question`, `${nth} answer`]);
  const items = texts.map((text, at) => (at % 2 === 0 ? user(text) : assistant(text)));

  test.each<[maxBytes: number, size: number, left: number, omittedMessages: number, omittedBytes: number]>([
    [1000, 333, 6, 0, 0],
    [333, 333, 6, 0, 0],
    [330, 293, 5, 1, 14],
    [290, 250, 4, 2, 26],
    [200, 165, 2, 4, 54],
    [150, 125, 1, 5, 68],
    [128, 125, 1, 5, 68],
  ])('budget %i', (maxBytes, size, left, omittedMessages, omittedBytes) => {
    const want = { size, texts: texts.slice(6 - left), omittedMessages, omittedBytes };
    expect(run(5, items, maxBytes)).toEqual(want);
  });

  test('an emptied message stays', () => {
    const snapshot = retain(fields(5), items, 120);
    expect(snapshot.data.conversation).toEqual([{ role: 'assistant', text: '' }]);
    expect(run(5, items, 120)).toEqual({ size: 113, texts: [''], omittedMessages: 5, omittedBytes: 80 });
    expect(snapshot).toMatchObject({ originalMessages: 6, retainedMessages: 1, truncated: true });
  });
});

describe('C.3: single messages', () => {
  test.each<[text: string, maxBytes: number, result: string, size: number, omittedBytes: number]>([
    ['<'.repeat(60), 300, '', 108, 60],
    ['<'.repeat(60), 200, '', 108, 60],
    ['<a>'.repeat(40), 250, '', 108, 120],
    ['\u0000'.repeat(50), 200, '', 108, 50],
    ['line\n'.repeat(40), 200, `line\nlineine\nline\n${notice(182)}`, 164, 182],
    ['界'.repeat(60), 200, `${'界'.repeat(19)}${notice(123)}`, 200, 123],
    ['😀'.repeat(60), 200, `${'😀'.repeat(14)}${notice(184)}`, 199, 184],
  ])('%j, budget %i', (text, maxBytes, result, size, omittedBytes) => {
    expect(run(0, [user(text)], maxBytes)).toEqual({
      size,
      texts: [result],
      omittedMessages: 0,
      omittedBytes,
    });
  });

  test('no messages at all', () => {
    expect(run(null, [], 86)).toEqual({ size: 86, texts: [], omittedMessages: 0, omittedBytes: 0 });
    expect(() => retain(fields(null), [], 85)).toThrow('"s1" does not fit a budget of 85 bytes');
  });
});

describe('C.4: ties', () => {
  const [a, b, d] = ['A', 'B', 'D'].map((letter) => letter.repeat(90)) as [string, string, string];

  test('the first of equals is shortened first', () => {
    const want = { size: 224, texts: ['', b], omittedMessages: 0, omittedBytes: 90 };
    expect(run(0, [checkpoint(a), user(b)], 250)).toEqual(want);
  });

  test('several times', () => {
    const texts = ['', `${'D'.repeat(17)}${notice(73)}`, `${'B'.repeat(55)}${notice(35)}`];
    const want = { size: 300, texts, omittedMessages: 0, omittedBytes: 198 };
    expect(run(0, [checkpoint(a), checkpoint(d), user(b)], 300)).toEqual(want);
  });
});

describe('facts and failure', () => {
  test('the result is plain, its keys in the order of the contract', () => {
    expect(JSON.stringify(retain(fields(7), [checkpoint('sum'), assistant('ok')], 500))).toBe(
      '{"data":{"sessionId":"s1","label":"s1","cwd":"/w","capturedThroughSeq":7,"conversation":' +
        '[{"role":"user","text":"sum"},{"role":"assistant","text":"ok"}]},"compacted":true,' +
        '"originalMessages":2,"retainedMessages":2,"omittedMessages":0,"shortenedMessages":0,"omittedBytes":0,"truncated":false}',
    );
  });

  test('a budget too small for the fixed fields', () => {
    const tight = () => retain({ ...fields(7), sessionId: 'a"b' }, [user('hello')], 100);
    expect(tight).toThrow(
      expect.objectContaining({
        name: 'SessionReferenceError',
        code: 'SESSION_REFERENCE_BUDGET_EXCEEDED',
        message:
          'session "a\\"b" does not fit a budget of 100 bytes: its fixed fields and empty messages alone take 110',
      }),
    );
    const { data } = retain({ ...fields(7), sessionId: 'a"b' }, [user('hello')], 110);
    expect(data.conversation).toEqual([{ role: 'user', text: '' }]);
  });
});

describe('the cost grows with the conversation, not with its square', () => {
  const message = (index: number, isCheckpoint: boolean): ConversationItem => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    text: `message ${index} says\n"something" <b> ${'word 界 '.repeat(8)}`,
    checkpoint: isCheckpoint,
  });
  const list = (length: number, every: number) =>
    Array.from({ length }, (_, index) => message(index, index % every === 0));

  test.each<[name: string, every: number, budget: (length: number) => number]>([
    ['nearly all dropped', 1e9, () => 65_536],
    ['half of them dropped', 1e9, (length) => length * 70],
    ['a checkpoint now and then', 100, () => 65_536],
    ['all of them shortened', 1, (length) => length * 120],
    ['all of them emptied', 1, (length) => length * 40],
  ])('%s', (_, every, budget) => {
    const run = (items: readonly ConversationItem[]) => void retain(fields(1), items, budget(items.length));
    const { factor, largeMs } = measureGrowth(list(25_000, every), list(100_000, every), run);
    expect(largeMs).toBeLessThan(1000);
    expect(factor).toBeLessThan(5);
  });
});
