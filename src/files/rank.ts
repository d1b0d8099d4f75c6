import { compareCodeUnits, type FileReference } from './file-reference.ts';

const DIRECTORY_BONUS = 25;

interface Scored {
  readonly candidate: FileReference;
  readonly score: number;
}

/**
 * The best `maxResults` candidates for a needle, best first (file-references.md 5). The order is total
 * for distinct paths, so the order of the input plays no part. Letter case is folded without a locale;
 * an empty needle keeps every candidate.
 */
export function rankFileReferences(
  candidates: readonly FileReference[],
  needle: string,
  maxResults: number,
): FileReference[] {
  const folded = needle.toLowerCase();
  const scored: Scored[] = [];
  for (const candidate of candidates) {
    const score = scoreOf(candidate, folded);
    if (score !== undefined) scored.push({ candidate, score });
  }
  const byLength = folded !== '';
  scored.sort(
    (left, right) => right.score - left.score || compareEqual(left.candidate, right.candidate, byLength),
  );
  return scored.slice(0, maxResults).map((entry) => entry.candidate);
}

function compareEqual(left: FileReference, right: FileReference, byLength: boolean): number {
  if (left.kind !== right.kind) return left.kind === 'directory' ? -1 : 1;
  return (byLength ? left.path.length - right.path.length : 0) || compareCodeUnits(left.path, right.path);
}

function scoreOf(candidate: FileReference, needle: string): number | undefined {
  if (needle === '') return 0;
  const path = candidate.path.toLowerCase();
  const bonus = candidate.kind === 'directory' ? DIRECTORY_BONUS : 0;
  if (path.includes(needle)) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (name === needle) return 1000 + bonus;
    if (name.startsWith(needle)) return 900 + bonus;
    return (name.includes(needle) ? 700 : 500) + bonus;
  }
  const gap = subsequenceGap(path, needle);
  return gap === undefined ? undefined : 300 + Math.max(0, 100 - gap);
}

/** Code units skipped to meet the needle's code points in order; undefined where they do not all occur. */
function subsequenceGap(path: string, needle: string): number | undefined {
  let gap = 0;
  let next = 0;
  for (const point of needle) {
    const found = path.indexOf(point, next);
    if (found === -1) return undefined;
    gap += found - next;
    next = found + 1;
  }
  return gap;
}
