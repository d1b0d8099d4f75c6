/** Everything a command may touch outside the library, so that tests can run commands without a process. */

import type { Readable } from 'node:stream';
import type { SessionStore, SessionStoreOptions } from '../store.ts';

/** Standard output or standard error: as much of a stream as is needed; `isTTY` and `columns` as on the real ones. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  write(chunk: string | Uint8Array, done?: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Told that a limit of time runs: from now on no write may hold the whole process. */
  neverBlock?(): void;
}

/** Standard input; read only where a command was told to. */
export type InputStream = Readable & { readonly isTTY?: boolean };

export interface Io {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: InputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory; throws where it has been removed. */
  readonly cwd: () => string;
  /** The user's home directory. */
  readonly homedir: () => string;
  /** The system's directory for temporary files. */
  readonly tmpdir: () => string;
  /** As `process.platform`. */
  readonly platform: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Aborted with a `CancelReason` when a signal asks the process to end. */
  readonly signal?: AbortSignal;
  /** Told which folders of logs a command reads: nothing may be written inside. */
  readonly onRoots?: (roots: readonly string[]) => void;
  /** Opens the library; loaded when a command asks for it. */
  readonly openStore: (options: SessionStoreOptions) => Promise<SessionStore>;
}
