import { describe, expect, test } from 'vitest';
import { plainLog, zstdLog } from '../support/log-writer/container.ts';
import { LogScript } from '../support/log-writer/log-script.ts';
import { codeOf, foldEvents, readBytes } from '../support/log-writer/read-back.ts';
import {
  BLOCK_BYTES,
  encodeFrame,
  frameHeader,
  rawBlock,
  rleBlock,
} from '../support/log-writer/zstd-frame.ts';

describe('H-07: large records', () => {
  test('a record of 32 MB is read, plain and compressed', () => {
    const script = new LogScript(4);
    script.user('before');
    script.user(`${'größer 日本 '.repeat(2_200_000)}end`);
    script.user('behind');
    const lines = script.lines;
    expect(Buffer.byteLength(lines[2]!)).toBeGreaterThan(32 * 1024 * 1024);
    const whole = [plainLog(lines), zstdLog(lines, { linesPerFrame: 1 })].map((bytes) => {
      const { events, kinds } = readBytes(bytes);
      expect([events.length, kinds]).toEqual([3, []]);
      return (events[1]!.data as { content: { text: string }[] }).content[0]!.text.length;
    });
    expect(new Set(whole).size).toBe(1);
    expect(whole[0]).toBe(2_200_000 * 10 + 3);
  });

  test('a sound frame that needs a larger window than the decoder grants is not called corrupt', () => {
    const [start, end] = [Buffer.from('{"type":"x","seq":0,"time":1,"data":"'), Buffer.from('"}\n')];
    const blocks = 1060;
    const size = start.length + blocks * BLOCK_BYTES + end.length;
    const run = Array.from({ length: blocks }, () => rleBlock(0x61, BLOCK_BYTES));
    const head = frameHeader(size, { singleSegment: true, sizeField: 8, checksum: false });
    const frame = Buffer.concat([head, rawBlock(start), ...run, rawBlock(end, true)]);
    const bytes = Buffer.concat([encodeFrame(Buffer.from(`${new LogScript(4).lines[0]}\n`)), frame]);
    expect(['none', 'SESSION_LOG_TOO_LARGE']).toContain(codeOf(() => readBytes(bytes)));
  });
});

test('H-01: a log of 3,000 frames equals its plain twin', () => {
  const script = new LogScript(2);
  for (let row = 0; row < 3000; row += 1) script.user(`row ${row}`);
  const compressed = zstdLog(script.lines, { linesPerFrame: 1 });
  expect(JSON.stringify(readBytes(compressed))).toBe(JSON.stringify(readBytes(plainLog(script.lines))));
  expect(readBytes(compressed).lastSeq).toBe(2999);
});

describe('H-12: 250,000 events under the default stack', () => {
  const count = 250_000;

  test('appended, and all replaced by one', () => {
    const script = new LogScript(4);
    for (let seq = 0; seq < count; seq += 1) script.user('x');
    const sources = [[0, count - 1]];
    script.user('sum', { surfaceOp: script.replace(0, count - 1), sourceEventSeqs: sources });
    const { events, lastSeq } = readBytes(plainLog(script.lines));
    expect(lastSeq).toBe(count);
    expect(foldEvents(4, events.slice(0, count)).seqs.length).toBe(count);
    const start = performance.now();
    expect(foldEvents(4, events).seqs).toEqual([count]);
    expect(performance.now() - start).toBeLessThan(4000);
  });

  test('cited one by one, and packed in one row', () => {
    const script = new LogScript(1);
    script.chunks(
      Array.from({ length: count }, () => 'x'),
      true,
    );
    const sources = Array.from({ length: count }, (_none, seq) => seq);
    script.assistant('x', { sourceEventSeqs: sources });
    const { events, lastSeq, kinds } = readBytes(plainLog(script.lines));
    expect([lastSeq, kinds]).toEqual([count, []]);
    expect(foldEvents(1, events).seqs).toEqual([count]);
  });
});
