/** The real process as an `Io`, and its end. */

import { fstatSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { CancelReason, describeFailure } from './exit.ts';
import type { Io } from './io.ts';
import { renderFailure } from './perform.ts';

/** How long work that was given up may hold the process once everything is written. */
const LINGER_MS = 50;

/** The streams and surroundings of `process`; SIGINT and SIGTERM cancel in place of ending it. */
export function processIo(process: NodeJS.Process, onRoots: NonNullable<Io['onRoots']>): Io {
  return {
    // Getters, as opening standard input has effects of its own.
    get stdin() {
      return isDirectory(process.stdin.fd) ? unreadableDirectory() : process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    env: process.env,
    cwd: () => process.cwd(),
    homedir,
    tmpdir,
    platform: process.platform,
    now: Date.now,
    signal: signalOf(process),
    onRoots,
    openStore: async (options) => (await import('../store.ts')).openSessionStore(options),
  };
}

/** Sets the exit code. Whatever is still pending then has been given up, and may not keep the process. */
export function settle(process: NodeJS.Process, exitCode: number): void {
  process.exitCode = exitCode;
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

function signalOf(process: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  for (const [by, exit] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(by, () => {
      // The second one means that the first had no effect.
      if (controller.signal.aborted) process.exit(exit);
      controller.abort(new CancelReason(by, `cancelled by ${by}`));
    });
  }
  process.on('uncaughtException', (error) => {
    const failure = describeFailure(error);
    process.stderr.write(renderFailure(failure, 'text'), () => process.exit(failure.exit));
  });
  return controller.signal;
}

/** Node reads a directory as an empty standard input, without a word. */
function isDirectory(fd: number | undefined): boolean {
  try {
    return fstatSync(fd ?? 0).isDirectory();
  } catch {
    // Not even a descriptor: the stream says what it has to say.
    return false;
  }
}

function unreadableDirectory(): Readable {
  return new Readable({
    read() {
      this.destroy(new Error('it is a directory'));
    },
  });
}
