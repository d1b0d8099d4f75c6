import type { Command } from 'commander';
import { Option } from 'commander';
import type { ContentBlock, PreparedMessage, PrepareOptions, SessionStore } from '../../store.ts';
import { collectNonBlank, parseCount, parseFraction, parseNonBlank } from '../args.ts';
import { type CommandContext, findSelf, notice, type OpenedStore, withStore } from '../context.ts';
import { UsageError } from '../exit.ts';
import { readText } from '../input.ts';
import type { OutputStream } from '../io.ts';
import type { Explained } from '../output/explanation.ts';
import { jsonDocument } from '../output/json.ts';
import { printableLines } from '../output/printable.ts';
import type { Output } from '../output/write.ts';
import { type LazySpill, openSpill, SaveFailures, type SpillFlags } from '../spill.ts';
import type { Configure } from './index.ts';

export interface PrepareFlags extends SpillFlags {
  readonly maxBytes?: number;
  readonly contextWindow?: number;
  readonly contextFraction?: number;
  readonly maxReferences?: number;
  readonly reference?: readonly string[];
  readonly messages?: string;
  readonly explain?: boolean;
  readonly format?: 'json' | 'ndjson' | 'text';
}

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
        'json',
        'text',
        'ndjson',
      ]),
    )
    .option('--explain', 'on standard error: what was kept of each session, and why')
    .addHelpText(
      'after',
      '\nExample:\n  dsh-ref candidates --root fixtures/logs/basic-zstd --format mention --limit 1 |\n' +
        '    dsh-ref prepare - --root fixtures/logs/basic-zstd',
    )
    .action((words: string[], flags: PrepareFlags, prepare: Command) =>
      invoke(prepare, (context) => run(words, flags, context)),
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

/** The prepared message of the text that `words` give, or the prepared messages of `--messages`. */
export async function run(
  words: readonly string[],
  flags: PrepareFlags,
  context: CommandContext,
): Promise<Output> {
  if (flags.messages !== undefined) assertAlone(words, flags);
  const explained: Explained[] | undefined = flags.explain === true ? [] : undefined;
  const failures = new SaveFailures();
  let spill: LazySpill | undefined;
  const output = await withStore(
    context,
    async (opened) => {
      const self = await findSelf(context, opened.store);
      const options: Preparing = {
        ...settings(flags),
        ...(self === undefined ? {} : { self }),
        signal: context.task.signal,
        onSaveFailed: failures.add,
      };
      const prepared = await prepareInput(words, flags, options, explained, { ...opened, context });
      await spill?.close();
      return prepared;
    },
    (roots) => {
      spill = openSpill(context, flags, roots.paths);
      return spill === undefined ? {} : { spill };
    },
  );
  failures.tell(context);
  if (explained !== undefined) {
    const { renderExplanations } = await import('../output/explanation.ts');
    context.task.reports.push(await renderExplanations(explained, context.task.io));
  }
  return output;
}

type Preparing = Omit<PrepareOptions, 'content' | 'text' | 'references' | 'onExplain'>;

async function prepareInput(
  words: readonly string[],
  flags: PrepareFlags,
  options: Preparing,
  explained: Explained[] | undefined,
  { store, roots, context }: OpenedStore & { readonly context: CommandContext },
): Promise<Output> {
  if (flags.messages !== undefined) {
    const { prepareMessages } = await import('../prepare-messages.ts');
    const asLines = flags.format === 'ndjson';
    return prepareMessages({ path: flags.messages, asLines }, options, explained, { store, roots, context });
  }
  if (flags.format === 'ndjson') throw new UsageError('--format ndjson is for --messages');
  const { task } = context;
  const references = await namedReferences(flags.reference ?? [], store, task.signal);
  const cited = references.length === 0 ? {} : { references };
  const hasText = words.length > 0 || references.length === 0;
  const message = await store.prepare({
    ...(hasText ? { text: await readText(task, words) } : { content: [] }),
    ...cited,
    ...options,
    ...(explained && { onExplain: (explanation) => explained.push({ explanation }) }),
  });
  if (message.additionalContext === undefined && looksCiting(message)) {
    notice(context, 'the text cites no session; a mention looks like @[title](dsh-session:…)');
  }
  return render(message, flags, task.io.stdout);
}

/** A mention with a typo is an ordinary text, which its author may not have meant. */
function looksCiting({ content }: PreparedMessage): boolean {
  return content.some(({ text }) => typeof text === 'string' && /@\[[^\]]*\]\(|dsh-ses/i.test(text));
}

function assertAlone(words: readonly string[], { reference, format }: PrepareFlags): void {
  const other =
    words.length > 0
      ? 'a text'
      : reference !== undefined
        ? '--reference'
        : format === 'text'
          ? '--format text'
          : undefined;
  if (other !== undefined) throw new UsageError(`--messages and ${other} exclude each other`);
}

/** What `--reference` cites. Only a mention says how people call the session; else its id stands in, as in a text. */
async function namedReferences(
  given: readonly string[],
  store: SessionStore,
  signal: AbortSignal,
): Promise<{ sessionId: string; label?: string }[]> {
  if (given.length === 0) return [];
  const { nameSession } = await import('../sessions.ts');
  const references: { sessionId: string; label?: string }[] = [];
  for (const session of given) {
    const { sessionId, label } = await nameSession(store, session, signal);
    references.push(label === undefined ? { sessionId } : { sessionId, label });
  }
  return references;
}

function settings(flags: PrepareFlags): Preparing {
  const { maxBytes, contextWindow, contextFraction, maxReferences } = flags;
  return {
    ...(maxBytes === undefined ? {} : { maxReferenceBytes: maxBytes }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(contextFraction === undefined ? {} : { referenceContextFraction: contextFraction }),
    ...(maxReferences === undefined ? {} : { maxReferences }),
  };
}

function render(message: PreparedMessage, { format }: PrepareFlags, stream: OutputStream): string {
  const { content, additionalContext } = message;
  if (format !== 'text') {
    return jsonDocument(additionalContext ? { content, additionalContext } : { content }, stream);
  }
  const blocks = [content, additionalContext?.content ?? []].filter(({ length }) => length > 0);
  const parts = blocks.map(textOf).map((part) => (part.endsWith('\n') ? part : `${part}\n`));
  return stream.isTTY ? printableLines(parts.join('\n')) : parts.join('\n');
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (typeof block.text === 'string' ? [block.text] : [])).join('\n');
}
