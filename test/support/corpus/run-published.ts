/** Runs one case in the layout of the published answers: `request` and `expect`. Gives the difference, if any. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as library from '../../../src/index.ts';
import { readReferenceSettings } from '../../../src/snapshot/budget.ts';
import type { CorpusCase } from './cases.ts';
import { CLOSERS_REASON, countsClosers, surfaceWithoutClosers } from './closers.ts';
import { difference } from './compare.ts';
import { contextParts, publishedData } from './context-text.ts';

type Answer = { ok: true; value: any } | { ok: false; error: any };

/** A difference; or a reason why a part was left out of the comparison, all else being equal; or neither. */
export interface Comparison {
  readonly difference?: string | undefined;
  readonly leftOut?: string;
}

export async function runPublished(corpusCase: CorpusCase): Promise<Comparison> {
  const { folder, request, expect } = corpusCase;
  const answer = await answerOf(folder, request!);
  if (answer.ok !== expect.ok) {
    const found = answer.ok
      ? `succeeded in place of ${JSON.stringify(expect.error)}`
      : `failed: ${describeError(answer.error)}`;
    return { difference: found };
  }
  if (!answer.ok) return { difference: errorDifference(answer.error, expect.error) };
  const stripped = withoutClosers(request!, answer.value, expect.value);
  const found = valueDifference(request!, answer.value, stripped ?? expect.value);
  return stripped === undefined ? { difference: found } : { difference: found, leftOut: CLOSERS_REASON };
}

/** The expected value without closing events, where it counts any. */
function withoutClosers(request: Record<string, any>, actual: any, expected: any): any {
  if (request.op === 'surface' && countsClosers(actual.capturedThroughSeq, expected.capturedThroughSeq)) {
    return surfaceWithoutClosers(expected, actual.capturedThroughSeq);
  }
  if (request.op !== 'prepare' || expected.additionalContext === undefined) return undefined;
  const actualReferences = actual.additionalContext.source.references;
  const given = expected.additionalContext.source.references;
  const references = given.map((reference: any, at: number) => {
    const seq = actualReferences[at].capturedThroughSeq;
    return countsClosers(seq, reference.capturedThroughSeq)
      ? { ...reference, capturedThroughSeq: seq }
      : reference;
  });
  if (difference(references, given) === undefined) return undefined;
  const value = structuredClone(expected);
  value.additionalContext.source.references = references;
  const [block] = value.additionalContext.content;
  const data = publishedData(block.text).map((item, at) => ({
    ...item,
    capturedThroughSeq: references[at].capturedThroughSeq,
  }));
  block.text = `<referenced-sessions>\n${JSON.stringify(data)}\n</referenced-sessions>`;
  return value;
}

async function answerOf(folder: string, request: Record<string, any>): Promise<Answer> {
  try {
    return { ok: true, value: await perform(folder, request) };
  } catch (error) {
    return { ok: false, error };
  }
}

async function perform(folder: string, request: Record<string, any>): Promise<any> {
  switch (request.op) {
    case 'parse':
      return library.parseSessionReferenceText(request.text);
    case 'encode':
      return library.encodeSessionReferenceUri(request.sessionId);
    case 'decode':
      return library.decodeSessionReferenceUri(request.uri);
    case 'format':
      return library.formatSessionReferenceMention(request.reference);
  }
  if (request.op.startsWith('file')) return performFiles(request);
  const store = library.openSessionStore({ roots: [join(folder, request.root)], ids: () => '<message-id>' });
  const { self, config = {} } = request;
  readReferenceSettings(config);
  switch (request.op) {
    case 'candidates':
    case 'candidates-with-mentions': {
      const limit = 'limit' in request ? request.limit : config.candidateLimit;
      const { candidates } = await store.listCandidates({
        self: self.id,
        cwd: self.cwd,
        query: request.query ?? '',
        limit,
      });
      return candidates;
    }
    case 'prepare': {
      const { maxReferences, maxReferenceBytes } = config;
      const { text, content, references } = request;
      return store.prepare(
        JSON.parse(
          JSON.stringify({ text, content, references, self: self.id, maxReferences, maxReferenceBytes }),
        ),
      );
    }
    case 'pre-step': {
      const messages = request.messages.map((message: any, at: number) => ({
        role: 'user',
        id: `given-${at}`,
        ...message,
      }));
      return store.prepareMessages(messages, { self: self.id });
    }
    case 'surface':
      return store.readSurface(request.sessionId);
    case 'title':
      return (await store.readConversation(request.sessionId)).title ?? null;
    case 'list':
      return (await store.listSessions()).sessions;
    default:
      throw new Error(`unknown op ${request.op}`);
  }
}

async function performFiles(request: Record<string, any>): Promise<any> {
  switch (request.op) {
    case 'file-token':
      return library.findFileToken(request.line, request.cursor) ?? null;
    case 'file-mention':
      return library.formatFileMention(request.candidate, { preserveQuote: request.preserveQuote }) ?? null;
    default:
      return inWorkspace(request.tree, (cwd) =>
        library.listFileReferences({ cwd, query: request.query, ...request.config }),
      );
  }
}

/** A workspace as the case lists it: a name that ends in a slash is a folder, any other an empty file. */
async function inWorkspace<T>(tree: string[], use: (cwd: string) => Promise<T>): Promise<T> {
  const cwd = mkdtempSync(join(tmpdir(), 'dsh-ref-files-'));
  try {
    for (const name of tree) {
      const path = join(cwd, name);
      mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
      if (!name.endsWith('/')) writeFileSync(path, '');
    }
    return await use(cwd);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function describeError(error: any): string {
  return `${error.code ?? ''} ${error.message}`;
}

/** The published packages wrap some failures otherwise; what must agree is that it fails, and the contract's code. */
function errorDifference(error: any, expected: any): string | undefined {
  const isContractCode = expected.code?.startsWith('SESSION_REFERENCE_') === true;
  if (!isContractCode)
    return error instanceof Error && 'code' in error ? undefined : `a bug: ${error?.stack}`;
  return error.code === expected.code ? undefined : `${describeError(error)} in place of ${expected.code}`;
}

function valueDifference(request: Record<string, any>, actual: any, expected: any): string | undefined {
  switch (request.op) {
    case 'candidates':
      return difference(
        actual.map(
          ({ displayTitle: _d, sameWorkspace: _s, unreadable: _u, mention: _m, ...rest }: any) => rest,
        ),
        expected,
      );
    case 'candidates-with-mentions':
      return difference(
        actual.map(({ displayTitle: _d, sameWorkspace: _s, unreadable: _u, ...rest }: any) => rest),
        expected,
      );
    case 'prepare':
      return preparedDifference(actual, expected);
    case 'pre-step':
      return batchDifference(actual, expected);
    case 'surface':
      return surfaceDifference(actual, expected);
    case 'title':
      return difference(actual, expected?.title ?? null);
    case 'list':
      return difference(
        actual.map(({ header: { type: _type, ...header } }: any) => header),
        expected.map(({ header }: any) => header),
      );
    default:
      return difference(actual, expected);
  }
}

function batchDifference(actual: any[], expected: any[]): string | undefined {
  if (actual.length !== expected.length) return `${actual.length} messages in place of ${expected.length}`;
  for (const [at, message] of actual.entries()) {
    const isContext = expected[at].source.kind === 'session-reference';
    const found = (isContext ? contextDifference : difference)(message, expected[at]);
    if (found !== undefined) return `message ${at}: ${found}`;
  }
  return undefined;
}

function surfaceDifference(actual: any, expected: any): string | undefined {
  const { type: _type, ...session } = actual.session;
  return difference(
    { session, capturedThroughSeq: actual.capturedThroughSeq, events: actual.events },
    expected,
  );
}

export function preparedDifference(actual: any, expected: any): string | undefined {
  const content = difference(actual.content, expected.content, '$.content');
  if (content !== undefined) return content;
  if (actual.additionalContext === undefined || expected.additionalContext === undefined) {
    return difference(actual.additionalContext, expected.additionalContext, '$.additionalContext');
  }
  return contextDifference(actual.additionalContext, expected.additionalContext);
}

/** A context message but for its sentences, and for what these packages did not have yet. */
export function contextDifference(actual: any, expected: any): string | undefined {
  const { content, source, ...rest } = actual;
  const { content: expectedContent, source: expectedSource, ...expectedRest } = expected;
  // Those packages knew one format only and did not name it.
  const references = source.references.map(({ capturedFormatVersion, ...reference }: any) => {
    if (capturedFormatVersion !== 0) throw new Error(`capturedFormatVersion ${capturedFormatVersion}`);
    return reference;
  });
  return (
    difference(rest, expectedRest) ??
    difference({ ...source, references }, expectedSource, '$.source') ??
    textDifference(content[0].text, expectedContent[0].text) ??
    difference(
      contextParts(content[0].text).omissions.length,
      references.filter((r: any) => r.truncated).length,
      '$.omissions',
    )
  );
}

function textDifference(text: string, expected: any): string | undefined {
  const { data } = contextParts(text);
  if (typeof expected === 'string') return difference(data, publishedData(expected), '$.data');
  // Only a digest is known: put our data between their sentences.
  const opening = expected.$long.start.slice(0, expected.$long.start.indexOf('<referenced-sessions>\n') + 22);
  const json = text.slice(
    text.indexOf('<referenced-sessions>\n') + 22,
    text.indexOf('\n</referenced-sessions>'),
  );
  const whole = `${opening}${json}\n</referenced-sessions>`;
  return createHash('sha256').update(whole).digest('hex') === expected.$long.sha256
    ? undefined
    : '$.data: long text differs';
}
