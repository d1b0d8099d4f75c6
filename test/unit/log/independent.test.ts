import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as zlib from 'node:zlib';
import { decompress } from '@bokuweb/zstd-wasm';
import { describe, expect, inject, test } from 'vitest';
import type { LogBytes } from '../../../src/log/bytes.ts';
import { decodeChunks } from '../../../src/log/container.ts';
import { scanFrame } from '../../../src/log/frames.ts';
import { loadZstd } from '../../../src/log/zstd.ts';
import { zstdLog } from '../../support/log-writer/container.ts';
import { randomConversation } from '../../support/log-writer/conversation.ts';
import { codeOf, withLogBytes } from '../../support/log-writer/read-back.ts';
import { encodeFrame } from '../../support/log-writer/zstd-frame.ts';

const zstd = await loadZstd();

interface Frame {
  readonly bytes: Buffer;
  readonly boundBytes: number;
}

/** The whole frames of a log, as our own walk has them. */
function framesOf(bytes: LogBytes): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.sizeBytes; ) {
    const span = scanFrame(bytes, at, frames.length + 1);
    if (span.isTorn) break;
    frames.push({ bytes: Buffer.from(bytes.view(at, span.end - at)), boundBytes: span.boundBytes });
    at = span.end;
  }
  return frames;
}

/** What our container gives for each frame. */
function decodedOf(bytes: LogBytes): Map<number, Buffer> {
  const byFrame = new Map<number, Buffer[]>();
  for (const { frame, bytes: chunk } of decodeChunks(bytes, zstd)) {
    const parts = byFrame.get(frame) ?? [];
    parts.push(Buffer.from(chunk));
    byFrame.set(frame, parts);
  }
  return new Map([...byFrame].map(([frame, parts]) => [frame, Buffer.concat(parts)]));
}

/** Decoders of other makers, by name. */
const others: [string, (frame: Frame) => Buffer][] = [
  [
    '@bokuweb/zstd-wasm',
    ({ bytes, boundBytes }) => Buffer.from(decompress(bytes, { defaultHeapSize: Math.max(boundBytes, 1) })),
  ],
];
const builtIn = (zlib as { zstdDecompressSync?: (bytes: Buffer) => Buffer }).zstdDecompressSync;
if (builtIn !== undefined) others.push(['Node itself', ({ bytes }) => builtIn(bytes)]);

function compare(bytes: Uint8Array, path: string): number {
  return withLogBytes(bytes, (open) => {
    let decoded = new Map<number, Buffer>();
    const code = codeOf(() => {
      decoded = decodedOf(open);
    });
    // Damaged on purpose: then no frame may be wrong, see below.
    if (code !== 'none') return 0;
    const frames = framesOf(open);
    for (const [name, decode] of others) {
      for (const [at, frame] of frames.entries()) {
        if (!(decoded.get(at + 1) ?? Buffer.alloc(0)).equals(decode(frame)))
          throw new Error(`${path}: frame ${at + 1} by ${name}`);
      }
    }
    return frames.length;
  });
}

const corpus = inject('corpus');
const logs = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.jsonl.zstd'),
);

describe('every frame equals what an independent decoder makes of it', () => {
  test('in every compressed log of the corpus', () => {
    let frames = 0;
    for (const name of logs) frames += compare(readFileSync(join(corpus, name)), name);
    expect(logs.length).toBeGreaterThan(400);
    expect(frames).toBeGreaterThan(1000);
  });

  test.each([
    { frameBytes: 3000 },
    { frameBytes: Number.POSITIVE_INFINITY },
    { blocks: 'raw', blockBytes: 77 },
    { singleSegment: true },
    { sizeField: 8 },
    { checksum: false },
    { emptyFrames: true },
  ] as const)('in logs of our own writer: %o', (options) => {
    for (let seed = 0; seed < 5; seed += 1) {
      const { script } = randomConversation({ format: (seed % 5) as 0, seed, bytes: 40_000 });
      expect(compare(zstdLog(script.lines, options), 'ours')).toBeGreaterThan(1);
    }
  });

  test('in frames of any content, size and block kind', () => {
    for (let size = 0; size < 140_000; size = size * 2 + 1) {
      const content = Buffer.from(Array.from({ length: size }, (_none, at) => (at * at) >> 3));
      for (const options of [{}, { blocks: 'raw' }, { singleSegment: true }] as const) {
        const frame = encodeFrame(content, options);
        expect(Buffer.from(decompress(frame, { defaultHeapSize: size + 1 })).equals(content)).toBe(true);
      }
    }
  });
});

test('what we call damaged, an independent decoder refuses too', () => {
  let refused = 0;
  for (const name of logs) {
    withLogBytes(readFileSync(join(corpus, name)), (open) => {
      const message = messageOf(() => decodedOf(open));
      const at = / does not decode .*\(frame (\d+)/.exec(message)?.[1];
      if (at === undefined) return;
      const frame = framesOf(open)[Number(at) - 1]!;
      for (const [other, decode] of others)
        expect(() => decode(frame), `${basename(name)} by ${other}`).toThrow();
      refused += 1;
    });
  }
  expect(refused).toBeGreaterThan(0);
});

function messageOf(run: () => unknown): string {
  try {
    run();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
