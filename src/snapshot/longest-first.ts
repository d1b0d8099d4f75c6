/** Picks the longest of many texts whose lengths shrink: a binary heap, longest first, first among equals. */

/** Indexes into a list of lengths. `first` is the index of the longest; `settle` after that length has shrunk. */
export interface LongestFirst {
  first(): number | undefined;
  settle(): void;
}

/** O(n) to build, O(log n) to settle. Reads `lengths` live; only the length at `first()` may change, and shrink. */
export function createLongestFirst(lengths: readonly number[]): LongestFirst {
  const heap = lengths.map((_, index) => index);
  const isBefore = (a: number, b: number) =>
    lengths[a]! > lengths[b]! || (lengths[a] === lengths[b] && a < b);

  function sink(from: number): void {
    const moving = heap[from]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (isBefore(moving, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = moving;
  }

  for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(at);
  return {
    first: () => heap[0],
    settle: () => {
      if (heap.length > 1) sink(0);
    },
  };
}
