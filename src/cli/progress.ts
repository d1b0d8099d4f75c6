/** One line on standard error that says how far long work has come; gone without a trace when it ends. */

import type { CommandContext } from './context.ts';

const SILENT_MS = 500;
const STEP_MS = 100;

export interface Progress {
  /** Tells how far the work has come. */
  readonly onProgress: (done: number, total: number) => void;
  /** Takes the line away. Nothing is drawn after that. */
  readonly clear: () => void;
}

/** Progress of `what`, such as "sessions read": on a terminal only, without `-q`, and from half a second on. */
export function startProgress({ task, common }: CommandContext, what: string): Progress {
  const { stderr, env, now } = task.io;
  let isOpen = stderr.isTTY === true && common.quiet !== true && env.TERM !== 'dumb';
  let isShown = false;
  let next = now() + SILENT_MS;
  const clear = (): void => {
    if (isOpen && isShown) stderr.write('\r\u001b[K');
    isOpen = false;
    task.signal.removeEventListener('abort', clear);
  };
  const onProgress = (done: number, total: number): void => {
    const at = now();
    if (!isOpen || at < next) return;
    next = at + STEP_MS;
    isShown = true;
    stderr.write(`\r\u001b[Kdsh-ref: ${done} of ${total} ${what}`);
  };
  // At once: what is printed about the cancellation must not stand behind the line.
  task.signal.addEventListener('abort', clear);
  return { onProgress, clear };
}
