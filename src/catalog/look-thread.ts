/**
 * A second thread for the looks of a listing: two at each session are nearly all that one costs which finds nothing
 * changed. Starting it takes longer than looking at thousands, so it is for a process that stays. It only ever saves
 * time: what it does not answer, and whatever is not as it was, is looked at here.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { IndexRow } from './index-row.ts';

/** Rows of one project directory. */
export interface LookRequest {
  readonly number: number;
  readonly directory: string;
  /** Session directory and log of each row in turn, with NUL between them: no name has one. */
  readonly names: string;
}

export interface Looked {
  readonly number: number;
  /** For each row the numbers of its two revisions, as in the table of an index; not-a-number where nothing is. */
  readonly numbers: Float64Array;
}

export class LookThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (numbers: Float64Array | undefined) => void>();
  #isOver = false;
  #count = 0;

  constructor(workerFile = join(import.meta.dirname, 'look-worker.js')) {
    this.#worker = new Worker(workerFile, { execArgv: [] });
    // Nobody has to wait for it to end.
    this.#worker.unref();
    this.#worker.on('message', ({ number, numbers }: Looked) => this.#answer(number, numbers));
    const giveUp = (): void => {
      this.#isOver = true;
      for (const number of [...this.#waiting.keys()]) this.#answer(number, undefined);
    };
    this.#worker.on('error', giveUp);
    this.#worker.on('exit', giveUp);
  }

  /** What is where `rows` were found; undefined where the thread has ended. */
  look(directory: string, rows: readonly IndexRow[]): Promise<Float64Array | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    const number = this.#count++;
    const names = rows.map(({ key, logName }) => `${key}\0${logName}`).join('\0');
    this.#worker.postMessage({ number, directory, names } satisfies LookRequest);
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve);
      this.#worker.ref();
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #answer(number: number, numbers: Float64Array | undefined): void {
    const resolve = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) this.#worker.unref();
    resolve?.(numbers);
  }
}
