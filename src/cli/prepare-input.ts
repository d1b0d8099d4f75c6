/** What `prepare` does, apart from how its command line is read. */
import type { ContentBlock, PreparedMessage, PrepareOptions, SessionStore } from '../store.ts';
import { type CommandContext, findSelf, notice, type OpenedStore, withStore } from './context.ts';
import { UsageError } from './exit.ts';
import { readText } from './input.ts';
import type { OutputStream } from './io.ts';
import type { Explained } from './output/explanation.ts';
import { jsonDocument } from './output/json.ts';
import { printableLines } from './output/printable.ts';
import type { Output } from './output/write.ts';
import type { PrepareFlags } from './prepare-flags.ts';
import { type LazySpill, openSpill, SaveFailures } from './spill.ts';

/** The prepared message of the text that `words` give, or the prepared messages of `--messages`. */
export async function prepareInput(
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
      const prepared = await prepareGiven(words, flags, options, explained, { ...opened, context });
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
    const { renderExplanations } = await import('./output/explanation.ts');
    context.task.reports.push(await renderExplanations(explained, context.task.io));
  }
  return output;
}

type Preparing = Omit<PrepareOptions, 'content' | 'text' | 'references' | 'onExplain'>;

async function prepareGiven(
  words: readonly string[],
  flags: PrepareFlags,
  options: Preparing,
  explained: Explained[] | undefined,
  { store, roots, context }: OpenedStore & { readonly context: CommandContext },
): Promise<Output> {
  if (flags.messages !== undefined) {
    const { prepareMessages } = await import('./prepare-messages.ts');
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
  const { nameSession } = await import('./sessions.ts');
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
