import { describe, expect, test, vi } from 'vitest';
import { loadZstd } from '../../../src/log/zstd.ts';
import { framedLog, plainLog, zstdLog } from '../../support/log-writer/container.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { codeOf, readBytes } from '../../support/log-writer/read-back.ts';
import { EMPTY_FRAME, encodeFrame } from '../../support/log-writer/zstd-frame.ts';

const zstd = await loadZstd();
const script = new LogScript(4);
for (let turn = 0; turn < 5; turn += 1) {
  script.user(`question ${turn}, größer ${'abcdefgh'.repeat(turn)}`);
  script.assistant(`answer ${turn * turn}`);
}

const header = Buffer.from(`${script.lines[0]}\n`);
const content = plainLog(script.rows);

describe('H-05: a damaged complete frame is fatal', () => {
  test('whichever bit of it is flipped, never wrong text', () => {
    const first = encodeFrame(header);
    const frame = encodeFrame(content);
    const whole = readBytes(framedLog([header, content])).events;
    const answers = new Map<string, number>();
    for (let at = 0; at < frame.length; at += 1) {
      for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) {
        const flipped = Buffer.from(frame);
        flipped[at]! ^= bit;
        const answer = outcome(Buffer.concat([first, flipped]), whole);
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    }
    // Some flips make the frame seem cut, or touch bits that mean nothing (a larger window).
    expect([...answers.keys()].sort()).toEqual(['SESSION_LOG_CORRUPT', 'a torn prefix', 'the same']);
    expect(answers.get('SESSION_LOG_CORRUPT')!).toBeGreaterThan(frame.length * 6);
    expect(answers.get('the same') ?? 0).toBeLessThan(40);
  });

  test('every bit of the checksum counts', () => {
    const bytes = framedLog([header, content]);
    for (let at = bytes.length - 4; at < bytes.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped = Buffer.from(bytes);
        flipped[at]! ^= 1 << bit;
        expect(codeOf(() => readBytes(flipped))).toBe('SESSION_LOG_CORRUPT');
      }
    }
  });

  test('the place is named, and nothing behind it is read', () => {
    const frames = [header, ...script.rows.slice(0, 4).map((row) => Buffer.from(`${row}\n`))].map((part) =>
      encodeFrame(part),
    );
    frames[2]!.writeUInt32LE(0, frames[2]!.length - 4);
    const byteOffset = frames[0]!.length + frames[1]!.length;
    expect(() => readBytes(Buffer.concat(frames))).toThrow(
      expect.objectContaining({ code: 'SESSION_LOG_CORRUPT', kind: 'corrupt', frame: 3, byteOffset }),
    );
  });

  test('a large frame, which is decoded in pieces, is checked as well', () => {
    const big = new LogScript(4);
    for (let count = 0; count < 6000; count += 1) big.event('x', `${count} `.repeat(200));
    const bytes = zstdLog(big.lines, { frameBytes: Number.POSITIVE_INFINITY });
    expect(readBytes(bytes).events.length).toBe(6000);
    for (const at of [bytes.length - 1, bytes.length - 4, bytes.length >> 1, bytes.length - 40]) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 4;
      expect(codeOf(() => readBytes(flipped))).toBe('SESSION_LOG_CORRUPT');
    }
  });

  test('without a checksum a frame is read', () => {
    expect(readBytes(framedLog([header, content], { checksum: false })).lastSeq).toBe(script.nextSeq - 1);
  });
});

function outcome(bytes: Buffer, whole: readonly unknown[]): string {
  let reading: ReturnType<typeof readBytes> | undefined;
  const code = codeOf(() => {
    reading = readBytes(bytes);
  });
  if (reading === undefined) return code;
  expect(JSON.stringify(reading.events)).toBe(JSON.stringify(whole.slice(0, reading.events.length)));
  if (reading.kinds.includes('torn-frame')) return 'a torn prefix';
  return reading.events.length === whole.length ? 'the same' : 'a silent prefix';
}

describe('empty frames', () => {
  test('perf 0.2: the 13-byte frames behind a multiple of 16 KiB are accepted anywhere but in front', () => {
    const plain = readBytes(plainLog(script.lines));
    expect(readBytes(zstdLog(script.lines, { emptyFrames: true, linesPerFrame: 2 }))).toEqual(plain);
    const frames = [encodeFrame(header), EMPTY_FRAME, EMPTY_FRAME, encodeFrame(content), EMPTY_FRAME];
    expect(readBytes(Buffer.concat(frames))).toEqual(plain);
  });

  test.each([
    {},
    { singleSegment: true, sizeField: 1 },
    { singleSegment: true, sizeField: 8 },
    { sizeField: 4 },
    { checksum: false },
  ] as const)('with any header: %o', (options) => {
    const empty = encodeFrame(Buffer.alloc(0), options);
    expect(readBytes(Buffer.concat([framedLog([header, content]), empty])).kinds).toEqual([]);
  });

  test('a wrong checksum of nothing, or a size that is stated for nothing, is refused', () => {
    const wrong = Buffer.from(EMPTY_FRAME);
    wrong[9]! ^= 1;
    const lying = encodeFrame(Buffer.alloc(0), { sizeField: 4, statedBytes: 5 });
    for (const empty of [wrong, lying]) {
      expect(codeOf(() => readBytes(Buffer.concat([framedLog([header, content]), empty])))).toBe(
        'SESSION_LOG_CORRUPT',
      );
    }
  });
});

describe('the decoder', () => {
  test('perf 0.6: an empty answer where content is due means refused', () => {
    const decode = (frame: Uint8Array, boundBytes: number) =>
      zstd.decodeFrame(frame, { boundBytes, statedBytes: undefined, hasChecksum: true });
    expect(decode(Buffer.from('not a frame at all'), 100)).toBeUndefined();
    expect(decode(Buffer.alloc(0), 100)).toBeUndefined();
    const frame = encodeFrame(content);
    expect(decode(frame, 10)).toBeUndefined();
    expect(decode(frame.subarray(0, -4), content.length)).toBeUndefined();
    expect(Buffer.from(decode(frame, content.length)!)).toEqual(content);
  });

  test('`fetch` is as it was after loading, and during the wait', async () => {
    vi.resetModules();
    const before = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
    const fresh = await import('../../../src/log/zstd.ts');
    const loading = fresh.loadZstd();
    await Promise.resolve();
    await Promise.resolve();
    expect(Object.getOwnPropertyDescriptor(globalThis, 'fetch')).toEqual(before);
    await loading;
    expect(Object.getOwnPropertyDescriptor(globalThis, 'fetch')).toEqual(before);
    expect(await fresh.loadZstd()).toBe(await loading);
  });
});
