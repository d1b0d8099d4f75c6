/** Which state of a file or directory was seen: equal revisions mean that nothing was changed in between. */
import type { BigIntStats } from 'node:fs';

/** As strings, since they are stored and compared, never calculated with. */
export interface Revision {
  readonly dev: string;
  readonly ino: string;
  readonly size: string;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
}

export function revisionOf(
  stat: Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'>,
): Revision {
  const { dev, ino, size, mtimeNs, ctimeNs } = stat;
  return {
    dev: String(dev),
    ino: String(ino),
    size: String(size),
    mtimeNs: String(mtimeNs),
    ctimeNs: String(ctimeNs),
  };
}

export function isSameRevision(a: Revision, b: Revision): boolean {
  // The likeliest difference first.
  return (
    a.ctimeNs === b.ctimeNs &&
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs &&
    a.ino === b.ino &&
    a.dev === b.dev
  );
}

/** The same file with more bytes: what an append leaves behind. */
export function isGrown(before: Revision, now: Revision): boolean {
  return before.ino === now.ino && before.dev === now.dev && BigInt(now.size) > BigInt(before.size);
}

const CLOCK_TICK_NS = 100_000_000n;
const WHOLE_SECOND_TICK_NS = 2_500_000_000n;

/**
 * True when a change could still come in the same tick of the file system's clock and leave no trace. Judged by
 * the change time, which no program can set; file systems that know whole seconds only get longer.
 */
export function isTooFresh(revision: Revision, nowMs: number): boolean {
  const changedNs = BigInt(revision.ctimeNs);
  const tickNs = changedNs % 1_000_000_000n === 0n ? WHOLE_SECOND_TICK_NS : CLOCK_TICK_NS;
  return BigInt(Math.floor(nowMs)) * 1_000_000n - changedNs < tickNs;
}
