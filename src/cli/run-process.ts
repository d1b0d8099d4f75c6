/** The whole program on the real process. */

import { isInside } from '../places/inside.ts';
import { UsageError } from './exit.ts';
import type { Io } from './io.ts';
import type { KeptCode } from './kept-code.ts';
import { run } from './main.ts';
import { MAX_TIMER_MS } from './perform.ts';
import { processIo, settle } from './process.ts';
import { unnamedRoots } from './roots.ts';

/** Runs the command line of `process`, sets its exit code, and lets it end. */
export async function runProcess(process: NodeJS.Process, code: KeptCode): Promise<void> {
  // Where nothing keeps the loop, Node waits for all compiling in the background before it goes on: 40 ms of a `prepare`.
  const awake = setTimeout(() => undefined, MAX_TIMER_MS);
  const roots: string[] = [];
  const io = processIo(process, (used) => void roots.push(...used));
  const exitCode = await run(process.argv.slice(2), io);
  // Of what failed little was called, and a line that is not understood may be anything.
  if (exitCode === 0) keepCode(code, io, roots);
  clearTimeout(awake);
  settle(process, exitCode);
}

/** Inside a root nothing is written: neither in those that were used, nor in those that others would use. */
function keepCode(code: KeptCode, io: Io, used: readonly string[]): void {
  const { directory } = code;
  if (directory === undefined || !code.isNew) return;
  try {
    const roots = [...used, ...unnamedRoots(io)];
    if (!roots.some((root) => isInside(directory, root))) code.keep(io.now());
  } catch (error) {
    // Where the roots are is not to be known from a directory that is gone: then nothing is kept.
    if (!(error instanceof UsageError)) throw error;
  }
}
