/** `prepare` as scripts and hooks call it, read without commander (`plain-line.ts`). */
import { choiceOption, countOption, type PlainOptions, readPlainLine } from './plain-line.ts';
import { PREPARE_FORMATS, type PrepareFlags } from './prepare-flags.ts';
import type { Invocation } from './program.ts';

const OPTIONS: PlainOptions<PrepareFlags> = {
  switches: {
    '--explain': { explain: true },
    '--no-spill': { spill: false },
  },
  values: {
    '--reference': (value, { reference = [] }) => ({ reference: [...reference, value] }),
    '--messages': (messages) => ({ messages }),
    '--spill-dir': (spillDir) => ({ spillDir }),
    '--format': choiceOption(PREPARE_FORMATS, (format) => ({ format })),
    '--max-bytes': countOption((maxBytes) => ({ maxBytes })),
    '--context-window': countOption((contextWindow) => ({ contextWindow })),
    '--max-references': countOption((maxReferences) => ({ maxReferences })),
    '--spill-keep-days': countOption((spillKeepDays) => ({ spillKeepDays })),
  },
};

/** What `args`, all behind the command's name, ask for; undefined where commander has to look at them. */
export function plainPrepare(args: readonly string[]): Invocation | undefined {
  const line = readPlainLine(args, OPTIONS);
  if (line === undefined) return undefined;
  const { words, flags, common } = line;
  return {
    kind: 'command',
    common,
    run: async (context) => (await import('./prepare-input.ts')).prepareInput(words, flags, context),
  };
}
