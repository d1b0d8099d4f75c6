import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { MAX_LINE_BYTES } from '../../src/log/limits.ts';
import { plainLog, zstdLog } from '../support/log-writer/container.ts';
import { LogScript } from '../support/log-writer/log-script.ts';
import { scratch } from '../support/log-writer/scratch.ts';
import {
  BLOCK_BYTES,
  encodeFrame,
  frameHeader,
  rawBlock,
  rleBlock,
} from '../support/log-writer/zstd-frame.ts';
import type { ChildReport } from './read-log-child.ts';

const child = join(import.meta.dirname, 'read-log-child.ts');

/** Reads a log of these bytes in a fresh process. */
async function readInChild(
  bytes: Buffer,
  extension: string,
  { isQuick = true, rounds = 1 } = {},
): Promise<ChildReport> {
  const folder = scratch();
  const [warmUp, path] = [join(folder, `warm-up.jsonl${extension}`), join(folder, `log.jsonl${extension}`)];
  const small = scriptOf(1_000_000).lines;
  writeFileSync(warmUp, extension === '' ? plainLog(small) : zstdLog(small, { frameBytes: 50_000 }));
  writeFileSync(path, bytes);
  const given = ['--import', 'tsx', child, warmUp, path, String(isQuick), String(rounds)];
  const { stdout } = await promisify(execFile)(process.execPath, given, {
    cwd: join(import.meta.dirname, '../..'),
  });
  return JSON.parse(stdout);
}

/** Tool results and streamed answers, mostly: about `bytes` of them. */
function scriptOf(bytes: number): LogScript {
  const script = new LogScript(4);
  const output = `${'some output of a tool, line by line\\n'.repeat(500)}`;
  for (let written = 0; written < bytes; written += output.length * 1.2) {
    script.user(`question ${written}`);
    script.toolResult(`call-${written}`, output);
    script.event('llm/retry', { text: 'not needed '.repeat(100) });
  }
  return script;
}

const header = encodeFrame(Buffer.from(`${new LogScript(4).lines[0]}\n`));

describe('memory does not grow with the log', () => {
  const script = scriptOf(100_000_000);
  const last = script.nextSeq - 1;

  test.each([true, false])('100 MB plain, quick: %s', async (isQuick) => {
    const report = await readInChild(plainLog(script.lines), '', { isQuick });
    expect(report).toMatchObject({ outcome: last, surface: (script.nextSeq / 3) * 2 });
    expect(report.grownMb).toBeLessThan(60);
  });

  test('trap 33: 100 MB in one giant frame', async () => {
    const report = await readInChild(
      zstdLog(script.lines, { frameBytes: Number.POSITIVE_INFINITY, window: 0x58 }),
      '.zstd',
    );
    expect(report).toMatchObject({ outcome: last });
    expect(report.grownMb).toBeLessThan(60);
  });

  test('100 MB in many frames', async () => {
    const report = await readInChild(zstdLog(script.lines, { frameBytes: 200_000 }), '.zstd');
    expect(report).toMatchObject({ outcome: last });
    expect(report.grownMb).toBeLessThan(60);
  });
});

describe('H-06: bombs', () => {
  const rowStart = Buffer.from('{"type":"x","seq":0,"time":1,"data":"');
  /** A frame of RLE blocks that decodes to `blocks` × 128 KiB of one byte, and a row around them. */
  const bomb = (blocks: number, byte = 0x61) => {
    const run = Array.from({ length: blocks }, () => rleBlock(byte, BLOCK_BYTES));
    const head = frameHeader(0, { checksum: false, window: 0x58 });
    return Buffer.concat([head, rawBlock(rowStart), ...run, rawBlock(Buffer.from('"}\n'), true)]);
  };

  test('H-07: one line over the cap is too large, neither corrupt nor missing', async () => {
    const bytes = Buffer.concat([header, bomb(MAX_LINE_BYTES / BLOCK_BYTES + 1)]);
    expect(bytes.length).toBeLessThan(10_000);
    const report = await readInChild(bytes, '.zstd');
    expect(report.outcome).toBe('SESSION_LOG_TOO_LARGE');
    expect(report.grownMb).toBeLessThan((MAX_LINE_BYTES * 2) / 1e6);
  });

  test('a first frame that never ends is stopped at the limit of a header', async () => {
    const report = await readInChild(bomb(8000), '.zstd');
    expect(report.outcome).toBe('SESSION_LOG_TOO_LARGE');
    expect(report.grownMb).toBeLessThan(80);
    expect(report.ms).toBeLessThan(3000);
  });

  test('a stated size, or a window, of a thousand gigabytes takes no memory', async () => {
    const content = Buffer.from('x\n');
    for (const frame of [
      encodeFrame(content, { sizeField: 8, statedBytes: 2 ** 40 }),
      encodeFrame(content, { singleSegment: true, sizeField: 8, statedBytes: 2 ** 40 }),
      encodeFrame(content, { window: 0xff }),
    ]) {
      const report = await readInChild(Buffer.concat([header, frame]), '.zstd');
      expect([null, 'SESSION_LOG_CORRUPT', 'SESSION_LOG_TOO_LARGE']).toContain(report.outcome);
      expect(report.grownMb).toBeLessThan(60);
    }
  });

  test('128 MB of line feeds, which are bad rows, take no longer than other bytes', async () => {
    const run = Array.from({ length: 1024 }, (_none, at) => rleBlock(10, BLOCK_BYTES, at === 1023));
    const frame = Buffer.concat([frameHeader(0, { checksum: false, window: 0x58 }), ...run]);
    const report = await readInChild(Buffer.concat([header, frame]), '.zstd');
    expect(report.ms).toBeLessThan(2000);
    expect(report.grownMb).toBeLessThan(60);
  });
});

test('a giant frame that is refused gives its memory back', async () => {
  const bytes = zstdLog(scriptOf(5_000_000).lines, { frameBytes: Number.POSITIVE_INFINITY, window: 0x58 });
  bytes[bytes.length - 1]! ^= 1;
  const report = await readInChild(bytes, '.zstd', { rounds: 60 });
  expect(report.outcome).toBe('SESSION_LOG_CORRUPT');
  expect(report.grownMb).toBeLessThan(60);
});
