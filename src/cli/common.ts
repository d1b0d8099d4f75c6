/** Options that every command understands, before or after its name. */

import { type Command, Option } from 'commander';
import { collectNonBlank, parseMilliseconds, parseNonBlank } from './args.ts';
import type { ErrorFormat } from './perform.ts';

export interface CommonOptions {
  readonly root?: readonly string[];
  readonly self?: string;
  readonly cwd?: string;
  readonly strict?: boolean;
  readonly indexDir?: string;
  readonly index?: boolean;
  readonly timeout?: number;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
  readonly errorFormat?: ErrorFormat;
}

/** Adds the common options to `command`, under a heading of their own in its help. */
export function addCommonOptions(command: Command): Command {
  const options = [
    new Option('--root <dir>', 'folder that holds session logs; may be repeated').argParser(collectNonBlank),
    new Option('--self <session>', 'the asking session: id, URI or mention').argParser(parseNonBlank),
    new Option('--cwd <dir>', 'its directory (default: the current one)').argParser(parseNonBlank),
    new Option('--strict', 'fail (exit 4) when a session had to be skipped'),
    new Option(
      '--index-dir <dir>',
      'where titles are remembered (default: in the cache directory)',
    ).argParser(parseNonBlank),
    // First the counterpart: without it commander would set a default, which hides what was given before the command.
    new Option('--index').hideHelp(),
    new Option('--no-index', 'read every log, remember nothing'),
    new Option('--timeout <ms>', 'give up after so many milliseconds (exit 124)').argParser(
      parseMilliseconds,
    ),
    new Option('-q, --quiet', 'no notices on standard error'),
    new Option('-v, --verbose', 'more detail on standard error'),
    new Option('--color', 'colour even where standard output is no terminal'),
    new Option('--no-color', 'no colour'),
    new Option('--error-format <format>', 'how an error is printed').choices(['text', 'json']),
  ];
  for (const option of options) command.addOption(option.helpGroup('Common options:'));
  return command.helpOption('-h, --help', 'this help');
}

/** The common options given to `command` and to the commands above it; the nearest wins, roots add up. */
export function readCommonOptions(command: Command): CommonOptions {
  const own: CommonOptions = command.opts();
  if (command.parent === null) return own;
  const outer = readCommonOptions(command.parent);
  const root = [...(outer.root ?? []), ...(own.root ?? [])];
  return { ...outer, ...own, ...(root.length > 0 ? { root } : {}) };
}
