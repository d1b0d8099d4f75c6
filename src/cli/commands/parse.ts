import type { Command } from 'commander';
import { parseSessionReferenceText } from '../../mention/mention.ts';
import { readText } from '../input.ts';
import { jsonDocument } from '../output/json.ts';
import type { Configure } from './index.ts';

export const configure: Configure = (command, invoke) => {
  command
    .description(
      'The text with each mention made readable, and the sessions it cites, as JSON. Nothing is read from disk.\n' +
        'The text is the arguments joined by spaces, or standard input for a single -.',
    )
    .addHelpText('after', '\nExample:\n  dsh-ref parse "see @[a title](dsh-session:InNlc3Npb24tMSI)"')
    .action((words: string[], _options: object, parse: Command) =>
      invoke(parse, async ({ task }) => {
        const { text, references } = parseSessionReferenceText(await readText(task, words));
        return jsonDocument({ text, references }, task.io.stdout);
      }),
    );
};
