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

/** The revision of what is at `path` now; undefined where nothing is, or nothing that may be seen. */
export function revisionAt(path: string): Revision | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && revisionOf(stat);
  } catch {
    // Out of reach: opening it will say what is wrong.
    return undefined;
  }
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

/** The same file with more bytes: what an append leaves behind. */
export function isGrown(before: Revision, now: Revision): boolean {
  return before.ino === now.ino && before.dev === now.dev && now.sizeBytes > before.sizeBytes;
}

const CLOCK_TICK_MS = 100;
const WHOLE_SECOND_TICK_MS = 2500;

/**
 * True when a change could still come in the same tick of the file system's clock and leave no trace. Judged by
 * the change time, which no program can set; file systems that know whole seconds only get longer.
 */
export function isTooFresh({ ctimeMs }: Revision, nowMs: number): boolean {
  return nowMs - ctimeMs < (ctimeMs % 1000 === 0 ? WHOLE_SECOND_TICK_MS : CLOCK_TICK_MS);
}
