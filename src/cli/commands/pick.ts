import type { Command } from 'commander';
import { Option } from 'commander';
import { SessionLogError } from '../../errors.ts';
import { encodeSessionReferenceUri } from '../../mention/uri.ts';
import type { CandidateList } from '../../store.ts';
import { type CommandContext, findCwd, findSelf, notice, type OpenedStore, withStore } from '../context.ts';
import { UsageError } from '../exit.ts';
import { fetchCandidates } from '../fetch-candidates.ts';
import type { Io } from '../io.ts';
import { render } from '../output/candidates.ts';
import { loadPalette, wantsColour } from '../output/colour.ts';
import { type Choice, choicesOf, loadFind } from '../pick/choices.ts';
import { choose } from '../pick/choose.ts';
import type { Style } from '../pick/frame.ts';
import { startState } from '../pick/state.ts';
import { openTerminal, type Terminal } from '../pick/terminal.ts';
import type { Configure } from './index.ts';

const FORMATS = ['mention', 'id', 'uri'] as const;

export interface PickFlags {
  readonly here?: boolean;
  readonly topLevel?: boolean;
  readonly format?: (typeof FORMATS)[number];
  readonly select1?: boolean;
}

export const configure: Configure = (command, invoke) => {
  command
    .description(
      'Choose a session on the terminal, with its last messages in view, and print its mention.\n' +
        'A query finds letters in this order in title, directory or id. Works inside pipes and $(…).\n' +
        'Enter chooses; Esc leaves, exit 130. Scripts use candidates.',
    )
    .option('--here', 'only sessions recorded in the asking directory')
    .option('--top-level', 'leave subagents out')
    .addOption(new Option('--format <format>', 'what is printed (default: mention)').choices([...FORMATS]))
    .option(
      '--select-1',
      'where the query finds exactly one session, take it without asking (on a terminal, too)',
    )
    .addHelpText('after', '\nExample:\n  dsh-ref pick --root fixtures/logs/basic-zstd')
    .action((query: string | undefined, flags: PickFlags, pick: Command) =>
      invoke(pick, (context) => run(query ?? '', flags, context)),
    );
};

/**
 * What stands for the session that a person chose, on one line.
 *
 * @throws UsageError without a terminal, before anything is read
 */
export async function run(
  query: string,
  flags: PickFlags,
  context: CommandContext,
  open: (platform: string) => Terminal | undefined = openTerminal,
): Promise<string> {
  const terminal = requireTerminal(context.task.io, open);
  context.task.onEnd(() => terminal.stop());
  return withStore(context, async (opened) => {
    const list = await listAll(flags, context, opened);
    const choices = choicesOf(list);
    const find = await loadFind(choices);
    const state = startState(query, find);
    const [only] = state.found.choices;
    const chosen =
      flags.select1 === true && only !== undefined && state.found.total === 1
        ? only
        : await choose({
            terminal,
            state,
            choiceCount: choices.length,
            find,
            store: opened.store,
            style: await loadStyle(context),
            viewer: { nowMs: context.task.io.now(), home: context.task.io.homedir() },
            signal: context.task.signal,
          });
    return print(chosen, list, flags, context);
  });
}

/** A question to nobody would hang a script, and a terminal without a movable cursor shows no list. */
function requireTerminal(io: Io, open: (platform: string) => Terminal | undefined): Terminal {
  const remedy = 'use `dsh-ref candidates`, which asks nothing';
  if (io.env.TERM === 'dumb') {
    throw new UsageError('pick draws on the terminal, and TERM says that it is dumb', { remedy });
  }
  const terminal = open(io.platform);
  if (terminal === undefined) {
    throw new UsageError('pick asks on a terminal, and this process has none', { remedy });
  }
  return terminal;
}

/** Every session that can be cited. Errors: SESSION_LOG_NOT_FOUND where there is none. */
async function listAll(
  flags: PickFlags,
  context: CommandContext,
  { store, roots }: OpenedStore,
): Promise<CandidateList> {
  const self = await findSelf(context, store);
  const cwd = findCwd(context);
  const list = await fetchCandidates(context, store, {
    limit: Number.MAX_SAFE_INTEGER,
    here: flags.here === true,
    topLevel: flags.topLevel === true,
    ...(self === undefined ? {} : { self }),
    ...(cwd === undefined ? {} : { cwd }),
  });
  if (list.candidates.length > 0) return list;
  const where = `${roots.paths.join(', ')} (${roots.reason})`;
  const counts = `${list.seen} seen, ${list.skipped.length} skipped`;
  const what = roots.missing ? `${where} does not exist` : `no session to cite under ${where}`;
  throw new SessionLogError('SESSION_LOG_NOT_FOUND', '', `nothing to choose from: ${what}; ${counts}`);
}

/** Colour as for standard output, which need not be the screen that is drawn on. */
async function loadStyle({ task: { io }, common }: CommandContext): Promise<Style> {
  // Not a copy: reading its streams would open them.
  const onScreen: Io = Object.create(io, { stdout: { value: { isTTY: true } } });
  const hasColour = wantsColour(onScreen, common.color);
  return {
    ...(await loadPalette(onScreen, common.color)),
    selected: (text) => (hasColour ? `\u001b[7m${text}\u001b[27m` : text),
  };
}

async function print(
  { candidate, origin }: Choice,
  list: CandidateList,
  { format = 'mention' }: PickFlags,
  context: CommandContext,
): Promise<string> {
  if (format === 'uri') return `${encodeSessionReferenceUri(candidate.sessionId)}\n`;
  const { io } = context.task;
  const one = { ...list, candidates: [candidate], origins: [origin], total: 1 };
  return render(
    { roots: [], self: undefined, cwd: undefined, query: '', list: one },
    {
      format,
      isNulEnded: false,
      color: context.common.color,
      io,
      notice: (sentence) => notice(context, sentence),
    },
  );
}
