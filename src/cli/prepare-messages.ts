/** `prepare --messages`: a batch in, the same batch with contexts out. Nothing is printed unless all of it is done. */

import type { PrepareMessagesOptions } from '../store.ts';
import type { CommandContext, OpenedStore } from './context.ts';
import { type IncomingMessage, openMessages } from './messages.ts';
import type { Explained } from './output/explanation.ts';
import { printableJson } from './output/printable.ts';
import type { Output } from './output/write.ts';
import { chooseTemporary } from './places.ts';
import { Spool } from './spool.ts';

type Scope = OpenedStore & { readonly context: CommandContext };

/** Messages as texts: those that are passed on as they came, the others and the contexts as JSON on one line. */
type Prepare = (incoming: IncomingMessage) => Promise<(string | Buffer)[]>;

/** Where the messages come from, and whether they go out a line each in place of an array. */
interface Batch {
  readonly path: string;
  readonly asLines: boolean;
}

/** The messages of a batch with contexts inserted; `explained` collects why they are so. */
export async function prepareMessages(
  { path, asLines }: Batch,
  options: PrepareMessagesOptions,
  explained: Explained[] | undefined,
  scope: Scope,
): Promise<Output> {
  const { task } = scope.context;
  let current = '';
  const batch = scope.store.openBatch({
    ...options,
    ...(explained && {
      onExplain: (explanation) => explained.push({ message: current, explanation }),
    }),
  });
  const prepare: Prepare = async ({ name, json, message }) => {
    current = name;
    const entries = await batch.prepare(message, name);
    return entries.map((entry) => (entry === message ? json : JSON.stringify(entry)));
  };
  const spool = new Spool(chooseTemporary(task.io, scope.roots.paths));
  task.onEnd(() => spool.close());
  const messages = await openMessages(task, path);
  const isTerminal = task.io.stdout.isTTY === true;
  if (asLines) await writeLines(messages, prepare, spool, isTerminal);
  else await writeArray(messages, prepare, spool, isTerminal);
  return spool;
}

async function writeLines(
  messages: AsyncIterable<IncomingMessage>,
  prepare: Prepare,
  spool: Spool,
  isTerminal: boolean,
): Promise<void> {
  for await (const incoming of messages) {
    for (const json of await prepare(incoming)) {
      await spool.write(isTerminal ? Buffer.from(printableJson(json.toString())) : bytesOf(json));
      await spool.write(Buffer.from('\n'));
    }
  }
}

async function writeArray(
  messages: AsyncIterable<IncomingMessage>,
  prepare: Prepare,
  spool: Spool,
  isTerminal: boolean,
): Promise<void> {
  let separator = '[';
  for await (const incoming of messages) {
    for (const json of await prepare(incoming)) {
      await spool.write(Buffer.from(separator));
      await spool.write(isTerminal ? Buffer.from(indented(json.toString())) : bytesOf(json));
      separator = ',';
    }
  }
  const isEmpty = separator === '[';
  await spool.write(Buffer.from(isEmpty ? '[]\n' : isTerminal ? '\n]\n' : ']\n'));
}

function indented(json: string): string {
  const lines = printableJson(JSON.stringify(JSON.parse(json), null, 2));
  return `\n${lines.replace(/^/gm, '  ')}`;
}

function bytesOf(json: string | Buffer): Uint8Array {
  return typeof json === 'string' ? Buffer.from(json) : json;
}
