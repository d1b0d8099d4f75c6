/** Threads only save time: whatever they do or fail to do, every log is folded once, and as it is folded here. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listCatalog } from '../../../src/catalog/catalog.ts';
import { foldAll } from '../../../src/store/fold-pool.ts';
import { foldForListing, type ListingFold } from '../../../src/store/read-labels.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { writeRoot } from '../../support/log-writer/write-root.ts';

/** Of the built library: a thread cannot load the sources. */
const BUILT_WORKER = join(import.meta.dirname, '../../../dist/chunks/fold-worker.js');

async function sessions(count: number) {
  const root = scratch();
  const paths = writeRoot(root, {
    sessions: Array.from({ length: count }, (_none, at) => ({
      id: `s-${at}`,
      cwd: '/p',
      bytes: 2000 + 40 * at,
    })),
  });
  // One that cannot be folded.
  appendFileSync(paths[3]!, Buffer.from('no frame, no row\n'));
  const { entries } = await listCatalog([root], () => {});
  expect(entries.length).toBe(count);
  return entries;
}

type Entries = Awaited<ReturnType<typeof sessions>>;

async function folded(entries: Entries, workerFile: string, signal?: AbortSignal): Promise<string[]> {
  const folds = new Map<string, ListingFold | undefined>();
  await foldAll(entries, {
    signal,
    forIndex: true,
    threads: 2,
    workerFile,
    onFold: ({ sessionId }, fold) => {
      expect(folds.has(sessionId), `${sessionId} is folded twice`).toBe(false);
      folds.set(sessionId, fold);
    },
  });
  return entries.map(({ sessionId }) => JSON.stringify(folds.get(sessionId)));
}

async function foldedHere(entries: Entries): Promise<string[]> {
  const folds: string[] = [];
  for (const entry of entries) folds.push(JSON.stringify(await foldForListing(entry, { forIndex: true })));
  return folds;
}

function workerOf(code: string): string {
  const file = join(scratch(), 'worker.mjs');
  writeFileSync(file, `import { parentPort } from 'node:worker_threads';\n${code}`);
  return file;
}

describe('folding in several threads', () => {
  test('gives what folding here gives', async () => {
    const entries = await sessions(120);
    expect(await folded(entries, BUILT_WORKER)).toEqual(await foldedHere(entries));
  });

  test.each([
    ['is not there', () => join(scratch(), 'none.js')],
    ['does not start', () => workerOf("throw new Error('no');")],
    ['ends at once', () => workerOf('process.exit(3);')],
    [
      'fails at the first logs',
      () => workerOf("parentPort.on('message', () => { throw new Error('no'); });"),
    ],
    [
      'ends after some logs',
      // The real one, ended at its third message.
      () =>
        workerOf(
          `import ${JSON.stringify(BUILT_WORKER)};
          let count = 0;
          parentPort.on('message', () => { count += 1; if (count === 3) process.exit(1); });`,
        ),
    ],
  ])('does without a thread that %s', async (_what, makeWorker) => {
    const entries = await sessions(60);
    expect(await folded(entries, makeWorker())).toEqual(await foldedHere(entries));
  });

  test('what the caller throws when it is told of a fold comes back to the caller', async () => {
    const entries = await sessions(120);
    const onFold = (): void => {
      throw new Error('mine');
    };
    for (const count of [1, 60]) {
      // At the first fold, wherever it was made; at one that only a thread can have made by then.
      let told = 0;
      const options = { forIndex: true, threads: 2, workerFile: BUILT_WORKER };
      const onLater = (): void => {
        told += 1;
        if (told === count) onFold();
      };
      await expect(foldAll(entries, { ...options, onFold: onLater })).rejects.toThrow('mine');
    }
    const inThread = (): void => {
      if (/MessagePort/.test(new Error().stack ?? '')) onFold();
    };
    const many = [...(await sessions(300)), ...entries];
    await expect(
      foldAll(many, { forIndex: true, threads: 2, workerFile: BUILT_WORKER, onFold: inThread }),
    ).rejects.toThrow('mine');
  });

  test('stops when it is cancelled, whatever a thread does', async () => {
    const entries = await sessions(60);
    const cancelled = new AbortController();
    setTimeout(() => cancelled.abort(), 300);
    const silent = workerOf("parentPort.on('message', () => {}); setInterval(() => {}, 1000);");
    await expect(folded(entries, silent, cancelled.signal)).rejects.toMatchObject({
      code: 'SESSION_REFERENCE_CANCELLED',
    });
  });
});
