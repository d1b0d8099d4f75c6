/** `candidates` as it is asked for with each key pressed, read without commander (`plain-line.ts`). */
import { type CandidatesFlags, listCandidates } from './list-candidates.ts';
import { FORMATS } from './output/candidates.ts';
import { choiceOption, countOption, type PlainOptions, readPlainLine } from './plain-line.ts';
import type { Invocation } from './program.ts';

const readCount = countOption((limit) => ({ limit }));

const OPTIONS: PlainOptions<CandidatesFlags> = {
  switches: {
    '--here': { here: true },
    '--top-level': { topLevel: true },
    '--json': { json: true },
    '-0': { null: true },
    '--null': { null: true },
  },
  values: {
    // One that begins with a zero is odd, and none at all is an error.
    '--limit': (value) => (value.startsWith('0') ? undefined : readCount(value)),
    '--format': choiceOption(FORMATS, (format) => ({ format })),
  },
};

/** What `args`, all behind the command's name, ask for; undefined where commander has to look at them. */
export function plainCandidates(args: readonly string[]): Invocation | undefined {
  const line = readPlainLine(args, OPTIONS);
  if (line === undefined) return undefined;
  const { words, flags, common } = line;
  const [query = ''] = words;
  if (words.length > 1 || query === '-') return undefined;
  return { kind: 'command', common, run: (context) => listCandidates(query, flags, context) };
}
