import type { Command } from 'commander';
import { SessionLogError } from '../../errors.ts';
import type { SessionStore } from '../../store.ts';
import { type CommandContext, notice, withStore } from '../context.ts';
import { mentionLine } from '../output/mention-line.ts';
import { type NamedSession, nameSession } from '../sessions.ts';
import type { Configure } from './index.ts';

export interface MentionOptions {
  readonly label?: string;
}

export const configure: Configure = (command, invoke) => {
  command
    .description(
      'The mention of each session, one a line, to be put into a message.\n' +
        'A session is an id, the beginning of one (at least 4 characters), a URI or a mention.',
    )
    .option('--label <text>', 'what people read (default: the title of the session, else its id)')
    .addHelpText(
      'after',
      '\nExample:\n  dsh-ref mention session-1 --label "the login fix"\n' +
        '  dsh-ref candidates --root fixtures/logs/basic-zstd --format id |\n' +
        '    xargs dsh-ref mention --root fixtures/logs/basic-zstd',
    )
    .action((sessions: string[], options: MentionOptions, mention: Command) =>
      invoke(mention, (context) => run(sessions, options, context)),
    );
};

/** The mentions of `sessions`, in that order, each on a line. */
export async function run(
  sessions: readonly string[],
  options: MentionOptions,
  context: CommandContext,
): Promise<string> {
  return withStore(context, async ({ store }) => {
    const { io, signal } = context.task;
    let lines = '';
    for (const given of sessions) {
      const named = await nameSession(store, given, signal);
      if (!named.isStored) {
        const id = JSON.stringify(named.sessionId);
        notice(
          context,
          `no session ${id} under ${store.roots.join(', ')}; its mention is written all the same`,
        );
      }
      const label = options.label ?? (await findTitle(store, named, context)) ?? named.sessionId;
      lines += `${mentionLine({ sessionId: named.sessionId, label }, io.stdout)}\n`;
    }
    return lines;
  });
}

/** The title of a stored session as lists show it; nothing, with a notice, where its log cannot be read. */
async function findTitle(
  store: SessionStore,
  { sessionId, isStored }: NamedSession,
  context: CommandContext,
): Promise<string | undefined> {
  if (!isStored) return undefined;
  try {
    const { displayTitle, unreadable } = await store.readCandidate(sessionId, {
      signal: context.task.signal,
    });
    if (unreadable === undefined) return displayTitle;
    noticeNoTitle(context, sessionId, `the log is ${unreadable}`);
  } catch (error) {
    if (!(error instanceof SessionLogError)) throw error;
    noticeNoTitle(context, sessionId, error.message);
  }
  return undefined;
}

function noticeNoTitle(context: CommandContext, sessionId: string, why: string): void {
  notice(context, `the title of ${JSON.stringify(sessionId)} cannot be read (${why}); its id stands in`);
}
