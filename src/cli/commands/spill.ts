import type { Command } from 'commander';
import { parseTranscript } from '../../snapshot/transcript.ts';
import type { CommandContext } from '../context.ts';
import { CliError } from '../exit.ts';
import { readTextFile } from '../input.ts';
import { jsonDocument } from '../output/json.ts';
import { transcriptMarkdown } from '../output/transcript.ts';
import type { Configure } from './index.ts';

export interface SpillShowFlags {
  readonly json?: boolean;
}

export const configure: Configure = (command, invoke) => {
  const prepare =
    'dsh-ref prepare --reference session-1 --max-bytes 300 --root fixtures/logs/basic-zstd --spill-dir /tmp/dsh-ref-spill';
  command
    .description('The full texts that prepare keeps of shortened snapshots.')
    .addHelpText('after', `\nExample:\n  ${prepare}`);
  command
    .command('show <locator>')
    .description(
      'A kept text as it was said, from the path that a context message names as its locator.\n' +
        'In the file it stands in short JSON pieces; here they are joined again.',
    )
    .option('--json', 'one JSON object: metadata and messages')
    .addHelpText(
      'after',
      `\nExample:\n  ${prepare}\n  find /tmp/dsh-ref-spill -type f -exec dsh-ref spill show {} \\;`,
    )
    .action((locator: string, flags: SpillShowFlags, show: Command) =>
      invoke(show, (context) => run(locator, flags, context)),
    );
};

/** The transcript at `locator`, read back. */
export async function run(locator: string, flags: SpillShowFlags, context: CommandContext): Promise<string> {
  const { stdout } = context.task.io;
  const transcript = parseTranscript(await readTextFile(context.task, locator));
  if (transcript === undefined) {
    throw new CliError(
      'DSH_REF_INPUT_FAILED',
      `the file ${JSON.stringify(locator)} is no transcript of a session`,
      { remedy: 'give the locator that a context message names' },
    );
  }
  const { metadata, messages } = transcript;
  if (flags.json === true) return jsonDocument({ metadata, messages }, stdout);
  return transcriptMarkdown(transcript, stdout);
}
