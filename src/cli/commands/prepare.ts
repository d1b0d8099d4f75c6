import type { Command } from 'commander';
import { Option } from 'commander';
import type { ContentBlock, PreparedMessage, PrepareOptions } from '../../store.ts';
import { parseCount, parseFraction } from '../args.ts';
import { type CommandContext, findSelf, withStore } from '../context.ts';
import { readText } from '../input.ts';
import type { OutputStream } from '../io.ts';
import { jsonDocument } from '../output/json.ts';
import { printableLines } from '../output/printable.ts';
import type { Configure } from './index.ts';

export interface PrepareFlags {
  readonly maxBytes?: number;
  readonly contextWindow?: number;
  readonly contextFraction?: number;
  readonly maxReferences?: number;
  readonly format?: 'json' | 'text';
}

export const configure: Configure = (command, invoke) => {
  command
    .description(
      'The message that a text with mentions becomes: readable, with a bounded snapshot of each session it cites.\n' +
        'The text is the arguments joined by spaces, or standard input for a single -.',
    )
    .addOption(
      new Option('--format <format>', 'json, or text for any model’s prompt').choices(['json', 'text']),
    )
    .addOption(new Option('--max-bytes <n>', 'UTF-8 bytes of one snapshot').argParser(parseCount))
    .addOption(
      new Option('--context-window <tokens>', 'size of the model’s window, for the budget').argParser(
        parseCount,
      ),
    )
    .addOption(
      new Option('--context-fraction <f>', 'its share for one snapshot (default: 0.2)').argParser(
        parseFraction,
      ),
    )
    .addOption(new Option('--max-references <n>', 'distinct sessions allowed (1 to 3)').argParser(parseCount))
    .addHelpText(
      'after',
      '\nExample:\n  dsh-ref candidates --root fixtures/logs/basic-zstd --format mention --limit 1 |\n' +
        '    dsh-ref prepare - --root fixtures/logs/basic-zstd',
    )
    .action((words: string[], flags: PrepareFlags, prepare: Command) =>
      invoke(prepare, (context) => run(words, flags, context)),
    );
};

/** The prepared message of the text that `words` give. */
export async function run(
  words: readonly string[],
  flags: PrepareFlags,
  context: CommandContext,
): Promise<string> {
  const { io, signal } = context.task;
  const message = await withStore(context, async ({ store }) => {
    const text = await readText(context.task, words);
    const self = await findSelf(context, store);
    return store.prepare({ text, ...settings(flags), ...(self === undefined ? {} : { self }), signal });
  });
  if (flags.format === 'text') return promptText(message, io.stdout);
  const { content, additionalContext } = message;
  return jsonDocument(additionalContext ? { content, additionalContext } : { content }, io.stdout);
}

function settings(flags: PrepareFlags): PrepareOptions {
  const { maxBytes, contextWindow, contextFraction, maxReferences } = flags;
  return {
    ...(maxBytes === undefined ? {} : { maxReferenceBytes: maxBytes }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(contextFraction === undefined ? {} : { referenceContextFraction: contextFraction }),
    ...(maxReferences === undefined ? {} : { maxReferences }),
  };
}

function promptText({ content, additionalContext }: PreparedMessage, stream: OutputStream): string {
  const parts = [textOf(content), ...(additionalContext ? [textOf(additionalContext.content)] : [])];
  const text = parts.map((part) => (part.endsWith('\n') ? part : `${part}\n`)).join('\n');
  return stream.isTTY ? printableLines(text) : text;
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (typeof block.text === 'string' ? [block.text] : [])).join('\n');
}
