/** Peak memory of the built program: bounded, and not growing with the log. */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeSessionReferenceUri } from '../../src/mention/uri.ts';
import { scratch } from '../support/log-writer/scratch.ts';
import { encodeFrame } from '../support/log-writer/zstd-frame.ts';
import { headerFrame } from './big-log.ts';
import { Processes } from './measure.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/dsh-ref.js');
const OUTPUT = 'some words of a tool, again and again; '.repeat(2000);

/** A log that is cheap to make: large tool results that compress to almost nothing, and a short talk between them. */
function writeCheapLog(path: string, id: string, bytes: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const descriptor = openSync(path, 'wx');
  writeSync(descriptor, headerFrame(4, { id, cwd: '/bench/memory' }));
  const source = { kind: 'user' };
  let seq = 0;
  for (let written = 0; written < bytes; ) {
    const place = { turn: seq, step: 1 };
    const question = {
      id: `u-${seq}`,
      role: 'user',
      source,
      content: [{ type: 'text', text: `question ${seq}` }],
    };
    const callId = `c-${seq}`;
    const result = {
      id: `r-${seq}`,
      role: 'tool',
      toolCallId: callId,
      source: { kind: 'tool', callId },
      content: [{ type: 'text', text: OUTPUT }],
    };
    const rows = [
      { type: 'user/message', seq, time: seq, data: question, surfaceOp: 'append' },
      {
        type: 'tool/result',
        seq: seq + 1,
        time: seq,
        data: { ...place, message: result },
        surfaceOp: 'append',
      },
    ];
    const content = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    written += content.length;
    seq += rows.length;
    writeSync(descriptor, encodeFrame(content));
  }
  closeSync(descriptor);
}

test('`prepare` from 60 MB stays below 140 MB, and from four times as much takes hardly more', () => {
  const root = scratch();
  const processes = new Processes(process.execPath, scratch());
  const [small, large] = [60e6, 240e6].map((bytes) => {
    const id = `log-${bytes}`;
    writeCheapLog(join(root, '--bench-memory--', id, 'session.v4.jsonl.zstd'), id, bytes);
    const text = `see ${encodeSessionReferenceUri(id)} please`;
    return processes.peakBytes([PROGRAM, 'prepare', '--root', root, text]);
  }) as [number, number];
  expect(small).toBeLessThan(140e6);
  expect(large).toBeLessThan(small + 30e6);
  expect(small).toBeGreaterThan(30e6);
});
