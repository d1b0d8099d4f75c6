import type { Command } from 'commander';
import { Option } from 'commander';
import { parsePositiveCount } from '../args.ts';
import { type CandidatesFlags, DEFAULT_LIMIT, listCandidates } from '../list-candidates.ts';
import { FORMATS } from '../output/candidates.ts';
import type { Configure } from './index.ts';

export const configure: Configure = (command, invoke) => {
  command
    .description(
      'The sessions that can be cited: those of the same directory first, then those\n' +
        'without one, then the rest, the newest first in each.\n' +
        'A query keeps those whose id, directory or title contains it, whatever the case.',
    )
    .addOption(
      new Option('--limit <n>', `at most so many (default: ${DEFAULT_LIMIT})`).argParser(parsePositiveCount),
    )
    .option('--here', 'only sessions recorded in the asking directory')
    .option('--top-level', 'leave subagents out')
    .addOption(
      new Option('--format <format>', 'default: table on a terminal, else ndjson').choices([...FORMATS]),
    )
    .option('--json', 'the same as --format json')
    .option('-0, --null', 'end records with NUL in place of a line feed (mention, id, tsv)')
    .addHelpText('after', '\nExample:\n  dsh-ref candidates --root fixtures/logs/basic-zstd')
    .action((query: string | undefined, flags: CandidatesFlags, candidates: Command) =>
      invoke(candidates, (context) => listCandidates(query ?? '', flags, context)),
    );
};
