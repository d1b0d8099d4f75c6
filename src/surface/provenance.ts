/** `sourceEventSeqs`: plain numbers and `[first, last]` pairs, checked before anything is expanded (format document, 4.2). */
import { isCount } from '../log/header.ts';
import { shown } from '../log/shown.ts';

/** Inclusive ranges in the order of the list. */
export type SeqRanges = readonly (readonly [first: number, last: number])[];

/**
 * Reads the list of an event with seq `ownSeq`. Gives the ranges, or the broken rule as a phrase that follows
 * "sourceEventSeqs".
 */
export function decodeSourceSeqs(list: unknown, ownSeq: number): SeqRanges | string {
  if (!Array.isArray(list)) return 'is not an array';
  const ranges: [number, number][] = [];
  let hasPair = false;
  let isIncreasing = true;
  let previousLast = -1;
  for (const element of list as unknown[]) {
    const isPair = Array.isArray(element);
    const [first, last] = isPair && element.length === 2 ? (element as unknown[]) : [element, element];
    if (!isCount(first) || !isCount(last) || first > last)
      return `has the element ${isPair ? element.map(shown) : shown(element)}`;
    if (last >= ownSeq) return `cites seq ${last}, which is not before its own`;
    hasPair ||= isPair;
    isIncreasing &&= first > previousLast;
    // A run of plain seqs is one range: early logs cite every chunk of a message.
    const current = ranges.at(-1);
    if (current !== undefined && first === previousLast + 1 && first === current[1] + 1) current[1] = last;
    else ranges.push([first, last]);
    previousLast = last;
  }
  if (isIncreasing) return ranges;
  if (hasPair) return 'has pairs but does not increase';
  return hasDuplicates(ranges) ? 'cites a seq twice' : ranges;
}

function hasDuplicates(ranges: readonly [number, number][]): boolean {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  return sorted.some(([first], at) => at > 0 && first <= sorted[at - 1]![1]);
}

/** True when every one of `seqs` lies in one of `ranges`. */
export function citesAll(ranges: SeqRanges, seqs: Iterable<number>): boolean {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  for (const seq of seqs) {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]![1] < seq) low = middle + 1;
      else high = middle;
    }
    const range = sorted[low];
    if (range === undefined || range[0] > seq) return false;
  }
  return true;
}
