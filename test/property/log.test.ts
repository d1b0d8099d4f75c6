import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineSplitter } from '../../src/log/lines.ts';
import {
  cutContents,
  framedLog,
  plainLog,
  type ZstdOptions,
  zstdLog,
} from '../support/log-writer/container.ts';
import { randomConversation } from '../support/log-writer/conversation.ts';
import { type Format, LogScript } from '../support/log-writer/log-script.ts';
import { codeOf, foldEvents, readBytes } from '../support/log-writer/read-back.ts';

const format = fc.constantFrom<Format>(0, 1, 2, 3, 4);
const conversation = fc
  .record({ format, seed: fc.nat(), bytes: fc.integer({ min: 300, max: 6000 }), isComplete: fc.boolean() })
  .map(randomConversation);
const framing: fc.Arbitrary<ZstdOptions> = fc.record(
  {
    blocks: fc.constantFrom('raw', 'compressed'),
    blockBytes: fc.integer({ min: 1, max: 3000 }),
    singleSegment: fc.boolean(),
    checksum: fc.boolean(),
    emptyFrames: fc.boolean(),
    linesPerFrame: fc.integer({ min: 1, max: 20 }),
    frameBytes: fc.constantFrom(1, 500, 100_000),
  },
  { requiredKeys: [] },
);

/** As text, which is much faster to compare. */
const answer = (bytes: Buffer) => JSON.stringify(readBytes(bytes));

describe('lines', () => {
  const bytes = fc.array(fc.oneof(fc.nat(255), fc.constant(10), fc.constant(0xf0)), { maxLength: 200 });

  test('any cut of the bytes into chunks gives the same lines', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(200)), (all, cuts) => {
        const whole = Buffer.from(all);
        const places = [0, ...cuts.filter((at) => at < whole.length).sort((a, b) => a - b), whole.length];
        const chunks = places.slice(1).map((to, at) => whole.subarray(places[at], to));
        const lines = whole.toString('latin1').split('\n');
        expect(split(chunks)).toEqual({ lines: lines.slice(0, -1), unfinished: lines.at(-1)!.length });
      }),
      { numRuns: 1000 },
    );
  });
});

function split(chunks: readonly Buffer[]): { lines: string[]; unfinished: number } {
  const lines: string[] = [];
  const splitter = new LineSplitter(
    (buffer, start, end) => lines.push(buffer.toString('latin1', start, end)),
    () => {
      throw new Error('too long');
    },
  );
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, unfinished: splitter.unfinishedBytes };
}

describe('containers', () => {
  test('plain equals compressed, however it is framed, and both are what was written', () => {
    fc.assert(
      fc.property(conversation, framing, ({ script, surfaceSeqs, title }, options) => {
        const plain = readBytes(plainLog(script.lines));
        expect(answer(zstdLog(script.lines, options))).toBe(JSON.stringify(plain));
        expect([plain.lastSeq, plain.kinds]).toEqual([script.nextSeq - 1, []]);
        const { seqs, fold, kinds } = foldEvents(script.format, plain.events);
        expect([seqs, fold.facts.title?.title, kinds]).toEqual([surfaceSeqs, title, []]);
      }),
      { numRuns: 150 },
    );
  });

  test('H-09: frame borders may fall anywhere, inside characters too', () => {
    fc.assert(
      fc.property(conversation, fc.array(fc.nat(20_000), { maxLength: 30 }), ({ script }, borders) => {
        const decoded = plainLog(script.lines);
        const bytes = framedLog(cutContents(decoded, borders));
        expect(answer(bytes)).toBe(answer(decoded));
      }),
      { numRuns: 100 },
    );
  });

  test('a frame border at every byte of a line of many-byte characters', () => {
    const script = new LogScript(4);
    script.user('ä日😀ß本𝕏');
    const decoded = plainLog(script.lines);
    const every = Array.from({ length: decoded.length }, (_none, at) => at);
    expect(answer(framedLog(cutContents(decoded, every)))).toBe(answer(decoded));
    for (const border of every) {
      expect(answer(framedLog(cutContents(decoded, [border]), { blocks: 'raw' }))).toBe(answer(decoded));
    }
  });

  test('a cut plain log and a cut compressed log give a prefix of the records', () => {
    fc.assert(
      fc.property(
        conversation,
        framing,
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ script }, options, share) => {
          const bytes = [plainLog(script.lines), zstdLog(script.lines, options)];
          const whole = readBytes(bytes[0]!);
          for (const [at, all] of bytes.entries()) {
            const cut = all.subarray(0, Math.floor(all.length * share));
            let reading: ReturnType<typeof readBytes> | undefined;
            const code = codeOf(() => {
              reading = readBytes(cut, undefined, at === 1);
            });
            if (reading === undefined) expect(code).toBe('SESSION_LOG_EMPTY');
            else
              expect(JSON.stringify(reading.events)).toBe(
                JSON.stringify(whole.events.slice(0, reading.events.length)),
              );
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('packed rows', () => {
  const spec = fc.record({
    format: fc.constantFrom<Format>(0, 1),
    seed: fc.nat(),
    bytes: fc.integer({ min: 300, max: 4000 }),
  });

  test('packed equals unpacked: the same surface, title and last seq', () => {
    let packedRows = 0;
    fc.assert(
      fc.property(spec, (given) => {
        const { script } = randomConversation(given);
        const unpacked = script.rows.flatMap(unpack);
        packedRows += unpacked.length - script.rows.length;
        const [header] = script.lines;
        const [a, b] = [script.rows, unpacked].map((rows) => {
          const { events, lastSeq, kinds } = readBytes(plainLog([header!, ...rows]));
          const { seqs, fold } = foldEvents(script.format, events);
          const others = events.filter(({ type }) => type !== 'assistant/chunk');
          return JSON.stringify({ lastSeq, kinds, seqs, title: fold.facts.title?.title, others });
        });
        expect(a).toBe(b);
      }),
      { numRuns: 100 },
    );
    expect(packedRows).toBeGreaterThan(1000);
  });
});

/** A packed row as the events it stands for (format document, 4.4); any other row as it is. */
function unpack(text: string): string[] {
  const row = JSON.parse(text);
  if (row.type !== 'text-chunks') return [text];
  const { turn, step, index, dt, texts } = row.data;
  return texts.map((delta: string, at: number) => {
    const time = dt.slice(0, at).reduce((sum: number, gap: number) => sum + gap, row.time0);
    const data = { turn, step, chunk: { type: 'text-delta', index, text: delta } };
    return JSON.stringify({ type: 'assistant/chunk', seq: row.seq0 + at, time, data });
  });
}
