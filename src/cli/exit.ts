/** From an error to what the user sees of it: code, exit code, one sentence, details. The only place that maps. */

import {
  CLI_CODES,
  type CliErrorCode,
  isSessionReferenceError,
  LOG_CODES,
  REFERENCE_CODES,
  SessionLogError,
  type SessionReferenceErrorCode,
} from '../errors.ts';

/** A failure that only the command line knows. `remedy` replaces the sentence of the code table. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly remedy: string | undefined;

  constructor(
    code: CliErrorCode,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; remedy?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CliError';
    this.code = code;
    this.details = options.details ?? {};
    this.remedy = options.remedy;
  }
}

/** The command line is not understood. `help` is printed before the sentence. */
export class UsageError extends CliError {
  readonly help: string | undefined;

  constructor(message: string, options: { remedy?: string; help?: string } = {}) {
    super('DSH_REF_USAGE', message, options.remedy === undefined ? {} : { remedy: options.remedy });
    this.help = options.help;
  }
}

/** The reader of standard output went away: no failure, the command just ends. */
export class ClosedPipe extends Error {}

export type CancelledBy = 'timeout' | 'SIGINT' | 'SIGTERM';

const CANCEL_EXITS: Record<CancelledBy, number> = { timeout: 124, SIGINT: 130, SIGTERM: 143 };

/** Why an abort signal was raised; the reason of every signal that the command line hands out. */
export class CancelReason extends Error {
  readonly by: CancelledBy;

  constructor(by: CancelledBy, message: string) {
    super(message);
    this.name = 'CancelReason';
    this.by = by;
  }
}

/** A failure ready to be printed. `message` is one sentence that may still hold text from a log. */
export interface Failure {
  readonly code: string;
  readonly exit: number;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Only for faults of ours. */
  readonly stack?: string;
}

/** Settings as their options are called: a message of the library names what was typed. */
const OPTION_OF_SETTING = new Map([
  ['maxReferences', '--max-references'],
  ['maxReferenceBytes', '--max-bytes'],
  ['contextWindow', '--context-window'],
  ['referenceContextFraction', '--context-fraction'],
  ['maxResults', '--limit'],
  ['maxEntries', '--max-entries'],
  ['excludedDirectories', '--exclude'],
  ['keepDays', '--spill-keep-days'],
]);

/** Describes any thrown value. A failure while `signal` is aborted is the cancellation (host document, section 8). */
export function describeFailure(error: unknown, signal?: AbortSignal): Failure {
  if (signal?.aborted || codeOf(error) === 'SESSION_REFERENCE_CANCELLED')
    return describeCancel(error, signal);
  if (error instanceof CliError) {
    const message = sentence(error.message, error.remedy ?? CLI_CODES[error.code].remedy);
    return { code: error.code, exit: CLI_CODES[error.code].exit, message, details: error.details };
  }
  if (isSessionReferenceError(error)) return describeReferenceError(error, error.code);
  if (error instanceof SessionLogError) {
    // Without a path it is about what was typed, not about a log, and its message says all.
    const message = sentence(error.message, error.path === '' ? '' : LOG_CODES[error.code].remedy);
    return { code: error.code, exit: LOG_CODES[error.code].exit, message, details: logDetails(error) };
  }
  return describeBug(error);
}

function describeReferenceError(error: Error, code: SessionReferenceErrorCode): Failure {
  const { cause } = error;
  const causeMessage =
    cause instanceof Error && code === 'SESSION_REFERENCE_READ_FAILED' ? cause.message : '';
  const message = error.message.includes(causeMessage) ? error.message : `${error.message}: ${causeMessage}`;
  const remedy = cause instanceof SessionLogError ? LOG_CODES[cause.code].remedy : remedyOf(code);
  return {
    code,
    exit: REFERENCE_CODES[code].exit,
    message: sentence(withOptionNames(message, code), remedy),
    details: cause instanceof Error ? { cause: causeDetails(cause) } : {},
  };
}

/** The table's remedy; of a failed read without a typed cause the message is all there is to say. */
function remedyOf(code: SessionReferenceErrorCode): string {
  return code === 'SESSION_REFERENCE_READ_FAILED' ? '' : REFERENCE_CODES[code].remedy;
}

function withOptionNames(message: string, code: SessionReferenceErrorCode): string {
  if (code !== 'SESSION_REFERENCE_INVALID_CONFIG') return message;
  return message.replace(/\b[a-z]+[A-Z]\w*/g, (word) => OPTION_OF_SETTING.get(word) ?? word);
}

function describeCancel(error: unknown, signal: AbortSignal | undefined): Failure {
  const reason = signal?.reason ?? (error instanceof Error ? error.cause : undefined);
  const code = 'SESSION_REFERENCE_CANCELLED';
  if (reason instanceof CancelReason) {
    return { code, exit: CANCEL_EXITS[reason.by], message: reason.message, details: { by: reason.by } };
  }
  return { code, exit: REFERENCE_CODES[code].exit, message: 'the work was cancelled', details: {} };
}

function describeBug(error: unknown): Failure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${String(error)}`;
  const stack = error instanceof Error ? (error.stack ?? message) : message;
  return {
    code: 'DSH_REF_BUG',
    exit: CLI_CODES.DSH_REF_BUG.exit,
    message: sentence(message, `a fault of dsh-ref itself, please ${CLI_CODES.DSH_REF_BUG.remedy}`),
    details: { stack },
    stack,
  };
}

function logDetails(error: SessionLogError): Record<string, unknown> {
  const { path, kind, byteOffset, frame, line, seq } = error;
  return withoutUndefined({ path, kind, byteOffset, frame, line, seq });
}

function causeDetails(cause: Error): Record<string, unknown> {
  const details = cause instanceof SessionLogError ? logDetails(cause) : {};
  return withoutUndefined({ code: codeOf(cause), message: cause.message, ...details });
}

/** The code of a system error or of one of ours. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

function sentence(message: string, remedy: string): string {
  return remedy === '' ? message : `${message}; ${remedy}`;
}
