import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../src/log/diagnostics.ts';
import type { SessionHeader } from '../../src/log/header.ts';
import { LineSplitter } from '../../src/log/lines.ts';
import type { StoredEvent } from '../../src/log/rows.ts';
import { SessionFold } from '../../src/surface/session-fold.ts';
import { measureGrowth } from '../support/growth.ts';
import { zstdLog } from '../support/log-writer/container.ts';
import { headerOf, LogScript } from '../support/log-writer/log-script.ts';
import { eventsOf, readBytes } from '../support/log-writer/read-back.ts';

const sizes = [15_000, 60_000] as const;

function foldAll(events: readonly StoredEvent[]): void {
  const header = headerOf(4) as unknown as SessionHeader;
  const fold = new SessionFold({
    header,
    path: '/log',
    keep: ({ seq }) => seq,
    diagnostics: new Diagnostics(),
  });
  for (const event of events) fold.apply(event, 1);
}

/** Expects at most five times the time for four times the work. */
function expectLinear<T>(make: (size: number) => T, run: (input: T) => void): void {
  const { factor, largeMs } = measureGrowth(make(sizes[0]), make(sizes[1]), run);
  expect(factor, `${largeMs} ms`).toBeLessThan(5);
}

describe('four times the events take about four times as long', () => {
  test('appended', () => {
    expectLinear((size) => {
      const script = new LogScript(4);
      for (let seq = 0; seq < size; seq += 1) script.user('x');
      return eventsOf(script.rows);
    }, foldAll);
  });

  test('replaced at the front, at the end, and in the midst', () => {
    expectLinear((size) => {
      const script = new LogScript(4);
      for (let seq = 0; seq < size; seq += 1) script.user('x');
      for (let round = 0; round < size / 3; round += 1) {
        for (const seq of [round, size - 1 - round]) {
          script.user('y', { surfaceOp: script.replace(seq, seq), sourceEventSeqs: [seq] });
        }
      }
      return eventsOf(script.rows);
    }, foldAll);
  });

  test('compacted again and again, each checkpoint over the one before', () => {
    expectLinear((size) => {
      const script = new LogScript(4);
      let checkpoint = script.user('x');
      while (script.nextSeq < size) {
        const next = script.user('x');
        checkpoint = script.compact('sum', checkpoint, next, [checkpoint, next]);
      }
      return eventsOf(script.rows);
    }, foldAll);
  });

  test('frames', () => {
    expectLinear(
      (size) => {
        const script = new LogScript(4);
        for (let seq = 0; seq < size / 10; seq += 1) script.event('x', 1);
        return zstdLog(script.lines, { linesPerFrame: 1, blocks: 'raw' });
      },
      (bytes) => readBytes(bytes),
    );
  });

  test('one line in many chunks', () => {
    expectLinear(
      (size) => size * 20,
      (chunks) => {
        const splitter = new LineSplitter(
          () => {},
          () => {
            throw new Error('too long');
          },
        );
        const chunk = Buffer.alloc(100, 'x');
        for (let count = 0; count < chunks / 10; count += 1) splitter.push(chunk);
      },
    );
  });
});
