import type { Command } from 'commander';
import type { Transcript } from '../../store.ts';
import { type CommandContext, detail, notice, withStore } from '../context.ts';
import { loadPalette } from '../output/colour.ts';
import { conversationMarkdown, describeLeftOut } from '../output/conversation.ts';
import { jsonDocument } from '../output/json.ts';
import { nameSession } from '../sessions.ts';
import type { Configure } from './index.ts';

export interface ShowFlags {
  readonly json?: boolean;
  /** False with `--no-pager`. */
  readonly pager?: boolean;
}

export const configure: Configure = (command, invoke) => {
  command
    .description(
      'The conversation that a citation of the session would carry, with nothing cut, as Markdown.\n' +
        'It says what a citation leaves out: tool results, reasoning, injected messages, shadowed events.',
    )
    .option('--json', 'the items with their seqs, as a JSON array')
    .option('--no-pager', 'straight to the terminal (default: through $PAGER, else less)')
    .addHelpText('after', '\nExample:\n  dsh-ref show session-1 --root fixtures/logs/basic-zstd')
    .action((session: string, flags: ShowFlags, show: Command) =>
      invoke(show, (context) => run(session, flags, context)),
    );
};

/** The conversation of `session`; nothing where a pager has shown it. */
export async function run(session: string, flags: ShowFlags, context: CommandContext): Promise<string> {
  const { io } = context.task;
  const transcript = await read(session, context);
  tellOddities(context, transcript);
  if (flags.json === true) {
    notice(context, `left out: ${describeLeftOut(transcript.leftOut)}`);
    return jsonDocument(transcript.items, io.stdout);
  }
  const text = conversationMarkdown(transcript, io, await loadPalette(io, context.common.color));
  return (await isPaged(text, flags, context)) ? '' : text;
}

async function read(session: string, context: CommandContext): Promise<Transcript> {
  const { signal } = context.task;
  return withStore(context, async ({ store }) => {
    const { sessionId } = await nameSession(store, session, signal);
    const { readTranscript } = await import('../../store.ts');
    return readTranscript({ roots: store.roots, sessionId, signal });
  });
}

function tellOddities(context: CommandContext, { diagnostics, session }: Transcript): void {
  if (diagnostics.length === 0) return;
  const kinds = diagnostics.map(({ kind }) => kind).join(', ');
  notice(
    context,
    `the log of ${JSON.stringify(session.id)} has oddities (${kinds}); dsh-ref verify names each`,
  );
  for (const { kind, message, count } of diagnostics)
    detail(context, `${kind}: ${message} (${count} in all)`);
}

/** With `--timeout` nothing is paged: the limit would run while a person reads. */
async function isPaged(text: string, flags: ShowFlags, context: CommandContext): Promise<boolean> {
  if (flags.pager === false || context.common.timeout !== undefined) return false;
  const { choosePager, page } = await import('../output/conversation-pager.ts');
  const { io, signal } = context.task;
  const pager = choosePager(io);
  return pager !== undefined && page(pager, text, io, signal);
}
