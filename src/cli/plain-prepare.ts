/** `prepare` as scripts and hooks call it, read without commander (`plain-line.ts`). */
import { type Mutable, readPlainLine } from './plain-line.ts';
import { PREPARE_FORMATS, type PrepareFlags, type PrepareFormat } from './prepare-flags.ts';
import type { Invocation } from './program.ts';

/** What `args`, all behind the command's name, ask for; undefined where commander has to look at them. */
export function plainPrepare(args: readonly string[]): Invocation | undefined {
  const line = readPlainLine<PrepareFlags>(args, { takeSwitch, takeValue });
  if (line === undefined) return undefined;
  const { words, flags, common } = line;
  return {
    kind: 'command',
    common,
    run: async (context) => (await import('./prepare-input.ts')).prepareInput(words, flags, context),
  };
}

function takeSwitch(option: string, flags: Mutable<PrepareFlags>): boolean {
  switch (option) {
    case '--explain':
      flags.explain = true;
      return true;
    case '--no-spill':
      flags.spill = false;
      return true;
    default:
      return false;
  }
}

function takeValue(option: string, value: string, flags: Mutable<PrepareFlags>): boolean {
  switch (option) {
    case '--reference':
      flags.reference = [...(flags.reference ?? []), value];
      return true;
    case '--messages':
      flags.messages = value;
      return true;
    case '--spill-dir':
      flags.spillDir = value;
      return true;
    case '--format':
      flags.format = value as PrepareFormat;
      return (PREPARE_FORMATS as readonly string[]).includes(value);
    case '--max-bytes':
      flags.maxBytes = Number(value);
      return isCount(value);
    case '--context-window':
      flags.contextWindow = Number(value);
      return isCount(value);
    case '--max-references':
      flags.maxReferences = Number(value);
      return isCount(value);
    case '--spill-keep-days':
      flags.spillKeepDays = Number(value);
      return isCount(value);
    default:
      return false;
  }
}

function isCount(value: string): boolean {
  return /^\d{1,15}$/.test(value);
}
