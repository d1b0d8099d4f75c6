/**
 * Pace: long synchronous work in steps. Reading is synchronous, because that is fastest; between steps the
 * signal is looked at, and now and then everything else in the process gets its turn.
 */
import { throwIfCancelled } from '../errors.ts';

const TURN_MS = 12;

/** Runs a generator to its end. Errors: SESSION_REFERENCE_CANCELLED as soon as `signal` is aborted. */
export async function runPaced<T>(work: Generator<void, T>, signal: AbortSignal | undefined): Promise<T> {
  let turnStart = performance.now();
  try {
    for (;;) {
      throwIfCancelled(signal);
      const step = work.next();
      if (step.done === true) return step.value;
      if (performance.now() - turnStart >= TURN_MS) {
        await new Promise<void>((done) => setImmediate(done));
        turnStart = performance.now();
      }
    }
  } finally {
    // Stopped halfway, the generator still has a file to close.
    work.return(undefined as T);
  }
}
