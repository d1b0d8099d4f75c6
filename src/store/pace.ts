/** Pace: long work in steps; between steps the signal is looked at, and others get their turn. */
import { throwIfCancelled } from '../errors.ts';
import { dueTurn } from '../turn.ts';

/** Runs a generator to its end. Errors: SESSION_REFERENCE_CANCELLED as soon as `signal` is aborted. */
export async function runPaced<T>(work: Generator<void, T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    for (;;) {
      throwIfCancelled(signal);
      const step = work.next();
      if (step.done === true) return step.value;
      const turn = dueTurn();
      if (turn !== undefined) await turn;
    }
  } finally {
    // Stopped halfway, the generator still has a file to close.
    work.return(undefined as T);
  }
}
