/** The other end of `fold-pool.ts`: a thread that folds the logs it is sent, and sends back what it found. */
import { parentPort } from 'node:worker_threads';
import type { FoldedBatch, LogBatch } from './fold-pool.ts';
import { foldForListing, type ListingFold } from './read-labels.ts';

const port = parentPort!;
let running = Promise.resolve();

port.on('message', ({ number, logs, forIndex }: LogBatch) => {
  running = running.then(async () => {
    const folds: (ListingFold | undefined)[] = [];
    for (const listed of logs) folds.push(await foldForListing(listed, { forIndex }));
    port.postMessage({ number, folds } satisfies FoldedBatch);
  });
});
