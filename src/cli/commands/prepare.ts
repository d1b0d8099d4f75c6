import type { Command } from 'commander';
import { Option } from 'commander';
import { collectNonBlank, parseCount, parseFraction, parseNonBlank } from '../args.ts';
import { PREPARE_FORMATS, type PrepareFlags } from '../prepare-flags.ts';
import { prepareInput } from '../prepare-input.ts';
import type { Configure } from './index.ts';

export const configure: Configure = (command, invoke) => {
  command
    .description(
      'The message that a text with mentions becomes: readable, with a bounded snapshot of each session it cites.\n' +
        'The text is the arguments joined by spaces, or standard input for a single -.\n' +
        'With --reference there may be none: then the message has no content of its own.',
    )
    .addOption(
      new Option(
        '--reference <session>',
        'cite it too: id, its beginning, URI or mention; may be repeated',
      ).argParser(collectNonBlank),
    )
    .addOption(
      new Option(
        '--messages <file>',
        'prepare user messages in place of a text: a JSON array or one a line, - for standard input',
      ).argParser(parseNonBlank),
    )
    .addOption(
      new Option('--format <format>', 'json, text for any model’s prompt, or ndjson for --messages').choices([
        ...PREPARE_FORMATS,
      ]),
    )
    .option('--explain', 'on standard error: what was kept of each session, and why')
    .addHelpText(
      'after',
      '\nExample:\n  dsh-ref candidates --root fixtures/logs/basic-zstd --format mention --limit 1 |\n' +
        '    dsh-ref prepare - --root fixtures/logs/basic-zstd',
    )
    .action((words: string[], flags: PrepareFlags, prepare: Command) =>
      invoke(prepare, (context) => prepareInput(words, flags, context)),
    );
  for (const option of [...budgetOptions(), ...spillOptions()]) command.addOption(option);
};

function budgetOptions(): Option[] {
  const options = [
    new Option('--max-bytes <n>', 'UTF-8 bytes of one snapshot').argParser(parseCount),
    new Option('--context-window <tokens>', 'size of the model’s window, for the budget').argParser(
      parseCount,
    ),
    new Option('--context-fraction <f>', 'its share for one snapshot (default: 0.2)').argParser(
      parseFraction,
    ),
    new Option('--max-references <n>', 'distinct sessions allowed (1 to 3)').argParser(parseCount),
  ];
  return options.map((option) => option.helpGroup('Budget:'));
}

function spillOptions(): Option[] {
  const options = [
    new Option('--spill-dir <dir>', 'where they are kept (default: in the cache directory)').argParser(
      parseNonBlank,
    ),
    new Option('--spill-keep-days <n>', 'days they stay, 0 for ever (default: 30)').argParser(parseCount),
    new Option('--no-spill', 'keep none'),
  ];
  return options.map((option) => option.helpGroup('Full texts of shortened snapshots:'));
}
