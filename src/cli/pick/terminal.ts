/**
 * The terminal a person sits at, whatever the standard streams are: keys are read from it and the screen is drawn on
 * it, while standard output may be a pipe. What is changed about it is undone on every end.
 */

import { closeSync, openSync } from 'node:fs';
import { emitKeypressEvents, type Interface } from 'node:readline';
import { isatty, ReadStream, WriteStream } from 'node:tty';
import type { Frame, Size } from './frame.ts';
import type { Key } from './keys.ts';

export interface TerminalEvents {
  readonly onKey: (text: string | undefined, key: Key) => void;
  /** The screen has another size, or something else was on it. */
  readonly onRedraw: () => void;
  /** No more keys will come. */
  readonly onEnd: (error?: Error) => void;
}

export interface Terminal {
  /** Begins a screen of its own and reads keys. */
  start(events: TerminalEvents): void;
  size(): Size;
  /** Shows `frame`; nothing before `start` and after `stop`. */
  draw(frame: Frame): void;
  /** Gives the terminal back as it was, at once. More calls do nothing. */
  stop(): void;
}

/** How long after an escape the rest of a key's sequence may come; else it was the Esc key. */
const ESCAPE_MS = 100;
const DEFAULT_SIZE: Size = { columns: 80, rows: 24 };

// A second screen, no wrapping at the right edge, pastes told apart from keys.
const BEGIN = '\u001b[?1049h\u001b[?7l\u001b[?2004h';
const END = '\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const ERASE_LINE = '\u001b[2K';

/** The controlling terminal, else the standard streams; nothing where there is no terminal at all. */
export function openTerminal(platform: string): Terminal | undefined {
  const [input, output] = openDevices(platform) ?? [0, 2];
  if (!isatty(input) || !isatty(output)) return undefined;
  return terminalOn(new ReadStream(input), new WriteStream(output));
}

/** Descriptors of the devices for keys and screen. Raw mode needs both directions on Windows. */
function openDevices(platform: string): [input: number, output: number] | undefined {
  const [keys, screen] =
    platform === 'win32'
      ? (['\\\\.\\CONIN$', '\\\\.\\CONOUT$'] as const)
      : (['/dev/tty', '/dev/tty'] as const);
  let input: number | undefined;
  try {
    input = openSync(keys, 'r+');
    return [input, openSync(screen, 'r+')];
  } catch {
    // There is no such device, or the process has no terminal.
    if (input !== undefined) closeSync(input);
    return undefined;
  }
}

function terminalOn(input: ReadStream, output: WriteStream): Terminal {
  let undo: (() => void)[] = [];
  const stop = (): void => {
    const steps = undo;
    undo = [];
    for (const step of steps.reverse()) step();
    input.destroy();
    output.destroy();
  };
  return {
    start(events) {
      undo.push(...startScreen(input, output), ...watchProcess(input, output, stop, events.onRedraw));
      listen(input, output, events);
    },
    size: () => sizeOf(output),
    draw({ lines, cursorColumn }) {
      if (undo.length === 0) return;
      // Erased first: behind a full line the cursor still stands on its last character.
      const text = lines.map((line) => ERASE_LINE + line).join('\r\n');
      const cursor = `\u001b[1;${cursorColumn + 1}H`;
      output.write(`${HIDE_CURSOR}\u001b[H${text}${cursor}${SHOW_CURSOR}`);
    },
    stop,
  };
}

function sizeOf(output: WriteStream): Size {
  try {
    const [columns, rows] = output.getWindowSize();
    return columns > 0 && rows > 0 ? { columns, rows } : DEFAULT_SIZE;
  } catch {
    // The terminal has gone: whoever reads its keys is told.
    return DEFAULT_SIZE;
  }
}

function startScreen(input: ReadStream, output: WriteStream): (() => void)[] {
  input.setRawMode(true);
  output.write(BEGIN);
  return [() => input.setRawMode(false), () => output.write(END)];
}

function listen(input: ReadStream, output: WriteStream, { onKey, onEnd }: TerminalEvents): void {
  // Of the interface only this number is read; a whole one would act on keys itself.
  emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  input.on('keypress', onKey);
  input.on('end', () => onEnd());
  input.on('error', onEnd);
  output.on('error', onEnd);
  input.resume();
}

/** Undoes everything before a fault is reported and before the process ends; draws again where that is needed. */
function watchProcess(
  input: ReadStream,
  output: WriteStream,
  stop: () => void,
  onRedraw: () => void,
): (() => void)[] {
  const comeBack = (): void => {
    input.setRawMode(false);
    input.setRawMode(true);
    output.write(BEGIN);
    onRedraw();
  };
  const listeners = [
    ['SIGWINCH', onRedraw],
    ['SIGCONT', comeBack],
    ['uncaughtExceptionMonitor', stop],
    ['exit', stop],
  ] as const;
  // One of the names stands for all: the overloads of `on` take no union.
  for (const [event, listener] of listeners) process.on(event as 'exit', listener);
  return listeners.map(
    ([event, listener]) =>
      () =>
        process.off(event, listener),
  );
}
