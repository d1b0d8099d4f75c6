/**
 * Turns: reading is synchronous, because that is fastest, and now and then everything else in the process gets its
 * turn: timers, signals, other work.
 */
const TURN_MS = 12;

let turnStart = performance.now();

/** Something to wait for where the turn has been long enough, else undefined. */
export function dueTurn(): Promise<void> | undefined {
  if (performance.now() - turnStart < TURN_MS) return undefined;
  return new Promise((resolve) =>
    setImmediate(() => {
      turnStart = performance.now();
      resolve();
    }),
  );
}
