/** Runs one case in the layout of the generations corpus: `cmd`, `args`, `expect` or `error`. */
import { join } from 'node:path';
import * as library from '../../../src/index.ts';
import type { CorpusCase } from './cases.ts';
import { difference } from './compare.ts';
import { contextParts } from './context-text.ts';

/** Our words for the five kinds that the corpus tells apart. */
const KINDS = new Set(['not-found', 'unsupported', 'corrupt', 'ambiguous', 'mismatch']);

export async function runGenerations({
  folder,
  cmd,
  args,
  expect,
  error,
}: CorpusCase): Promise<string | undefined> {
  try {
    const actual = await perform(folder, cmd!, args!);
    if (error !== undefined) return `succeeded in place of ${error.code}`;
    return cmd === 'candidates' ? candidatesDifference(actual, expect) : difference(actual, expect);
  } catch (caught) {
    if (error === undefined) return `failed: ${(caught as Error).stack}`;
    return errorDifference(caught, error);
  }
}

async function perform(folder: string, cmd: string, args: Record<string, any>): Promise<any> {
  const store = library.openSessionStore({ roots: [join(folder, args.root)], ids: () => 'id' });
  switch (cmd) {
    case 'surface':
      return describeSurface(
        await store.readSurface(args.sessionId),
        await store.readConversation(args.sessionId),
      );
    case 'candidates': {
      const { self, cwd, query, limit } = args;
      const options = { self: self ?? undefined, cwd: cwd ?? undefined, query, limit };
      return (await store.listCandidates(JSON.parse(JSON.stringify(options)))).candidates;
    }
    case 'read-error':
      return store.prepare({ content: [], references: [{ sessionId: args.sessionId }] });
    case 'prepare': {
      const {
        text,
        self,
        maxBytes: maxReferenceBytes,
        maxReferences,
        contextWindow,
        fraction: referenceContextFraction,
      } = args;
      const options = {
        text,
        self,
        maxReferenceBytes,
        maxReferences,
        contextWindow,
        referenceContextFraction,
      };
      return describePrepared(await store.prepare(JSON.parse(JSON.stringify(options))));
    }
    default:
      throw new Error(`unknown command ${cmd}`);
  }
}

function describeSurface(surface: library.Surface, conversation: library.Conversation): unknown {
  return {
    formatVersion: surface.session.version,
    capturedThroughSeq: surface.capturedThroughSeq,
    seqs: surface.events.map((event) => event.seq),
    title: surface.title ?? null,
    items: conversation.items.map(({ seq: _seq, ...item }) => item),
  };
}

function describePrepared({ content, additionalContext }: library.PreparedMessage): unknown {
  if (additionalContext === undefined) return { content, source: null, data: [], omissions: [] };
  const { data, omissions } = contextParts(additionalContext.content[0].text);
  return {
    content,
    source: additionalContext.source,
    data,
    omissions: omissions.map(({ fullSnapshot: _full, ...omission }) => omission),
  };
}

function candidatesDifference(actual: any[], expected: any[]): string | undefined {
  const plain = (records: any[]) =>
    records.map(({ mention: _mention, unreadable, ...rest }) => ({
      ...rest,
      unreadable: unreadable !== undefined,
    }));
  return difference(plain(actual), plain(expected));
}

function errorDifference(caught: any, error: { code: string; kind?: string }): string | undefined {
  if (caught.code !== error.code) return `${caught.code} ${caught.stack} in place of ${error.code}`;
  if (error.kind === undefined) return undefined;
  const kind = caught.cause?.kind;
  return KINDS.has(kind) && kind === error.kind
    ? undefined
    : `kind ${kind} in place of ${error.kind}: ${caught.message}`;
}
