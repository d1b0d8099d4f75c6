import type { Io } from '../io.ts';

/** Styles for people; each returns its text unchanged when colour is off. */
export interface Palette {
  readonly heading: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly here: (text: string) => string;
  readonly fault: (text: string) => string;
}

const plain = (text: string): string => text;
const PLAIN_PALETTE: Palette = { heading: plain, faint: plain, here: plain, fault: plain };

/** `--color` and `--no-color` first, then `NO_COLOR`, then `FORCE_COLOR`, then whether standard output is a terminal. */
export function wantsColour(io: Io, option: boolean | undefined): boolean {
  if (option !== undefined) return option;
  const { NO_COLOR, FORCE_COLOR, TERM } = io.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return io.stdout.isTTY === true && TERM !== 'dumb';
}

/** The styles of standard output. chalk is loaded only where colour is on. */
export async function loadPalette(io: Io, option: boolean | undefined): Promise<Palette> {
  if (!wantsColour(io, option)) return PLAIN_PALETTE;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return { heading: chalk.bold, faint: chalk.dim, here: chalk.green, fault: chalk.red };
}
