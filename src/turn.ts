/**
 * Turns: reading is synchronous, because that is fastest, and now and then everything else in the process gets its
 * turn: timers, signals, other work.
 */
const TURN_SECONDS = 0.012;

// Of the clocks that only go forward the one that nothing has to be loaded for.
const { uptime } = process;
let turnStart = uptime();

/** Something to wait for where the turn has been long enough, else undefined. */
export function dueTurn(): Promise<void> | undefined {
  if (uptime() - turnStart < TURN_SECONDS) return undefined;
  return new Promise((resolve) =>
    setImmediate(() => {
      turnStart = uptime();
      resolve();
    }),
  );
}
