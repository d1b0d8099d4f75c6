/**
 * What was read of logs, as long as they stay as they were. It only ever saves work: a log that has changed is read
 * again, and so is one that was pushed out to bound the memory.
 */
import { isSameRevision, isTooFresh, type Revision, revisionAt } from '../catalog/revision.ts';

/** Code units of text that are kept at most, about twice as many bytes; the last thing read stays whatever its size. */
const MAX_KEPT_UNITS = 32 * 1024 * 1024;

interface Reading<T> {
  readonly revision: Revision;
  readonly value: T;
  readonly units: number;
}

export class ReadingMemory<T> {
  readonly #clock: () => number;
  readonly #unitsOf: (value: T) => number;
  /** By the path of the log, the one used last at the end. */
  readonly #readings = new Map<string, Reading<T>>();
  #units = 0;

  constructor(clock: () => number, unitsOf: (value: T) => number) {
    this.#clock = clock;
    this.#unitsOf = unitsOf;
  }

  /** The value of the log at `path`: the one at hand where that log is as it was then, else from `read`. */
  async recall(path: string, read: () => Promise<T>): Promise<T> {
    const seenMs = this.#clock();
    const before = revisionAt(path);
    const known = this.#readings.get(path);
    this.#forget(path);
    if (known !== undefined && before !== undefined && isSameRevision(known.revision, before)) {
      this.#keep(path, known);
      return known.value;
    }
    const value = await read();
    const after = revisionAt(path);
    // Read between two equal revisions, the value is of that revision.
    const isSettled = before !== undefined && after !== undefined && isSameRevision(before, after);
    if (isSettled && !isTooFresh(after, seenMs)) {
      this.#keep(path, { revision: after, value, units: this.#unitsOf(value) });
    }
    return value;
  }

  #keep(path: string, reading: Reading<T>): void {
    this.#forget(path);
    this.#readings.set(path, reading);
    this.#units += reading.units;
    for (const oldest of this.#readings.keys()) {
      if (this.#units <= MAX_KEPT_UNITS || oldest === path) return;
      this.#forget(oldest);
    }
  }

  #forget(path: string): void {
    const reading = this.#readings.get(path);
    if (reading === undefined) return;
    this.#readings.delete(path);
    this.#units -= reading.units;
  }
}
