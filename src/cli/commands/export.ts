import type { Command } from 'commander';
import type { LogExport } from '../../store.ts';
import { type CommandContext, notice, withStore } from '../context.ts';
import { CliError } from '../exit.ts';
import { printableJson } from '../output/printable.ts';
import type { Output } from '../output/write.ts';
import { nameSession } from '../sessions.ts';
import type { Configure } from './index.ts';

export interface ExportFlags {
  readonly events?: boolean;
}

export const configure: Configure = (command, invoke) => {
  command
    .description(
      'The stored log of a session, decoded: the header and the rows, byte by byte as they were written.\n' +
        'A damaged log is refused; a torn or dropped end is left out with a notice.',
    )
    .option('--events', 'events alone, one a line: no header, and packed rows unpacked')
    .addHelpText(
      'after',
      '\nExample:\n  dsh-ref export session-1 --root fixtures/logs/basic-zstd | head -n 3\n' +
        '  dsh-ref export session-1 --root fixtures/logs/basic-zstd --events | jq -r .type',
    )
    .action((session: string, flags: ExportFlags, exportCommand: Command) =>
      invoke(exportCommand, (context) => run(session, flags, context)),
    );
};

/** The lines of the log of `session`, read on as they are written. */
export async function run(session: string, flags: ExportFlags, context: CommandContext): Promise<Output> {
  const { io, signal } = context.task;
  return withStore(context, async ({ store }) => {
    const { sessionId } = await nameSession(store, session, signal);
    const { openExport } = await import('../../store.ts');
    const opened = await openExport({ roots: store.roots, sessionId, events: flags.events === true, signal });
    context.task.onEnd(() => opened.close());
    tellLeftOut(opened, context);
    return io.stdout.isTTY === true ? printableExport(opened) : opened;
  });
}

/** Under `--strict` an export that leaves something of the file out is none. */
function tellLeftOut({ leftOut, path }: LogExport, context: CommandContext): void {
  for (const { message, kind } of leftOut) {
    const sentence = `left out of ${JSON.stringify(path)}: ${message}`;
    if (context.common.strict === true) {
      const remedy = 'leave `--strict` out to export the rest';
      throw new CliError('DSH_REF_SKIPPED', sentence, { remedy, details: { path, kind } });
    }
    notice(context, sentence);
  }
}

/** The same JSON values, spelled so that a terminal can show them. */
function printableExport(opened: LogExport): Output {
  return {
    async *chunks() {
      // Pieces are whole lines, so no character lies across two of them.
      for await (const piece of opened.chunks())
        yield Buffer.from(printableJson(Buffer.from(piece).toString()));
    },
  };
}
