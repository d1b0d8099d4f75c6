/**
 * Command lines as they are asked for again and again, read without commander, whose loading takes longer than listing a
 * thousand sessions. Whatever is not plainly such a line, or would be an error, is left to commander; tests hold both
 * readings to the same.
 */
import type { CommonOptions } from './common.ts';

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Options of one command beside those that all have; each is left alone, with false, where it is not plain. */
export interface PlainOptions<Flags> {
  readonly takeSwitch: (option: string, flags: Mutable<Flags>) => boolean;
  readonly takeValue: (option: string, value: string, flags: Mutable<Flags>) => boolean;
}

export interface PlainLine<Flags> {
  readonly words: readonly string[];
  readonly flags: Flags;
  readonly common: CommonOptions;
}

/** What `args`, all behind the command's name, say; undefined where commander has to look at them. */
export function readPlainLine<Flags extends object>(
  args: readonly string[],
  { takeSwitch, takeValue }: PlainOptions<Flags>,
): PlainLine<Flags> | undefined {
  const words: string[] = [];
  const root: string[] = [];
  const common: Mutable<CommonOptions> = {};
  const flags = {} as Mutable<Flags>;
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at]!;
    if (!argument.startsWith('-') || argument === '-') {
      words.push(argument);
    } else if (!takeCommonSwitch(argument, common) && !takeSwitch(argument, flags)) {
      at += 1;
      const value = args[at];
      if (value === undefined || value.startsWith('-') || value.trim() === '') return undefined;
      if (argument === '--root') root.push(value);
      else if (!takeCommonValue(argument, value, common) && !takeValue(argument, value, flags))
        return undefined;
    }
  }
  return { words, flags, common: root.length > 0 ? { ...common, root } : common };
}

function takeCommonSwitch(option: string, common: Mutable<CommonOptions>): boolean {
  switch (option) {
    case '-q':
    case '--quiet':
      common.quiet = true;
      return true;
    case '-v':
    case '--verbose':
      common.verbose = true;
      return true;
    case '--strict':
      common.strict = true;
      return true;
    case '--no-index':
      common.index = false;
      return true;
    default:
      return false;
  }
}

function takeCommonValue(option: string, value: string, common: Mutable<CommonOptions>): boolean {
  switch (option) {
    case '--cwd':
      common.cwd = value;
      return true;
    case '--self':
      common.self = value;
      return true;
    case '--index-dir':
      common.indexDir = value;
      return true;
    default:
      return false;
  }
}
