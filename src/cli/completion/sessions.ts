/** What a shell offers where a session is asked for. Every fault ends in no offer: a prompt is no place for errors. */

import { Command } from 'commander';
import { formatSessionReferenceMention } from '../../mention/mention.ts';
import { encodeSessionReferenceUri, SESSION_REFERENCE_SCHEME } from '../../mention/uri.ts';
import type { Candidate } from '../../store.ts';
import { addCommonOptions, readCommonOptions } from '../common.ts';
import { type CommandContext, findCwd, findSelf, withStore } from '../context.ts';
import { printable } from '../output/printable.ts';
import { truncateEnd } from '../output/width.ts';
import type { Task } from '../perform.ts';
import { insertable, isTypable, readPlainWord, readTypedWord, type Shell, type TypedWord } from './shells.ts';

/** A command line up to the cursor, its words as the shell's script passes them on. */
export interface LineSoFar {
  readonly shell: Shell;
  /** The word at the cursor: as typed, and without `--option=` before it. */
  readonly word: string;
  /** The words before it, without the program. */
  readonly before: readonly string[];
}

export interface Offer {
  /** What the shell inserts in place of the word. */
  readonly insert: string;
  readonly description: string;
}

const MAX_OFFERS = 100;
const MAX_ID_UNITS = 1000;
const DESCRIPTION_COLUMNS = 72;
const PATIENCE_MS = 2000;

/** Offers, one a line: what to insert, a tab, the title. Never throws, and never takes much longer than two seconds. */
export async function completeSessions(line: LineSoFar, context: CommandContext): Promise<string> {
  const { task } = context;
  const { signal, check } = startPatience(task);
  try {
    const common = { ...commonOptionsOf(line, context), quiet: true, verbose: false };
    const asking = { task: { ...task, signal }, common };
    const offers = await Promise.race([findOffers(line, asking, check), rejection(signal)]);
    return offers.map(({ insert, description }) => `${insert}\t${description}\n`).join('');
  } catch {
    // No root, a wrong option, no time left: there is nothing to offer.
    return '';
  }
}

/** A signal for both ends: of the task, and of patience. Long work that leaves no room for timers calls `check`. */
function startPatience({ io, signal }: Task): { signal: AbortSignal; check: () => void } {
  const late = new AbortController();
  const deadline = io.now() + PATIENCE_MS;
  const check = (): void => {
    if (io.now() > deadline) late.abort();
  };
  return { signal: AbortSignal.any([signal, late.signal, AbortSignal.timeout(PATIENCE_MS)]), check };
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** The common options among the words before the cursor. */
function commonOptionsOf({ shell, before }: LineSoFar, { task, common }: CommandContext) {
  const isTyped = shell === 'bash' || shell === 'zsh';
  const words = before.map((word) =>
    isTyped ? readTypedWord(word, task.io).text : readPlainWord(word, task.io),
  );
  const command = addCommonOptions(new Command()).exitOverride();
  command.configureOutput({ outputError: () => undefined });
  const last = words.at(-1) ?? '';
  // What the word at the cursor is the value of has none yet.
  const isAwaiting = command.options.some(
    (option) => option.required && (option.long === last || option.short === last),
  );
  command.parseOptions(isAwaiting ? words.slice(0, -1) : words);
  return { ...common, ...readCommonOptions(command) };
}

async function findOffers(line: LineSoFar, context: CommandContext, check: () => void): Promise<Offer[]> {
  const { signal } = context.task;
  const word =
    line.shell === 'powershell'
      ? { text: line.word, quote: '' as const }
      : readTypedWord(line.word, context.task.io);
  const isUri = word.text.startsWith(SESSION_REFERENCE_SCHEME);
  return withStore(context, async ({ store }) => {
    const self = line.before.at(-1) === '--reference' ? await findSelf(context, store) : undefined;
    const cwd = findCwd(context);
    const { candidates } = await store.listCandidates({
      ...(isUri ? {} : { query: word.text }),
      ...(self === undefined ? {} : { self }),
      ...(cwd === undefined ? {} : { cwd }),
      limit: word.text === '' ? MAX_OFFERS : Number.MAX_SAFE_INTEGER,
      signal,
      onProgress: check,
    });
    return chooseOffers(candidates, word, line.shell);
  });
}

/**
 * The sessions that `word` begins: by id or URI, else by a part of the title. Not both, as a shell would then
 * see no common beginning any more.
 */
export function chooseOffers(candidates: readonly Candidate[], word: TypedWord, shell: Shell): Offer[] {
  const usable = candidates.filter(({ sessionId }) => sessionId.length <= MAX_ID_UNITS);
  if (word.text.startsWith(SESSION_REFERENCE_SCHEME)) {
    const matches = usable.filter(({ sessionId }) =>
      encodeSessionReferenceUri(sessionId).startsWith(word.text),
    );
    return offersOf(matches, ({ sessionId }) => encodeSessionReferenceUri(sessionId));
  }
  const byId = usable.filter(({ sessionId }) => sessionId.startsWith(word.text));
  if (byId.length > 0) return offersOf(byId, ({ sessionId }) => sessionWord(sessionId, shell, word.quote));
  const needle = word.text.toLowerCase();
  const byTitle = usable.filter((candidate) =>
    [candidate.displayTitle, candidate.label].some((title) => title.toLowerCase().includes(needle)),
  );
  // Fish keeps only what contains the word, and so takes a mention: it has the title in it, and names the session.
  return offersOf(byTitle, (candidate) =>
    shell === 'fish' ? mentionOf(candidate) : sessionWord(candidate.sessionId, shell, word.quote),
  );
}

function offersOf(candidates: readonly Candidate[], insertOf: (candidate: Candidate) => string): Offer[] {
  return candidates
    .slice(0, MAX_OFFERS)
    .map((candidate) => ({ insert: insertOf(candidate), description: describe(candidate) }));
}

/** The id, or its URI where the word cannot carry it. */
function sessionWord(id: string, shell: Shell, quote: TypedWord['quote']): string {
  return (isTypable(id) ? insertable(id, shell, quote) : undefined) ?? encodeSessionReferenceUri(id);
}

function mentionOf({ sessionId, displayTitle, label }: Candidate): string {
  const title = displayTitle === sessionId ? label : displayTitle;
  return formatSessionReferenceMention({ sessionId, label: printable(title) });
}

function describe({ displayTitle, sessionId, cwd, unreadable }: Candidate): string {
  const title = displayTitle === sessionId ? (cwd ?? displayTitle) : displayTitle;
  const shown = printable(unreadable === undefined ? title : `(${unreadable}) ${title}`);
  return truncateEnd(shown, DESCRIPTION_COLUMNS);
}
