/** Which state of a file or directory was seen: equal revisions mean that nothing was changed in between. */
import { type Stats, statSync } from 'node:fs';

/**
 * Times are milliseconds with their fraction, as precise as a double can be (a quarter of a microsecond). That is
 * enough: a revision is only kept when it is old (`isTooFresh`), so whatever comes later differs by far more.
 */
export interface Revision {
  readonly dev: number;
  readonly ino: number;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

export function revisionOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): Revision {
  return { dev, ino, sizeBytes: size, mtimeMs, ctimeMs };
}

/** Numbers of a revision, in this order: device, inode, size, modification time, change time. */
export const REVISION_NUMBERS = 5;

export function revisionNumbers(revision: Revision | undefined): number[] {
  // No file has a revision like that: not-a-number equals nothing.
  if (revision === undefined) return new Array<number>(REVISION_NUMBERS).fill(Number.NaN);
  const { dev, ino, sizeBytes, mtimeMs, ctimeMs } = revision;
  return [dev, ino, sizeBytes, mtimeMs, ctimeMs];
}

/** The revision that begins at `at` in a table of such numbers. */
export function revisionIn(table: Float64Array, at: number): Revision {
  const [dev, ino, sizeBytes, mtimeMs, ctimeMs] = table.subarray(at, at + REVISION_NUMBERS) as unknown as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { dev, ino, sizeBytes, mtimeMs, ctimeMs };
}

/** The revision that begins at `at` in a table of such numbers is that of `stat`. */
export function isRevisionIn(table: Float64Array, at: number, stat: Stats): boolean {
  return (
    table[at + 4] === stat.ctimeMs &&
    table[at + 2] === stat.size &&
    table[at + 3] === stat.mtimeMs &&
    table[at + 1] === stat.ino &&
    table[at] === stat.dev
  );
}

/** What is at `path` now; undefined where nothing is, or nothing that may be seen: opening it says what is wrong. */
export function statAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Out of reach.
    return undefined;
  }
}

/** The revision of what is at `path` now, where that may be seen. */
export function revisionAt(path: string): Revision | undefined {
  const stat = statAt(path);
  return stat && revisionOf(stat);
}

export function isSameRevision(a: Revision, b: Revision): boolean {
  return (
    a.ctimeMs === b.ctimeMs &&
    a.sizeBytes === b.sizeBytes &&
    a.mtimeMs === b.mtimeMs &&
    a.ino === b.ino &&
    a.dev === b.dev
  );
}

const CLOCK_TICK_MS = 100;
const WHOLE_SECOND_TICK_MS = 2500;

/**
 * True when, after it was seen at `seenMs`, a change could still come in the same tick of the file system's clock and
 * leave no trace. Judged by the change time, which no program can set; file systems that know whole seconds only get
 * longer.
 */
export function isTooFresh({ ctimeMs }: Revision, seenMs: number): boolean {
  return seenMs - ctimeMs < (ctimeMs % 1000 === 0 ? WHOLE_SECOND_TICK_MS : CLOCK_TICK_MS);
}
