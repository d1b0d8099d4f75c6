/** A second thread for looks only saves time: with it, without it, and when it fails, a listing is the same. */
import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { IndexRow } from '../../../src/catalog/index-row.ts';
import { LookThread } from '../../../src/catalog/look-thread.ts';
import { revisionOf } from '../../../src/catalog/revision.ts';
import type { openSessionStore as open } from '../../../src/index.ts';
import { BenchData } from '../../bench/data.ts';
import { scratch } from '../../support/log-writer/scratch.ts';

/** Of the built library: a thread cannot load the sources. */
const BUILT = join(import.meta.dirname, '../../../dist');
const BUILT_WORKER = join(BUILT, 'chunks/look-worker.js');
const LOG_NAME = 'session.jsonl.zstd';

function rowsIn(directory: string, keys: readonly string[]): IndexRow[] {
  return keys.map((key) => {
    const path = join(directory, key);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, LOG_NAME), key);
    const header = { type: 'session', version: 0, id: key, createdAt: 0 } as const;
    return IndexRow.of(key, {
      logName: LOG_NAME,
      directory: revisionOf(statSync(path)),
      log: revisionOf(statSync(join(path, LOG_NAME))),
      labels: { title: undefined, subagentLabel: undefined, unreadable: undefined },
      header,
      folded: { unreadable: 'corrupt' },
    });
  });
}

describe('a thread that looks', () => {
  test('sees what is as it was, and what is not', async () => {
    const directory = scratch();
    const rows = rowsIn(directory, ['a', 'b b', 'ü\n', 'gone', 'grown', 'more']);
    rmSync(join(directory, 'gone'), { recursive: true });
    appendFileSync(join(directory, 'grown', LOG_NAME), '!');
    writeFileSync(join(directory, 'more', 'session.v1.jsonl'), '');
    const thread = new LookThread(BUILT_WORKER);
    const other = scratch();
    const more = rowsIn(other, ['x', 'y']);
    const numbers = await thread.look([
      { directory: scratch(), rows: [] },
      { directory, rows },
      { directory: other, rows: more },
    ]);
    await thread.end();
    expect(numbers?.length).toBe(8 * 10);
    expect([...rows, ...more].map((row, at) => row.isAsIn(numbers!, at))).toEqual([
      ...[true, true, true, false, false, false],
      ...[true, true],
    ]);
  });

  test.each([
    ['is not there', () => join(scratch(), 'none.js')],
    [
      'ends without an answer',
      () => {
        const file = join(scratch(), 'worker.mjs');
        writeFileSync(
          file,
          "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(1));",
        );
        return file;
      },
    ],
  ])('says nothing when it %s', async (_what, workerFile) => {
    const directory = scratch();
    const rows = rowsIn(directory, ['a']);
    const thread = new LookThread(workerFile());
    expect(
      await Promise.all([thread.look([{ directory, rows }]), thread.look([{ directory, rows }])]),
    ).toEqual([undefined, undefined]);
    expect(await thread.look([{ directory, rows }])).toBeUndefined();
    await thread.end();
  });

  test('a store that stays gives the answers of a new one after every change', async () => {
    const { openSessionStore } = (await import(join(BUILT, 'index.js'))) as { openSessionStore: typeof open };
    const root = new BenchData(scratch()).listedRoot(600);
    const clock = () => Date.now() + 5 * 60_000;
    const staying = openSessionStore({ roots: [root], clock });
    const pathOf = (at: number) =>
      join(root, `--bench-project-${at % 60}--`, `session-${String(at).padStart(6, '0')}`, LOG_NAME);
    const changes = [
      () => undefined,
      () => undefined,
      () => undefined,
      () => appendFileSync(pathOf(0), 'torn'),
      () => rmSync(dirname(pathOf(61)), { recursive: true }),
      () => writeFileSync(join(dirname(pathOf(2)), 'session.v9.jsonl'), ''),
      () => writeFileSync(pathOf(599), 'no log'),
      () => rmSync(pathOf(3)),
      () => undefined,
    ];
    for (const change of changes) {
      change();
      const question = { query: 'tiny', limit: 1000 };
      const expected = await openSessionStore({ roots: [root], index: false }).listCandidates(question);
      expect(await staying.listCandidates(question)).toEqual(expected);
      expect(expected.total).toBeGreaterThan(590);
    }
    await staying.close();
  });
});
