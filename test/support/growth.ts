/** Best wall time in milliseconds of several runs. */
function bestMs(run: () => void, runs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let count = 0; count < runs; count++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/**
 * Times `run` on a small input and on one four times as large; tries again while the machine is noisy.
 * `factor` is the growth left after forgiving 20 ms, `largeMs` the time of the large input.
 */
export function measureGrowth<T>(
  small: T,
  large: T,
  run: (input: T) => void,
): { factor: number; largeMs: number } {
  let factor = Number.POSITIVE_INFINITY;
  let largeMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 4 && factor > 5; attempt++) {
    const smallMs = bestMs(() => run(small), 2);
    const attemptMs = bestMs(() => run(large), 2);
    largeMs = Math.min(largeMs, attemptMs);
    factor = Math.min(factor, (largeMs - 20) / Math.max(smallMs, 0.1));
  }
  return { factor, largeMs };
}
