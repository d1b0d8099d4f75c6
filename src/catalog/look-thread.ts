/**
 * A second thread for the looks of a listing: two at each session are nearly all that one costs which finds nothing
 * changed. Starting it takes longer than looking at thousands, so it is for a process that stays. It only ever saves
 * time: the rows are taken part by part by whichever thread is free, and whatever this thread does not find as it was,
 * or not in time, is looked at by the caller. Nobody waits for it.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ROW_NUMBERS, type RowTable } from './index-row.ts';

/** Rows of one project directory. */
export interface LookAtRows {
  readonly directory: string;
  readonly rows: RowTable;
}

/** Rows that lie in a row and are looked at in one go. */
export interface LookPart {
  /** Which of the projects. */
  readonly project: number;
  /** Rows of that project, from `from` on, not with `to`. */
  readonly from: number;
  readonly to: number;
  /** Number of the first of them among all rows. */
  readonly first: number;
}

/** Places in `LookMemory.control`. */
export const LISTING = 0;
export const NEXT_PART = 1;

/** What both threads see of all rows. */
export interface LookMemory {
  /** The number of the listing that is under way, and of the next part to be taken in it. */
  readonly control: Int32Array;
  /** What is known of each row, as in the table of an index. */
  readonly table: Float64Array;
  /** For each row the number of the last listing in which the thread has found it as it is known. */
  readonly sameIn: Int32Array;
}

export interface LookSet extends LookMemory {
  /**
   * For each project directory itself, then session directory and log of each row in turn, NUL between them and a
   * second one at its end: no name has one, and none is empty.
   */
  readonly names: string;
  /** Number of the first row of each part, and behind the last one how many rows there are. */
  readonly starts: readonly number[];
}

const PART_ROWS = 32;

export class LookThread {
  readonly #worker: Worker;
  readonly #control = new Int32Array(new SharedArrayBuffer(8));
  #isOver = false;
  #listing = 0;
  /** What the thread was last told of. */
  #projects: readonly LookAtRows[] = [];
  #parts: readonly LookPart[] = [];
  #memory: LookMemory | undefined;

  constructor(workerFile = join(import.meta.dirname, 'look-worker.js')) {
    this.#worker = new Worker(workerFile, { execArgv: [], workerData: this.#control });
    // Nobody has to wait for it to end.
    this.#worker.unref();
    const giveUp = (): void => {
      this.#isOver = true;
    };
    this.#worker.on('error', giveUp);
    this.#worker.on('exit', giveUp);
  }

  /** Lets the thread look at the rows of `projects`, from now on; undefined where it has ended. */
  begin(projects: readonly LookAtRows[]): SharedLooks | undefined {
    if (this.#isOver) return undefined;
    const memory = this.#update(projects) ?? this.#replace(projects);
    this.#projects = projects;
    this.#listing += 1;
    Atomics.store(this.#control, NEXT_PART, 0);
    Atomics.store(this.#control, LISTING, this.#listing);
    Atomics.notify(this.#control, LISTING);
    return new SharedLooks(memory, this.#parts, this.#listing);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Where the same files are to be looked at as before, only what is known of them can have changed. */
  #update(projects: readonly LookAtRows[]): LookMemory | undefined {
    const memory = this.#memory;
    const before = this.#projects;
    if (memory === undefined || projects.length !== before.length) return undefined;
    let first = 0;
    for (const [at, { directory, rows }] of projects.entries()) {
      const known = before[at]!;
      if (directory !== known.directory || rows.length !== known.rows.length) return undefined;
      if (rows !== known.rows) {
        for (let row = 0; row < rows.length; row += 1) {
          if (rows.keys[row] !== known.rows.keys[row] || rows.logName(row) !== known.rows.logName(row)) {
            return undefined;
          }
        }
        memory.table.set(rows.revisions, first * ROW_NUMBERS);
      }
      first += rows.length;
    }
    return memory;
  }

  #replace(projects: readonly LookAtRows[]): LookMemory {
    const parts: LookPart[] = [];
    const names: string[] = [];
    let rowCount = 0;
    for (const [project, { directory, rows }] of projects.entries()) {
      names.push(directory);
      for (const [row, key] of rows.keys.entries()) names.push(key, rows.logName(row));
      names.push('');
      for (let from = 0; from < rows.length; from += PART_ROWS) {
        const to = Math.min(rows.length, from + PART_ROWS);
        parts.push({ project, from, to, first: rowCount + from });
      }
      rowCount += rows.length;
    }
    const table = new Float64Array(new SharedArrayBuffer(rowCount * ROW_NUMBERS * 8));
    let at = 0;
    for (const { rows } of projects) {
      table.set(rows.revisions, at);
      at += rows.revisions.length;
    }
    const memory: LookMemory = {
      control: this.#control,
      table,
      sameIn: new Int32Array(new SharedArrayBuffer(rowCount * 4)),
    };
    const starts = [...parts.map(({ first }) => first), rowCount];
    this.#worker.postMessage({ ...memory, names: names.join('\0'), starts } satisfies LookSet);
    this.#memory = memory;
    this.#parts = parts;
    return memory;
  }
}

/** The looks of one listing, by two threads. */
export class SharedLooks {
  readonly #memory: LookMemory;
  readonly #parts: readonly LookPart[];
  readonly #listing: number;
  readonly #isMine: boolean[] = [];

  constructor(memory: LookMemory, parts: readonly LookPart[], listing: number) {
    this.#memory = memory;
    this.#parts = parts;
    this.#listing = listing;
  }

  /** The next part for the caller to look at; undefined where all have been taken. */
  take(): LookPart | undefined {
    const part = Atomics.add(this.#memory.control, NEXT_PART, 1);
    this.#isMine[part] = true;
    return this.#parts[part];
  }

  /** The parts that the thread has taken. */
  taken(): LookPart[] {
    return this.#parts.filter((_part, at) => this.#isMine[at] !== true);
  }

  /** True where the thread has looked at this row, in this listing, and found it as it is known. */
  isSame(row: number): boolean {
    return Atomics.load(this.#memory.sameIn, row) === this.#listing;
  }
}
