/**
 * Where `bin/dsh-ref.js` enters. Answers `uri …` and `--version` without commander, which would cost more than the
 * work; everything else goes to `main.ts`, with the same result as if all of it did.
 */

import { type DecodeOptions, decodeUris, encodeUris } from './commands/uri.ts';
import type { Io } from './io.ts';
import { perform } from './perform.ts';
import { processIo, settle } from './process.ts';
import { VERSION } from './version.ts';

/** Runs the command line of `process`, sets its exit code, and lets it end. */
export async function start(process: NodeJS.Process): Promise<void> {
  const argv = process.argv.slice(2);
  const answer = fastAnswer(argv);
  const io = processIo(process, answer === undefined);
  const exitCode =
    answer === undefined
      ? await (await import('./main.ts')).run(argv, io)
      : await perform(io, 'text', () => answer(io));
  settle(process, exitCode);
}

/** The work of a command line that needs no parser; nothing for any other. */
export function fastAnswer(argv: readonly string[]): ((io: Io) => string) | undefined {
  if (argv.length === 1 && argv[0] === '--version') return () => `${VERSION}\n`;
  const [name, verb, ...rest] = argv;
  if (name !== 'uri' || (verb !== 'encode' && verb !== 'decode')) return undefined;
  const parsed = readOperands(rest, verb === 'decode' ? DECODE_OPTIONS : {});
  if (parsed === undefined || parsed.operands.length === 0) return undefined;
  const { operands, options } = parsed;
  return verb === 'encode' ? () => encodeUris(operands) : (io) => decodeUris(operands, options, io.stdout);
}

const DECODE_OPTIONS: Readonly<Record<string, DecodeOptions>> = {
  '--json': { json: true },
  '-0': { null: true },
  '--null': { null: true },
};

function readOperands(
  argv: readonly string[],
  known: Readonly<Record<string, DecodeOptions>>,
): { operands: string[]; options: DecodeOptions } | undefined {
  const operands: string[] = [];
  let options: DecodeOptions = {};
  for (const [at, argument] of argv.entries()) {
    if (argument === '--') return { operands: [...operands, ...argv.slice(at + 1)], options };
    if (argument.length > 1 && argument.startsWith('-')) {
      if (!Object.hasOwn(known, argument)) return undefined;
      options = { ...options, ...known[argument] };
    } else {
      operands.push(argument);
    }
  }
  return { operands, options };
}
