/** The real process as an `Io`, and its end. */

import { createReadStream, fstatSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { CancelReason, describeFailure } from './exit.ts';
import type { Io } from './io.ts';
import { renderFailure } from './perform.ts';
import { ProcessOutput } from './process-output.ts';

/** How long work that was given up may hold the process once everything is written. */
const LINGER_MS = 50;

/** The streams and surroundings of `process`; SIGINT and SIGTERM cancel in place of ending it. */
export function processIo(process: NodeJS.Process, onRoots: NonNullable<Io['onRoots']>): Io {
  const { platform } = process;
  const { signal, endable } = listenTo(process);
  return {
    // A getter, as opening standard input has effects of its own.
    get stdin() {
      const { fd } = process.stdin;
      // Node reads a directory as an empty standard input, without a word; read as a file it is an error.
      return isDirectory(fd) ? createReadStream('', { fd, autoClose: false }) : process.stdin;
    },
    stdout: new ProcessOutput({ fd: 1, platform, open: () => process.stdout, endable }),
    stderr: new ProcessOutput({ fd: 2, platform, open: () => process.stderr, endable }),
    env: process.env,
    cwd: () => process.cwd(),
    homedir,
    tmpdir,
    platform,
    now: Date.now,
    signal,
    onRoots,
    openStore: async (options) => (await import('../store.ts')).openSessionStore(options),
  };
}

/** Sets the exit code. Whatever is still pending then has been given up, and may not keep the process. */
export function settle(process: NodeJS.Process, exitCode: number): void {
  process.exitCode = exitCode;
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** The signal that SIGINT and SIGTERM abort, and a way to have them end the process at once for a while. */
function listenTo(process: NodeJS.Process) {
  const controller = new AbortController();
  const listeners = (
    [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const
  ).map(([by, exit]) => {
    const listener = (): void => {
      // The second one means that the first had no effect.
      if (controller.signal.aborted) process.exit(exit);
      controller.abort(new CancelReason(by, `cancelled by ${by}`));
    };
    process.on(by, listener);
    return [by, listener] as const;
  });
  process.on('uncaughtException', (error) => {
    const failure = describeFailure(error);
    process.stderr.write(renderFailure(failure, 'text'), () => process.exit(failure.exit));
  });
  const endable = <T>(work: () => T): T => {
    for (const [by, listener] of listeners) process.off(by, listener);
    try {
      return work();
    } finally {
      for (const [by, listener] of listeners) process.on(by, listener);
    }
  };
  return { signal: controller.signal, endable };
}

function isDirectory(fd: number | undefined): boolean {
  try {
    return fstatSync(fd ?? 0).isDirectory();
  } catch {
    // Not even a descriptor: the stream says what it has to say.
    return false;
  }
}
