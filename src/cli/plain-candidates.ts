/**
 * `candidates` as it is asked for with each key pressed, read without commander: loading that takes longer than
 * listing a thousand sessions. Whatever is not plainly such a line, or would be an error, is left to commander; a test
 * holds both readings to the same.
 */
import type { CommonOptions } from './common.ts';
import { type CandidatesFlags, listCandidates } from './list-candidates.ts';
import { FORMATS, type Format } from './output/candidates.ts';
import type { Invocation } from './program.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A command line as far as it has been read. */
interface Reading {
  query: string | undefined;
  readonly root: string[];
  readonly common: Mutable<CommonOptions>;
  readonly flags: Mutable<CandidatesFlags>;
}

/** What `argv` (without node and script) asks for; undefined where commander has to look at it. */
export function plainCandidates([name, ...rest]: readonly string[]): Invocation | undefined {
  if (name !== 'candidates') return undefined;
  const reading: Reading = { query: undefined, root: [], common: {}, flags: {} };
  for (let at = 0; at < rest.length; at += 1) {
    const argument = rest[at]!;
    if (!argument.startsWith('-')) {
      if (reading.query !== undefined) return undefined;
      reading.query = argument;
    } else if (!takeFlag(argument, reading)) {
      at += 1;
      const value = rest[at];
      if (value === undefined || value.startsWith('-') || value.trim() === '') return undefined;
      if (!takeValue(argument, value, reading)) return undefined;
    }
  }
  const { query = '', root, common, flags } = reading;
  return {
    kind: 'command',
    common: root.length > 0 ? { ...common, root } : common,
    run: (context) => listCandidates(query, flags, context),
  };
}

function takeFlag(option: string, { common, flags }: Reading): boolean {
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

function takeValue(option: string, value: string, { root, common, flags }: Reading): boolean {
  switch (option) {
    case '--root':
      root.push(value);
      return true;
    case '--cwd':
      common.cwd = value;
      return true;
    case '--self':
      common.self = value;
      return true;
    case '--index-dir':
      common.indexDir = value;
      return true;
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
