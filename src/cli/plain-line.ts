/**
 * Command lines as they are asked for again and again, read without commander, whose loading takes longer than listing a
 * thousand sessions. Whatever is not plainly such a line, or would be an error, is left to commander; tests hold both
 * readings to the same.
 */
import type { CommonOptions } from './common.ts';

/** Options that are plain, by their names. What is not here is left to commander. */
export interface PlainOptions<Flags> {
  /** Options without a value: what each sets. */
  readonly switches: Readonly<Record<string, Partial<Flags>>>;
  /** Options with one, which is not blank: what it sets beside `given`; undefined where it is not plainly right. */
  readonly values: Readonly<
    Record<string, (value: string, given: Partial<Flags>) => Partial<Flags> | undefined>
  >;
}

const COMMON: PlainOptions<CommonOptions> = {
  switches: {
    '-q': { quiet: true },
    '--quiet': { quiet: true },
    '-v': { verbose: true },
    '--verbose': { verbose: true },
    '--strict': { strict: true },
    '--no-index': { index: false },
  },
  values: {
    '--root': (value, { root = [] }) => ({ root: [...root, value] }),
    '--cwd': (cwd) => ({ cwd }),
    '--self': (self) => ({ self }),
    '--index-dir': (indexDir) => ({ indexDir }),
  },
};

export interface PlainLine<Flags> {
  readonly words: readonly string[];
  readonly flags: Partial<Flags>;
  readonly common: CommonOptions;
}

/** What `args`, all behind the command's name, say; undefined where commander has to look at them. */
export function readPlainLine<Flags>(
  args: readonly string[],
  own: PlainOptions<Flags>,
): PlainLine<Flags> | undefined {
  const words: string[] = [];
  const flags: Partial<Flags> = {};
  const common: Partial<CommonOptions> = {};
  const rest = args.values();
  for (const argument of rest) {
    if (!argument.startsWith('-') || argument === '-') words.push(argument);
    else if (!take(argument, rest, COMMON, common) && !take(argument, rest, own, flags)) return undefined;
  }
  return { words, flags, common };
}

/** Adds to `given` what `option` sets, with the next of `rest` as its value; false where it is not plain. */
function take<Flags>(
  option: string,
  rest: Iterator<string>,
  { switches, values }: PlainOptions<Flags>,
  given: Partial<Flags>,
): boolean {
  const read = values[option];
  const set = switches[option] ?? (read && readValue(rest, (value) => read(value, given)));
  if (set === undefined) return false;
  Object.assign(given, set);
  return true;
}

function readValue<T>(rest: Iterator<string>, read: (value: string) => T | undefined): T | undefined {
  const next = rest.next();
  if (next.done === true || next.value.startsWith('-') || next.value.trim() === '') return undefined;
  return read(next.value);
}

/** Reads a whole number into what `toFlags` makes of it. */
export function countOption<Flags>(toFlags: (count: number) => Flags): (value: string) => Flags | undefined {
  return (value) => (/^\d{1,15}$/.test(value) ? toFlags(Number(value)) : undefined);
}

/** Reads one of `choices` into what `toFlags` makes of it. */
export function choiceOption<Choice extends string, Flags>(
  choices: readonly Choice[],
  toFlags: (choice: Choice) => Flags,
): (value: string) => Flags | undefined {
  return (value) => {
    const choice = choices.find((known) => known === value);
    return choice === undefined ? undefined : toFlags(choice);
  };
}
