import { describe, expect, test } from 'vitest';
import { closeTornFrame, scanFrame } from '../../../src/log/frames.ts';
import { loadZstd } from '../../../src/log/zstd.ts';
import { framedLog, plainLog, zstdLog } from '../../support/log-writer/container.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { codeOf, readBytes, withLogBytes } from '../../support/log-writer/read-back.ts';
import { encodeFrame, joinFrame, rawBlock, rleBlock } from '../../support/log-writer/zstd-frame.ts';

const script = new LogScript(1);
script.startTurn();
script.user('größer 日本語 😀');
script.chunks(['a', 'b', 'ü', 'd'], true);
script.assistant('a'.repeat(150), { sourceEventSeqs: [[3, 6]] });
script.toolRound('call-1', 'output '.repeat(20));
script.title('A title');
script.endTurn();
const whole = readBytes(plainLog(script.lines));
const zstd = await loadZstd();

describe('a plain log cut at every byte', () => {
  test('gives the whole records of what is left, and says so', () => {
    const bytes = plainLog(script.lines);
    const headerEnd = bytes.indexOf(10) + 1;
    let due = { lines: 0, ...whole };
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = bytes.subarray(0, length);
      if (length < headerEnd) {
        expect(codeOf(() => readBytes(cut, undefined, false))).toBe('SESSION_LOG_EMPTY');
        continue;
      }
      const lines = cut.toString('latin1').split('\n').length - 1;
      const { events, lastSeq, kinds } = readBytes(cut);
      if (lines !== due.lines) due = { lines, ...readBytes(plainLog(script.lines.slice(0, lines))) };
      expect(JSON.stringify(events)).toBe(JSON.stringify(due.events));
      expect(lastSeq).toBe(due.lastSeq);
      expect(kinds).toEqual(cut.at(-1) === 10 ? [] : ['torn-line']);
    }
  });
});

describe.each([
  ['compressed', { blocks: 'compressed', linesPerFrame: 3 }],
  ['raw, in small blocks', { blocks: 'raw', blockBytes: 300, frameBytes: 900 }],
  ['single segments', { blocks: 'compressed', singleSegment: true, linesPerFrame: 2 }],
  ['without checksums', { blocks: 'compressed', checksum: false, linesPerFrame: 4 }],
] as const)('H-04: a compressed log (%s) cut at every byte', (_name, options) => {
  const bytes = zstdLog(script.lines, options);
  const borders = frameBorders(bytes);

  test('gives a prefix of the records, at least the whole frames, and reports the tear', () => {
    const readings = new Set<number>();
    let atBorder = 0;
    for (let length = 0; length <= bytes.length; length += 1) {
      const cut = bytes.subarray(0, length);
      if (length < borders[1]!) {
        expect(codeOf(() => readBytes(cut, undefined, true))).toBe('SESSION_LOG_EMPTY');
        continue;
      }
      const { events, kinds } = readBytes(cut);
      expect(JSON.stringify(events)).toBe(JSON.stringify(whole.events.slice(0, events.length)));
      const isBorder = borders.includes(length);
      expect(kinds.includes('torn-frame')).toBe(!isBorder);
      if (isBorder) expect(kinds).toEqual([]);
      if (isBorder) atBorder = events.length;
      expect(events.length).toBeGreaterThanOrEqual(atBorder);
      readings.add(events.length);
    }
    expect(readings.size).toBeGreaterThan(3);
    expect(Math.max(...readings)).toBe(whole.events.length);
  });
});

describe('what a torn frame still holds', () => {
  const rows = new LogScript(4);
  for (let count = 0; count < 40; count += 1) rows.event('x', 'a'.repeat(100 + count));
  const content = plainLog(rows.rows);
  const header = Buffer.from(`${rows.lines[0]}\n`);

  test.each([true, false])('its whole blocks, single segment: %s', (singleSegment) => {
    const frame = encodeFrame(content, { blocks: 'raw', blockBytes: 1000, singleSegment });
    for (const blocks of [0, 1, 3, 4]) {
      const cut = frame.subarray(0, frame.length - 4 - content.length - 15 + blocks * 1003 + 500);
      const { events, kinds } = readBytes(Buffer.concat([encodeFrame(header), cut]));
      const due =
        content
          .subarray(0, blocks * 1000)
          .toString()
          .split('\n').length - 1;
      expect(events.length).toBe(due);
      expect(kinds[0]).toBe('torn-frame');
    }
  });

  test.each([true, false])(
    'compressed blocks that look back beyond their own, single segment: %s',
    (singleSegment) => {
      const big = new LogScript(4);
      for (let count = 0; count < 4000; count += 1) big.event('x', `line ${count % 97} of the log`.repeat(3));
      const decoded = plainLog(big.rows);
      expect(decoded.length).toBeGreaterThan(3 * 128 * 1024);
      const frame = encodeFrame(decoded, { singleSegment });
      const cut = Buffer.concat([encodeFrame(header), frame.subarray(0, frame.length - 5)]);
      const { events, kinds } = readBytes(cut);
      expect(events.length).toBeGreaterThan(1000);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, at) => at));
      expect(kinds).toEqual(['torn-frame', 'torn-line']);
    },
  );

  test('only the checksum is missing: everything is there', () => {
    for (const missing of [1, 2, 3, 4]) {
      const bytes = framedLog([header, content]);
      const { events, kinds } = readBytes(bytes.subarray(0, bytes.length - missing));
      expect([events.length, kinds]).toEqual([40, ['torn-frame']]);
    }
  });

  test('a torn frame whose blocks are refused gives nothing, which is no error', () => {
    const reserved = joinFrame(Buffer.concat([rleBlock(65, 200_000), rawBlock(content, true)]), content);
    const rubbish = Buffer.from(encodeFrame(content).subarray(0, -1));
    rubbish.fill(0x55, 9, rubbish.length - 10);
    for (const cut of [reserved.subarray(0, -1), rubbish]) {
      const { events, kinds } = readBytes(Buffer.concat([encodeFrame(header), cut]));
      expect(events.length).toBe(0);
      expect(kinds[0]).toBe('torn-frame');
    }
  });

  test('closing marks the last whole block as last and drops size, checksum and what is behind', () => {
    const frame = encodeFrame(content, { blocks: 'raw', blockBytes: 1000, sizeField: 8 });
    withLogBytes(frame.subarray(0, 14 + 2 * 1003 + 7), (bytes) => {
      const span = scanFrame(bytes, 0, 1);
      expect(span).toMatchObject({ isTorn: true, blocksStart: 14, end: 14 + 2006, boundBytes: 2000 });
      const closed = closeTornFrame(bytes, span)!;
      expect(closed[4]).toBe(0);
      const decoded = zstd.decodeFrame(closed, {
        boundBytes: 2000,
        statedBytes: undefined,
        hasChecksum: false,
      });
      expect(Buffer.from(decoded!)).toEqual(content.subarray(0, 2000));
    });
  });

  test('without a whole block, or with a dictionary, there is nothing to close', () => {
    const plain = encodeFrame(content, { blocks: 'raw' });
    const withDictionary = Buffer.concat([plain.subarray(0, 6), Buffer.from([7]), plain.subarray(6)]);
    withDictionary[4]! |= 1;
    for (const cut of [
      plain.subarray(0, 40),
      plain.subarray(0, 5),
      plain.subarray(0, 2),
      withDictionary.subarray(0, -1),
    ]) {
      withLogBytes(cut, (bytes) => expect(closeTornFrame(bytes, scanFrame(bytes, 0, 1))).toBeUndefined());
    }
  });
});

function frameBorders(bytes: Uint8Array): number[] {
  return withLogBytes(bytes, (open) => {
    const borders = [0];
    while (borders.at(-1)! < bytes.length) borders.push(scanFrame(open, borders.at(-1)!, borders.length).end);
    return borders;
  });
}
