/**
 * Every failure a user can cause: the codes, what each means, and the exit code a command ends with.
 * `docs/errors.md` is made from the tables below; a code without words does not compile.
 */

interface CodeEntry {
  /** What happened, in a few words. */
  readonly title: string;
  /** What the person at the keyboard can do about it. */
  readonly remedy: string;
  /** Exit code of the command line (contract, section 5). */
  readonly exit: number;
}

/** The contract's own codes (`SessionReferenceError`), section 5. */
export const REFERENCE_CODES = {
  SESSION_REFERENCE_INVALID_CONFIG: {
    title: 'a setting is out of range',
    remedy: 'correct the option that the message names',
    exit: 2,
  },
  SESSION_REFERENCE_INVALID_REFERENCE: {
    title: 'a URI, mention, reference or limit is malformed',
    remedy: 'take the mention from `dsh-ref candidates` or `dsh-ref mention ID`',
    exit: 3,
  },
  SESSION_REFERENCE_SELF_REFERENCE: {
    title: 'the asking session cites itself',
    remedy: 'remove that mention, or give another `--self`',
    exit: 3,
  },
  SESSION_REFERENCE_TOO_MANY: {
    title: 'more distinct sessions are cited than allowed',
    remedy: 'cite fewer sessions, or raise `--max-references` (at most 3)',
    exit: 3,
  },
  SESSION_REFERENCE_READ_FAILED: {
    title: 'a cited session is missing, unreadable, corrupt, or of an unknown generation',
    remedy: 'the message names the session, the file and the cause',
    exit: 4,
  },
  SESSION_REFERENCE_BUDGET_EXCEEDED: {
    title: 'the fixed fields of one snapshot do not fit the budget',
    remedy: 'raise `--max-bytes`',
    exit: 5,
  },
  SESSION_REFERENCE_CANCELLED: {
    title: 'cancelled by a signal or by `--timeout`',
    remedy: 'run it again, with a longer `--timeout` where one was set',
    exit: 130,
  },
} as const satisfies Record<string, CodeEntry>;

/** Why a log, a session or a root cannot be read (`SessionLogError`). The kind is the code's last part. */
export const LOG_CODES = {
  SESSION_LOG_NOT_FOUND: {
    title: 'no such session under the roots that were searched',
    remedy: 'check the id with `dsh-ref candidates`, and the root with `--root`',
    exit: 4,
  },
  SESSION_LOG_EMPTY: {
    title: 'the log has no complete header yet',
    remedy: 'wait until the writer has written it, or remove the empty file',
    exit: 4,
  },
  SESSION_LOG_UNSUPPORTED: {
    title: 'the log was written in a newer format than this program knows',
    remedy: 'upgrade dsh-ref; an older generation beside it is never used instead',
    exit: 4,
  },
  SESSION_LOG_CORRUPT: {
    title: 'the log is damaged in its committed part',
    remedy: 'restore the file from a backup; the message says where the damage is',
    exit: 4,
  },
  SESSION_LOG_AMBIGUOUS: {
    title: 'two logs or two directories claim the same session',
    remedy: 'move one of them out of the root',
    exit: 4,
  },
  SESSION_LOG_MISMATCH: {
    title: 'the header belongs to another directory or generation than the file lies in',
    remedy: 'move the log back to where its header says it belongs',
    exit: 4,
  },
  SESSION_LOG_TOO_LARGE: {
    title: 'a line, a frame or the whole log is larger than the reader is ready to hold',
    remedy: 'the message names the limit; such a log is not read in part',
    exit: 4,
  },
  SESSION_LOG_UNREADABLE: {
    title: 'the operating system refused to read it',
    remedy: 'check the permissions of the path in the message',
    exit: 4,
  },
  SESSION_LOG_NOT_A_FILE: {
    title: 'a pipe, socket, device or directory stands where a log should be',
    remedy: 'remove it, or give another `--root`',
    exit: 4,
  },
  SESSION_LOG_STRAY: {
    title: 'a log or a link lies where the harness layout does not look',
    remedy: 'move the log into a session directory, or into a folder of its own',
    exit: 4,
  },
  SESSION_ROOT_MISSING: {
    title: 'a root that was named does not exist',
    remedy: 'check `--root`, `DSH_REF_ROOT` or `DSH_HOME`',
    exit: 4,
  },
  SESSION_ROOT_NOT_DIRECTORY: {
    title: 'a root is not a directory',
    remedy: 'give the folder that holds the logs',
    exit: 4,
  },
  SESSION_ROOT_UNREADABLE: {
    title: 'a root cannot be listed',
    remedy: 'check the permissions of the root',
    exit: 4,
  },
} as const satisfies Record<string, CodeEntry>;

/** Codes of the command line itself (`UsageError`, `OutputError` in `cli/`). */
export const CLI_CODES = {
  DSH_REF_USAGE: {
    title: 'the command line is not understood',
    remedy: 'see `dsh-ref --help`, or `--help` after any command',
    exit: 2,
  },
  DSH_REF_SKIPPED: {
    title: 'sessions were skipped and `--strict` was given',
    remedy: 'mend what the message names, or leave `--strict` out',
    exit: 4,
  },
  DSH_REF_FINDINGS: {
    title: '`verify` found something, though nothing that makes a log unreadable',
    remedy: 'read the findings; `--errors-only` leaves warnings out',
    exit: 4,
  },
  DSH_REF_INPUT_FAILED: {
    title: 'a file or standard input that was asked for cannot be read',
    remedy: 'check the path and its permissions',
    exit: 2,
  },
  DSH_REF_OUTPUT_FAILED: {
    title: 'standard output cannot be written',
    remedy: 'check the disk or device behind it; a closed pipe is no error',
    exit: 6,
  },
  DSH_REF_BUG: {
    title: 'a fault of dsh-ref itself',
    remedy: 'report it with the lines that were printed',
    exit: 1,
  },
} as const satisfies Record<string, CodeEntry>;

export type SessionReferenceErrorCode = keyof typeof REFERENCE_CODES;
export type SessionLogErrorCode = keyof typeof LOG_CODES;
export type CliErrorCode = keyof typeof CLI_CODES;

/** The word for a fault in skips, in `unreadable` and in reports: `corrupt`, `not-found`, `root-missing`, … */
export type FaultKind =
  | 'not-found'
  | 'empty'
  | 'unsupported'
  | 'corrupt'
  | 'ambiguous'
  | 'mismatch'
  | 'too-large'
  | 'unreadable'
  | 'not-a-file'
  | 'stray'
  | 'root-missing'
  | 'root-not-directory'
  | 'root-unreadable';

const KIND_OF_CODE: Record<SessionLogErrorCode, FaultKind> = {
  SESSION_LOG_NOT_FOUND: 'not-found',
  SESSION_LOG_EMPTY: 'empty',
  SESSION_LOG_UNSUPPORTED: 'unsupported',
  SESSION_LOG_CORRUPT: 'corrupt',
  SESSION_LOG_AMBIGUOUS: 'ambiguous',
  SESSION_LOG_MISMATCH: 'mismatch',
  SESSION_LOG_TOO_LARGE: 'too-large',
  SESSION_LOG_UNREADABLE: 'unreadable',
  SESSION_LOG_NOT_A_FILE: 'not-a-file',
  SESSION_LOG_STRAY: 'stray',
  SESSION_ROOT_MISSING: 'root-missing',
  SESSION_ROOT_NOT_DIRECTORY: 'root-not-directory',
  SESSION_ROOT_UNREADABLE: 'root-unreadable',
};

/** Failure of a mention, a reference, a setting or a snapshot. Route on `code`, never on `message`. */
export class SessionReferenceError extends Error {
  readonly code: SessionReferenceErrorCode;

  constructor(code: SessionReferenceErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'SessionReferenceError';
    this.code = code;
  }
}

/** Where in a log the fault lies. Offsets are bytes of the file, lines count from 1 (the header), seqs are stored seqs. */
export interface LogPosition {
  readonly byteOffset?: number;
  readonly frame?: number;
  readonly line?: number;
  readonly seq?: number;
}

/** Failure of a log, a session look-up or a root. `path` is the file or directory, `kind` the code in one word. */
export class SessionLogError extends Error {
  readonly code: SessionLogErrorCode;
  readonly kind: FaultKind;
  readonly path: string;
  readonly byteOffset?: number;
  readonly frame?: number;
  readonly line?: number;
  readonly seq?: number;

  constructor(
    code: SessionLogErrorCode,
    path: string,
    message: string,
    options?: { cause?: unknown; at?: LogPosition },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SessionLogError';
    this.code = code;
    this.kind = KIND_OF_CODE[code];
    this.path = path;
    const at = options?.at;
    if (at?.byteOffset !== undefined) this.byteOffset = at.byteOffset;
    if (at?.frame !== undefined) this.frame = at.frame;
    if (at?.line !== undefined) this.line = at.line;
    if (at?.seq !== undefined) this.seq = at.seq;
  }
}

/** True for the contract's errors, also those of another copy of this library (decided by `name` and `code`). */
export function isSessionReferenceError(value: unknown): value is SessionReferenceError {
  return (
    value instanceof Error &&
    value.name === 'SessionReferenceError' &&
    typeof (value as { code?: unknown }).code === 'string' &&
    Object.hasOwn(REFERENCE_CODES, (value as unknown as { code: string }).code)
  );
}

/** Throws `SESSION_REFERENCE_CANCELLED` (cause: the signal's reason) when `signal` is aborted. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new SessionReferenceError('SESSION_REFERENCE_CANCELLED', 'the work was cancelled', {
      cause: signal.reason,
    });
  }
}
