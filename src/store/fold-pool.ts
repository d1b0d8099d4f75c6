/**
 * Many logs folded, in several threads where that is sooner done. A thread takes as long to start as folding some ten
 * megabytes, so only a first listing of a good deal more is shared. Threads only ever save time: what one of them
 * does not do is done here.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CatalogEntry } from '../catalog/entry.ts';
import { throwIfCancelled } from '../errors.ts';
import { dueTurn } from '../turn.ts';
import { type FoldOptions, foldForListing, type ListedLog, type ListingFold } from './read-labels.ts';

/** Logs for a thread to fold. */
export interface LogBatch {
  readonly number: number;
  readonly logs: readonly ListedLog[];
  readonly forIndex: boolean;
}

/** What became of them, in their order; undefined for one that is gone by now. */
export interface FoldedBatch {
  readonly number: number;
  readonly folds: readonly (ListingFold | undefined)[];
}

export interface PoolOptions extends FoldOptions {
  /** Told of each log when it is folded, in no order. */
  readonly onFold: (entry: CatalogEntry, fold: ListingFold | undefined) => void;
  /** Besides this one; default as many as are worth it. */
  readonly threads?: number;
  readonly workerFile?: string;
}

const WORTH_BYTES = 200e6;
/** How much larger a log is than its compressed file, as a rule. */
const USUAL_RATIO = 3;
const MAX_THREADS = 3;
const BATCHES_PER_THREAD = 24;
/** One that is being folded, and the next, so that a thread need not wait while this one is at work. */
const BATCHES_AHEAD = 2;

/** One for each processor but the first, where they would be done sooner than this one alone. */
function threadsWorthIt(entries: readonly CatalogEntry[]): number {
  let bytes = 0;
  for (const { sizeBytes, log } of entries) bytes += log.isCompressed ? sizeBytes * USUAL_RATIO : sizeBytes;
  return bytes < WORTH_BYTES ? 0 : Math.min(availableParallelism() - 1, MAX_THREADS);
}

/** Folds the logs of `entries`. Errors: SESSION_REFERENCE_CANCELLED. */
export async function foldAll(entries: readonly CatalogEntry[], options: PoolOptions): Promise<void> {
  const { signal, onFold } = options;
  const threads = options.threads ?? threadsWorthIt(entries);
  const workerFile = options.workerFile ?? join(import.meta.dirname, 'fold-worker.js');
  const open = inBatches(entries, (threads + 1) * BATCHES_PER_THREAD);
  const pool = startThreads(workerFile, threads, open, options);
  try {
    for (;;) {
      const next = open.shift();
      if (next === undefined) {
        if (!(await pool.hasMore(signal))) return;
        continue;
      }
      for (const entry of next) {
        const turn = dueTurn();
        if (turn !== undefined) await turn;
        pool.throwIfFailed();
        throwIfCancelled(signal);
        onFold(entry, await foldForListing(entry, options));
      }
    }
  } finally {
    await pool.end();
  }
}

type Batch = readonly CatalogEntry[];

/** About equal batches, those with the largest logs first: what is left for the end is small. */
function inBatches(entries: readonly CatalogEntry[], count: number): Batch[] {
  const total = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const batches: CatalogEntry[][] = [];
  let batchBytes = Number.POSITIVE_INFINITY;
  for (const entry of [...entries].sort((a, b) => b.sizeBytes - a.sizeBytes)) {
    if (batchBytes + entry.sizeBytes > total / count) {
      batches.push([]);
      batchBytes = 0;
    }
    batches.at(-1)!.push(entry);
    batchBytes += entry.sizeBytes;
  }
  return batches;
}

interface Pool {
  /** What being told of a fold has thrown; a listener has nobody to throw it to. */
  throwIfFailed(): void;
  /** Waits until there is something to do here, or nothing left at all. Errors: SESSION_REFERENCE_CANCELLED. */
  hasMore(signal: AbortSignal | undefined): Promise<boolean>;
  end(): Promise<void>;
}

/** Threads that take batches from `open`, and give back what they could not do. */
function startThreads(
  workerFile: string,
  count: number,
  open: Batch[],
  { forIndex, onFold }: PoolOptions,
): Pool {
  const away = new Map<number, Batch>();
  let sent = 0;
  let failure: { readonly error: unknown } | undefined;
  const throwIfFailed = (): void => {
    if (failure !== undefined) throw failure.error;
  };
  let onChange = (): void => undefined;
  const send = (worker: Worker, mine: Set<number>): void => {
    const batch = open.shift();
    if (batch === undefined) return;
    const number = sent++;
    away.set(number, batch);
    mine.add(number);
    // Of a log that grew the row of before has its details on disk; few have one, and they can be folded anew.
    const logs = batch.map(({ log }) => ({ log }));
    worker.postMessage({ number, logs, forIndex } satisfies LogBatch);
  };
  const workers = Array.from({ length: count }, () => {
    const worker = new Worker(workerFile, { execArgv: [] });
    const mine = new Set<number>();
    worker.on('message', ({ number, folds }: FoldedBatch) => {
      const batch = away.get(number)!;
      away.delete(number);
      mine.delete(number);
      send(worker, mine);
      try {
        for (const [at, entry] of batch.entries()) onFold(entry, folds[at]);
      } catch (error) {
        failure ??= { error };
      }
      onChange();
    });
    const giveBack = (): void => {
      for (const number of mine) {
        open.push(away.get(number)!);
        away.delete(number);
      }
      mine.clear();
      onChange();
    };
    worker.on('error', giveBack);
    worker.on('exit', giveBack);
    for (let ahead = 0; ahead < BATCHES_AHEAD; ahead += 1) send(worker, mine);
    return worker;
  });
  return {
    throwIfFailed,
    async hasMore(signal) {
      while (open.length === 0 && away.size > 0) {
        throwIfFailed();
        throwIfCancelled(signal);
        await new Promise<void>((resolve) => {
          onChange = resolve;
          signal?.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      throwIfFailed();
      throwIfCancelled(signal);
      return open.length > 0;
    },
    async end() {
      for (const worker of workers) worker.removeAllListeners('exit');
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
