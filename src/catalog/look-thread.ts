/**
 * A second thread for the looks of a listing: two at each session are nearly all that one costs which finds nothing
 * changed. Starting it takes longer than looking at thousands, so it is for a process that stays. It only ever saves
 * time: what it does not answer, and whatever is not as it was, is looked at here.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { IndexRow } from './index-row.ts';

/** Rows of one project directory. */
export interface LookAtRows {
  readonly directory: string;
  readonly rows: readonly IndexRow[];
}

export interface LookRequest {
  readonly number: number;
  readonly rowCount: number;
  /**
   * For each project directory itself, then session directory and log of each row in turn, NUL between them and a
   * second one at its end: no name has one, and none is empty.
   */
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

  /** What is where the rows of `projects` were found, all in a row; undefined where the thread has ended. */
  look(projects: readonly LookAtRows[]): Promise<Float64Array | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    const number = this.#count++;
    const names: string[] = [];
    let rowCount = 0;
    for (const { directory, rows } of projects) {
      names.push(directory);
      for (const { key, logName } of rows) names.push(key, logName);
      names.push('');
      rowCount += rows.length;
    }
    this.#worker.postMessage({ number, rowCount, names: names.join('\0') } satisfies LookRequest);
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
