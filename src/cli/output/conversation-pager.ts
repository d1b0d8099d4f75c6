/** Shows a text through the user's pager, as `git` does: only on a terminal, and only where there is one. */

import { spawn } from 'node:child_process';
import type { Io } from '../io.ts';

/** The pager to use, or nothing: `PAGER`, else `less`; none for `cat`, an empty `PAGER`, or a dumb terminal. */
export function choosePager(io: Io): string | undefined {
  if (io.stdout.isTTY !== true || io.env.TERM === 'dumb') return undefined;
  const { PAGER } = io.env;
  if (PAGER !== undefined) return PAGER.trim() === '' || PAGER.trim() === 'cat' ? undefined : PAGER;
  return io.platform === 'win32' ? undefined : 'less';
}

/** A shell's exit code for a command that is not there. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/**
 * Runs `pager` on `text` until the person leaves it, or `signal` is aborted. False where it could not be run, and
 * nothing was shown.
 */
export function page(pager: string, text: string, io: Io, signal: AbortSignal): Promise<boolean> {
  // `less` quits by itself where the text fits, passes colour on, and leaves the text on the screen; as git has it.
  const env = { LESS: 'FRX', LV: '-c', ...io.env };
  const { fd } = io.stdout as { readonly fd?: number };
  return new Promise((done) => {
    const child = spawn(pager, { shell: true, env, stdio: ['pipe', fd ?? 'pipe', 'inherit'] });
    child.stdout?.on('data', (chunk: Buffer) => io.stdout.write(chunk));
    // A person may leave the pager before all of the text has gone in.
    child.stdin?.on('error', () => undefined);
    child.on('error', () => done(false));
    // Two programs must not go on at one terminal: the pager ends first, and leaves it in order.
    signal.addEventListener('abort', () => child.kill());
    child.on('close', (code) => done(code !== NOT_FOUND && code !== NOT_EXECUTABLE));
    child.stdin?.end(text);
  });
}
