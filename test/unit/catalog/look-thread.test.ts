/** A second thread for looks only saves time: with it, without it, and when it fails, a listing is the same. */
import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MadeRow, RowTable, type SingleRow } from '../../../src/catalog/index-row.ts';
import { type LookAtRows, type LookPart, LookThread } from '../../../src/catalog/look-thread.ts';
import { revisionOf } from '../../../src/catalog/revision.ts';
import type { openSessionStore as open } from '../../../src/index.ts';
import { BenchData } from '../../bench/data.ts';
import { scratch } from '../../support/log-writer/scratch.ts';

/** Of the built library: a thread cannot load the sources. */
const BUILT = join(import.meta.dirname, '../../../dist');
const BUILT_WORKER = join(BUILT, 'chunks/look-worker.js');
const LOG_NAME = 'session.jsonl.zstd';

function rowsIn(directory: string, keys: readonly string[]): RowTable {
  const rows = keys.map((key) => {
    const path = join(directory, key);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, LOG_NAME), key);
    return rowOf(path, key);
  });
  return RowTable.of(rows);
}

function rowOf(path: string, key: string): MadeRow {
  return new MadeRow(key, {
    logName: LOG_NAME,
    directory: revisionOf(statSync(path)),
    log: revisionOf(statSync(join(path, LOG_NAME))),
    labels: { title: undefined, subagentLabel: undefined, unreadable: undefined },
    header: { type: 'session', version: 0, id: key, createdAt: 0 },
    folded: { unreadable: 'corrupt' },
  });
}

/** Which rows the thread finds as they are known, when the caller takes nothing; waits as long as it takes. */
async function seenBy(thread: LookThread, projects: readonly LookAtRows[]): Promise<boolean[]> {
  const looks = thread.begin(projects)!;
  const rowCount = projects.reduce((count, { rows }) => count + rows.length, 0);
  const seen = () => Array.from({ length: rowCount }, (_none, row) => looks.isSame(row));
  let before = seen();
  for (let quiet = 0; quiet < 10; ) {
    await new Promise((done) => setTimeout(done, 30));
    const now = seen();
    quiet = now.some(Boolean) && now.every((isSame, row) => isSame === before[row]) ? quiet + 1 : 0;
    before = now;
  }
  return before;
}

describe('a thread that looks', () => {
  test('sees what is as it was, and what is not', async () => {
    const directory = scratch();
    const rows = rowsIn(directory, ['a', 'b b', 'ü\n', 'gone', 'grown', 'more']);
    const other = scratch();
    const more = rowsIn(other, ['x', 'y']);
    const projects = [
      { directory: scratch(), rows: RowTable.of([]) },
      { directory, rows },
      { directory: other, rows: more },
    ];
    const thread = new LookThread(BUILT_WORKER);
    expect(await seenBy(thread, projects)).toEqual(Array(8).fill(true));
    rmSync(join(directory, 'gone'), { recursive: true });
    appendFileSync(join(directory, 'grown', LOG_NAME), '!');
    writeFileSync(join(directory, 'more', 'session.v1.jsonl'), '');
    expect(await seenBy(thread, projects)).toEqual([true, true, true, false, false, false, true, true]);
    // What is known of one has changed; the others are the same.
    const path = join(directory, 'grown');
    const known: SingleRow[] = rows.rows();
    known[4] = rowOf(path, 'grown');
    const later = [projects[0]!, { directory, rows: RowTable.of(known) }, projects[2]!];
    expect(await seenBy(thread, later)).toEqual([true, true, true, false, true, false, true, true]);
    // Other files altogether.
    expect(await seenBy(thread, [{ directory: other, rows: RowTable.of(more.rows().toReversed()) }])).toEqual(
      [true, true],
    );
    await thread.end();
    expect(thread.begin(projects)).toBeUndefined();
  });

  test('each part is taken by one of the two', async () => {
    const directory = scratch();
    const rows = rowsIn(
      directory,
      Array.from({ length: 100 }, (_none, at) => `s${at}`),
    );
    const thread = new LookThread(BUILT_WORKER);
    for (let listing = 0; listing < 50; listing += 1) {
      const looks = thread.begin([{ directory, rows }])!;
      const mine: LookPart[] = [];
      for (let part = looks.take(); part !== undefined; part = looks.take()) {
        mine.push(part);
        if (listing % 3 === 0) await new Promise((done) => setImmediate(done));
      }
      const covered = [...mine, ...looks.taken()].flatMap(({ from, to }) =>
        Array.from({ length: to - from }, (_none, at) => from + at),
      );
      expect(covered.sort((a, b) => a - b)).toEqual(rows.keys.map((_key, at) => at));
    }
    await thread.end();
  });

  test.each([
    ['is not there', () => join(scratch(), 'none.js')],
    [
      'ends at once',
      () => {
        const file = join(scratch(), 'worker.mjs');
        writeFileSync(file, 'process.exit(1);');
        return file;
      },
    ],
    [
      'does nothing',
      () => {
        const file = join(scratch(), 'worker.mjs');
        writeFileSync(file, 'setInterval(() => undefined, 1000);');
        return file;
      },
    ],
  ])('says nothing when it %s', async (_what, workerFile) => {
    const directory = scratch();
    const rows = rowsIn(directory, ['a']);
    const thread = new LookThread(workerFile());
    const looks = thread.begin([{ directory, rows }]);
    await new Promise((done) => setTimeout(done, 300));
    expect(looks?.isSame(0)).toBe(false);
    expect(looks?.take()).toEqual({ project: 0, from: 0, to: 1, first: 0 });
    expect(looks?.take()).toBeUndefined();
    expect(looks?.taken()).toEqual([]);
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
