import { describe, expect, test } from 'vitest';
import { encodeSessionReferenceUri, openSessionStore } from '../../../src/index.ts';
import { plainLog } from '../../support/log-writer/container.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { placeLog, writeLog, writeRoot } from '../../support/log-writer/write-root.ts';

const cwd = '/home/ana/shop';

function failingRoot(): string {
  const root = scratch();
  writeRoot(root, {
    sessions: [
      { id: 'good', cwd },
      { id: 'twin', cwd: '/a' },
      { id: 'twin', cwd: '/b' },
    ],
  });
  const place = (id: string, name: string, bytes: string | Uint8Array) =>
    placeLog(root, { id, cwd, name, bytes });
  place('corrupt', 'session.v4.jsonl', 'x\n');
  place('empty', 'session.v4.jsonl', '');
  place('newer', 'session.v9.jsonl', 'x');
  place('mismatch', 'session.v4.jsonl', plainLog(new LogScript(4, { id: 'other', cwd }).lines));
  const late = new LogScript(4, { id: 'late', cwd });
  late.user('x', { surfaceOp: late.replace(7, 7) });
  place('late', 'session.v4.jsonl', plainLog(late.lines));
  return root;
}

const kinds = {
  missing: 'not-found',
  twin: 'ambiguous',
  corrupt: 'corrupt',
  empty: 'empty',
  newer: 'unsupported',
  mismatch: 'mismatch',
  late: 'corrupt',
};

describe('a source that cannot be read', () => {
  test.each(Object.entries(kinds))('%s: READ_FAILED with the cause %s', async (sessionId, kind) => {
    const store = openSessionStore({ roots: [failingRoot()] });
    await expect(store.prepare({ content: [], references: [{ sessionId }] })).rejects.toMatchObject({
      name: 'SessionReferenceError',
      code: 'SESSION_REFERENCE_READ_FAILED',
      cause: { name: 'SessionLogError', kind },
    });
    const text = `see @[x](${encodeSessionReferenceUri(sessionId)})`;
    await expect(store.prepare({ text })).rejects.toMatchObject({ cause: { kind } });
  });

  test('contract 6.10: of several the first in mention order is reported', async () => {
    const store = openSessionStore({ roots: [failingRoot()] });
    const names = Object.keys(kinds) as (keyof typeof kinds)[];
    for (const first of names) {
      for (const second of names) {
        for (const order of [
          [first, second],
          ['good', first, second],
          [first, 'good', second],
        ]) {
          if (first === second) continue;
          const references = order.map((sessionId) => ({ sessionId }));
          await expect(store.prepare({ content: [], references })).rejects.toMatchObject({
            cause: { kind: kinds[first] },
          });
        }
      }
    }
  });

  test('a root that is no directory is the cause', async () => {
    const root = failingRoot();
    const file = placeLog(root, { id: 'f', cwd, name: 'file', bytes: '' });
    await expect(
      openSessionStore({ roots: [file] }).prepare({ content: [], references: [{ sessionId: 'x' }] }),
    ).rejects.toMatchObject({
      code: 'SESSION_REFERENCE_READ_FAILED',
      cause: { code: 'SESSION_ROOT_NOT_DIRECTORY' },
    });
  });

  test('one failure fails the whole batch of messages', async () => {
    const store = openSessionStore({ roots: [failingRoot()] });
    const message = (id: string) => ({
      id: `m-${id}`,
      role: 'user',
      source: { kind: 'user' },
      content: [{ type: 'text', text: `@[x](${encodeSessionReferenceUri(id)})` }],
    });
    await expect(store.prepareMessages([message('good'), message('late')])).rejects.toMatchObject({
      cause: { kind: 'corrupt' },
    });
    const [readable, context] = await store.prepareMessages([message('good')]);
    expect(readable).toMatchObject({ id: 'm-good', content: [{ type: 'text', text: '@x' }] });
    expect(context).toMatchObject({ source: { kind: 'session-reference' } });
  });
});

describe('what is captured (contract, 6.1)', () => {
  test('the seq of the last stored event, an open turn and packed rows included', async () => {
    const root = scratch();
    const script = new LogScript(1, { id: 'open', cwd });
    script.startTurn();
    script.user('hi');
    script.chunks(['a', 'b', 'c'], true);
    writeLog(root, { id: 'open', cwd, format: 1, lines: script.lines });
    const { additionalContext } = await openSessionStore({ roots: [root] }).prepare({
      content: [],
      references: [{ sessionId: 'open' }],
    });
    expect(additionalContext!.source.references).toMatchObject([
      { sessionId: 'open', capturedFormatVersion: 1, capturedThroughSeq: 5, originalMessages: 1 },
    ]);
  });

  test('H-61, H-62: current messages only, checkpoints marked, earlier recalls left out', async () => {
    const root = scratch();
    const script = new LogScript(4, { id: 'c', cwd });
    script.user('shadowed');
    script.assistant('shadowed too');
    script.user('recalled', {
      source: { kind: 'session-reference', form: 'recall', version: 1, references: [] },
    });
    script.user('kept');
    script.compact('the summary', 0, 2, [0, 1, 2]);
    writeLog(root, { id: 'c', cwd, format: 4, lines: script.lines });
    const { items } = await openSessionStore({ roots: [root] }).readConversation('c');
    expect(items.map(({ text, checkpoint }) => [text, checkpoint])).toEqual([
      ['the summary', true],
      ['kept', false],
    ]);
  });
});

describe('the budget (contract, 4.3)', () => {
  /** A long source, and an asking session whose log says how large its window is. */
  function rootOf(tokens: number | undefined): string {
    const root = scratch();
    const long = new LogScript(4, { id: 'long', cwd });
    for (let turn = 0; turn < 300; turn += 1) long.user(`${turn} ${'x'.repeat(1000)}`);
    writeLog(root, { id: 'long', cwd, format: 4, lines: long.lines });
    const asking = new LogScript(4, { id: 'asking', cwd });
    asking.contextWindow(999_999);
    asking.contextWindow(tokens);
    writeLog(root, { id: 'asking', cwd, format: 4, lines: asking.lines });
    return root;
  }
  const sizeOf = async (root: string, options: object) => {
    const store = openSessionStore({ roots: [root] });
    const { additionalContext } = await store.prepare({
      content: [],
      references: [{ sessionId: 'long' }],
      ...options,
    });
    const text = (additionalContext!.content[0] as { text: string }).text;
    return Buffer.byteLength(/<referenced-sessions>\n\[(.*)\]\n/.exec(text)![1]!);
  };
  const near = (bytes: number, budget: number) => {
    expect(bytes).toBeLessThanOrEqual(budget);
    expect(bytes).toBeGreaterThan(budget - 1200);
  };

  test('the log of the asking session decides, where nothing is given', async () => {
    near(await sizeOf(rootOf(200_000), { self: 'asking' }), 160_000);
    near(await sizeOf(rootOf(200_000), { self: 'asking', referenceContextFraction: 0.1 }), 80_000);
    near(await sizeOf(rootOf(1000), { self: 'asking' }), 65_536);
    near(await sizeOf(rootOf(undefined), { self: 'asking' }), 65_536);
    near(await sizeOf(rootOf(200_000), {}), 65_536);
    near(await sizeOf(rootOf(200_000), { self: 'nobody' }), 65_536);
  });

  test('bytes given come first, then a window given', async () => {
    const root = rootOf(200_000);
    near(await sizeOf(root, { self: 'asking', maxReferenceBytes: 9000, contextWindow: 10 ** 6 }), 9000);
    near(await sizeOf(root, { self: 'asking', contextWindow: 100_000 }), 80_000);
  });

  test('an asking session that cannot be read leaves the default', async () => {
    const root = rootOf(200_000);
    placeLog(root, { id: 'broken', cwd, name: 'session.v4.jsonl', bytes: 'x\n' });
    near(await sizeOf(root, { self: 'broken' }), 65_536);
  });
});
