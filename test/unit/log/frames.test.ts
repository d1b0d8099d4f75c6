import { describe, expect, test } from 'vitest';
import { scanFrame } from '../../../src/log/frames.ts';
import { framedLog, plainLog, zstdLog } from '../../support/log-writer/container.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { codeOf, readBytes, withLogBytes } from '../../support/log-writer/read-back.ts';
import {
  blockHeader,
  EMPTY_FRAME,
  encodeFrame,
  type FrameOptions,
  frameHeader,
  joinFrame,
  rawBlock,
  skippableFrame,
} from '../../support/log-writer/zstd-frame.ts';

const scan = (bytes: Uint8Array, start = 0) => withLogBytes(bytes, (open) => scanFrame(open, start, 1));
const header = `${new LogScript(4).lines[0]}\n`;

/** A log whose second frame decodes to exactly `size` bytes, and that frame. */
function logWithFrameOf(size: number, options: FrameOptions): { bytes: Buffer; frame: Buffer } {
  const start = '{"type":"x","seq":0,"time":1,"data":"';
  const content =
    size <= start.length + 3 ? 'y'.repeat(size) : `${start}${'y'.repeat(size - start.length - 3)}"}\n`;
  const frame = encodeFrame(Buffer.from(content), options);
  return { bytes: Buffer.concat([encodeFrame(Buffer.from(header)), frame]), frame };
}

describe('frame headers', () => {
  const fields: FrameOptions[] = [
    {},
    ...([2, 4, 8] as const).map((sizeField) => ({ sizeField })),
    ...([1, 2, 4, 8] as const).map((sizeField) => ({ sizeField, singleSegment: true })),
  ];
  const fits = (size: number, { sizeField = 0 }: FrameOptions) =>
    (sizeField !== 1 || size < 256) && (sizeField !== 2 || (size >= 256 && size < 65_792));

  test.each([0, 1, 255, 256, 257, 65_791, 65_792, 200_000])('H-03: %i bytes, in every size field', (size) => {
    for (const options of fields.filter((field) => fits(size, field))) {
      for (const blocks of ['raw', 'rle', 'compressed'] as const) {
        if (blocks === 'rle' && size > 40) continue;
        for (const checksum of [true, false]) {
          const { bytes, frame } = logWithFrameOf(size, { ...options, blocks, checksum });
          const what = JSON.stringify({ ...options, blocks, checksum });
          const span = scan(frame);
          expect(span.isTorn, what).toBe(false);
          expect(span.end, what).toBe(frame.length);
          expect(span.hasChecksum, what).toBe(checksum);
          expect(span.statedBytes, what).toBe(options.sizeField === undefined ? undefined : size);
          expect(span.boundBytes, what).toBeGreaterThanOrEqual(size);
          const { events, kinds } = readBytes(bytes);
          expect(events.length, what).toBe(size > 40 ? 1 : 0);
          expect(kinds, what).toEqual(size > 40 || size === 0 ? [] : ['torn-line']);
          if (size > 40) expect((events[0]!.data as string).length, what).toBe(size - 40);
        }
      }
    }
  });

  test.each([1, 2, 3])('dictionary id code %i is walked over, and cannot be decoded', (code) => {
    const frame = encodeFrame(Buffer.from('row'), { descriptorBits: code, blocks: 'raw' });
    const id = Buffer.alloc([0, 1, 2, 4][code]!, 7);
    const withId = Buffer.concat([frame.subarray(0, 6), id, frame.subarray(6)]);
    expect(scan(withId)).toMatchObject({ end: withId.length, isTorn: false, statedBytes: undefined });
    expect(codeOf(() => readBytes(Buffer.concat([encodeFrame(Buffer.from(header)), withId])))).toBe(
      'SESSION_LOG_CORRUPT',
    );
  });

  test.each([0x08, 0x10, 0x18])('reserved bits %i are corruption', (descriptorBits) => {
    const bad = encodeFrame(Buffer.from('x\n'), { descriptorBits });
    expect(() => scan(bad)).toThrow('reserved bits');
    expect(codeOf(() => readBytes(Buffer.concat([zstdLog([header.trim()]), bad])))).toBe(
      'SESSION_LOG_CORRUPT',
    );
  });

  test('a reserved block type is corruption, wherever it stands', () => {
    const bad = Buffer.concat([
      frameHeader(8),
      rawBlock(Buffer.from('abcd')),
      blockHeader(3, 4, true),
      EMPTY_FRAME,
    ]);
    expect(() => scan(bad)).toThrow('reserved type');
  });

  test('a stated size that is not the decoded one is corruption', () => {
    for (const statedBytes of [256, 299, 301, 100_000]) {
      const { bytes } = logWithFrameOf(300, { sizeField: 4, statedBytes, blocks: 'raw' });
      expect(
        codeOf(() => readBytes(bytes)),
        String(statedBytes),
      ).toBe('SESSION_LOG_CORRUPT');
    }
    for (const statedBytes of [0, 299, 301, 1000, 2 ** 40]) {
      const { bytes } = logWithFrameOf(300, { sizeField: 8, statedBytes });
      expect(
        codeOf(() => readBytes(bytes)),
        String(statedBytes),
      ).toBe('SESSION_LOG_CORRUPT');
    }
  });
});

describe('frame borders', () => {
  test('several blocks of every kind make one frame', () => {
    const part = Buffer.from(`${new LogScript(4).lines[0]}\n`);
    const blocks = Buffer.concat([
      rawBlock(part.subarray(0, 9)),
      rawBlock(Buffer.alloc(0)),
      rawBlock(part.subarray(9), true),
    ]);
    const frame = joinFrame(blocks, part);
    expect(scan(frame).end).toBe(frame.length);
    expect(readBytes(frame).header.id).toBe('s-1');
  });

  test('H-02: the magic number inside the data ends no frame', () => {
    const script = new LogScript(4);
    const magic = '\u0028\ufffd/\ufffd';
    for (let count = 0; count < 50; count += 1) script.event('x', { text: magic });
    const decoded = plainLog(script.lines);
    // Raw blocks, so that the very bytes of a frame start stand in the file.
    const planted = Buffer.concat([
      decoded,
      Buffer.from('{"type":"x","seq":50,"time":1,"data":"'),
      Buffer.from(EMPTY_FRAME),
      Buffer.from('"}\n'),
    ]);
    const at = planted.indexOf(10) + 1;
    const bytes = framedLog([planted.subarray(0, at), planted.subarray(at)], { blocks: 'raw' });
    const { events, kinds } = readBytes(bytes);
    expect(bytes.indexOf(EMPTY_FRAME.subarray(0, 4), at + 60)).toBeGreaterThan(0);
    expect(events.length).toBeGreaterThanOrEqual(50);
    expect(kinds.filter((kind) => kind !== 'dropped-tail' && kind !== 'damage-in-whole-frame')).toEqual([]);
  });

  test('a wrong magic number where a frame must begin is corruption that names frame and byte', () => {
    const good = zstdLog(new LogScript(4).lines);
    const bytes = Buffer.concat([good, Buffer.from('no frame begins here')]);
    expect(() => readBytes(bytes)).toThrow(
      expect.objectContaining({ code: 'SESSION_LOG_CORRUPT', frame: 2, byteOffset: good.length }),
    );
  });

  test('skippable frames are corruption, in front, between and behind', () => {
    const script = new LogScript(4);
    script.event('x', 1);
    const frames = [encodeFrame(Buffer.from(header)), encodeFrame(Buffer.from(`${script.rows[0]}\n`))];
    for (const kind of [0, 15]) {
      for (const at of [0, 1, 2]) {
        const bytes = Buffer.concat([
          ...frames.slice(0, at),
          skippableFrame(Buffer.from('hi'), kind),
          ...frames.slice(at),
        ]);
        expect(codeOf(() => readBytes(bytes, undefined, true))).toBe('SESSION_LOG_CORRUPT');
      }
    }
  });

  test('trap 3: a first frame that holds more than the header, or less, is corruption with its own words', () => {
    const script = new LogScript(4);
    script.event('x', 1);
    const all = plainLog(script.lines);
    for (const singleSegment of [true, false]) {
      expect(() => readBytes(encodeFrame(all, { singleSegment }))).toThrow('more than the header line');
    }
    const half = [all.subarray(0, 10), all.subarray(10)];
    expect(() => readBytes(framedLog(half))).toThrow('whole header line');
    expect(() => readBytes(framedLog([Buffer.alloc(0), all]))).toThrow('whole header line');
    expect(() => readBytes(framedLog(['\n', all]))).toThrow('header');
  });
});
