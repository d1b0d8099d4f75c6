/** `candidates` as it is asked for with each key pressed, read without commander (`plain-line.ts`). */
import { type CandidatesFlags, listCandidates } from './list-candidates.ts';
import { FORMATS, type Format } from './output/candidates.ts';
import { type Mutable, readPlainLine } from './plain-line.ts';
import type { Invocation } from './program.ts';

/** What `args`, all behind the command's name, ask for; undefined where commander has to look at them. */
export function plainCandidates(args: readonly string[]): Invocation | undefined {
  const line = readPlainLine<CandidatesFlags>(args, { takeSwitch, takeValue });
  if (line === undefined) return undefined;
  const { words, flags, common } = line;
  const [query = ''] = words;
  if (words.length > 1 || query === '-') return undefined;
  return { kind: 'command', common, run: (context) => listCandidates(query, flags, context) };
}

function takeSwitch(option: string, flags: Mutable<CandidatesFlags>): boolean {
  switch (option) {
    case '--here':
      flags.here = true;
      return true;
    case '--top-level':
      flags.topLevel = true;
      return true;
    case '--json':
      flags.json = true;
      return true;
    case '-0':
    case '--null':
      flags.null = true;
      return true;
    default:
      return false;
  }
}

function takeValue(option: string, value: string, flags: Mutable<CandidatesFlags>): boolean {
  switch (option) {
    case '--limit':
      flags.limit = Number(value);
      return /^[1-9]\d{0,14}$/.test(value);
    case '--format':
      flags.format = value as Format;
      return (FORMATS as readonly string[]).includes(value);
    default:
      return false;
  }
}
