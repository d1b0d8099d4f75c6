/** Runs one piece of work to its exit code: all of its output or one error, notices last, cancelling at once. */

import { CancelReason, ClosedPipe, describeFailure, type Failure, UsageError } from './exit.ts';
import type { Io } from './io.ts';
import { printable, printableJson, printableLines } from './output/printable.ts';
import { guardStream, type Output, writeDiagnostics, writeOutput } from './output/write.ts';

const MAX_LINE_UNITS = 4000;
/** Longest delay of a timer; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
/** How long a cancelled command tries to tell of it. */
const TELL_MS = 500;

/** What a piece of work gets besides its options. */
export interface Task {
  readonly io: Io;
  /** Aborted by SIGINT, SIGTERM and `--timeout`. */
  readonly signal: AbortSignal;
  /** Sentences for standard error, printed after the output, and only if the work succeeds. */
  readonly notices: string[];
  /** Whole lines for standard error, printed before the notices, and as they are: cleaning is the caller's. */
  readonly reports: string[];
  /** Cancels the work after that many milliseconds. */
  startTimeout(timeoutMs: number): void;
  /** Has `step` called when all is over, whatever the end. */
  onEnd(step: () => unknown): void;
}

export type ErrorFormat = 'text' | 'json';

/** Runs `work`, writes the output it returns, and gives the exit code. Never throws. */
export async function perform(
  io: Io,
  errorFormat: ErrorFormat,
  work: (task: Task) => Promise<Output> | Output,
): Promise<number> {
  const undo: (() => unknown)[] = [];
  guardStream(io.stdout);
  guardStream(io.stderr);
  const task = createTask(io, undo);
  try {
    const running = (async () => work(task))();
    const output = await untilCancelled(running, task.signal);
    await untilCancelled(writeOutput(io.stdout, output, task.signal), task.signal);
    const notices = task.notices.map((notice) => `dsh-ref: ${oneLine(notice)}\n`).join('');
    const told = task.reports.join('') + notices;
    if (told !== '') await untilGivenUp(writeDiagnostics(io.stderr, told), task.signal);
    return 0;
  } catch (error) {
    if (error instanceof ClosedPipe) return 0;
    const failure = describeFailure(error, task.signal);
    const help = error instanceof UsageError ? (error.help ?? '') : '';
    const telling = writeDiagnostics(io.stderr, renderFailure(failure, errorFormat, help));
    await untilGivenUp(telling, task.signal);
    return failure.exit;
  } finally {
    for (const step of undo) void quietly(step);
  }
}

/** Cleaning up fails without a word: the outcome has been told. */
async function quietly(step: () => unknown): Promise<void> {
  try {
    await step();
  } catch {
    // Nothing to be done about it any more.
  }
}

function createTask(io: Io, undo: (() => unknown)[]): Task {
  const controller = new AbortController();
  const forward = (): void => controller.abort(io.signal?.reason);
  if (io.signal?.aborted) forward();
  io.signal?.addEventListener('abort', forward);
  undo.push(() => io.signal?.removeEventListener('abort', forward));
  const startTimeout = (timeoutMs: number): void => {
    const message = `not done within ${timeoutMs} ms; give a longer --timeout`;
    io.stdout.neverBlock?.();
    io.stderr.neverBlock?.();
    const timer = setTimeout(() => controller.abort(new CancelReason('timeout', message)), timeoutMs);
    undo.push(() => clearTimeout(timer));
  };
  const onEnd = (step: () => unknown): void => {
    undo.push(step);
  };
  return { io, signal: controller.signal, notices: [], reports: [], startTimeout, onEnd };
}

/** The result of `work`, or the signal's reason thrown as soon as it is aborted, whatever the work does then. */
async function untilCancelled<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // After a cancellation nobody waits for the work any more: its own end is not news.
    work.catch(() => undefined);
  }
}

/** Waits for `telling`, after a cancellation for a moment only: the outcome is known, and perhaps nobody reads of it. */
async function untilGivenUp(telling: Promise<void>, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await untilCancelled(telling, signal);
  } catch {
    const moment = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, TELL_MS);
    });
    await Promise.race([telling, moment]);
  } finally {
    clearTimeout(timer);
  }
}

/** The text of a failure for standard error. In the text form a fault of ours adds its stack below the line. */
export function renderFailure(failure: Failure, format: ErrorFormat, help = ''): string {
  const { code, message, details, stack } = failure;
  if (format === 'json') return `${printableJson(JSON.stringify({ error: { code, message, details } }))}\n`;
  const line = `dsh-ref: ${oneLine(message)} [${code}]\n`;
  if (stack !== undefined) return `${line}${printableLines(stack)}\n`;
  return help === '' ? line : `${help}\n${line}`;
}

/** One printable line of bounded length; a name of a megabyte must not flood the terminal. */
function oneLine(text: string): string {
  const line = printable(text.slice(0, MAX_LINE_UNITS));
  return text.length > MAX_LINE_UNITS ? `${line}…` : line;
}
