import { describe, expect, test } from 'vitest';
import { encodeSessionReferenceUri, openSessionStore, type SessionStore } from '../../../src/index.ts';
import { runPaced } from '../../../src/store/pace.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { writeRoot } from '../../support/log-writer/write-root.ts';

const cwd = '/home/ana/shop';
const cancelled = { name: 'SessionReferenceError', code: 'SESSION_REFERENCE_CANCELLED' };

type Call = (store: SessionStore, signal: AbortSignal) => Promise<unknown>;

const message = (text: string) => ({ source: { kind: 'user' }, content: [{ type: 'text', text }] });
const mention = `@[x](${encodeSessionReferenceUri('s-3')})`;
const calls: [string, Call][] = [
  ['listSessions', (store, signal) => store.listSessions({ signal })],
  ['listCandidates', (store, signal) => store.listCandidates({ signal })],
  ['listCandidates with a query', (store, signal) => store.listCandidates({ query: 'x', signal })],
  ['readSurface', (store, signal) => store.readSurface('s-3', { signal })],
  ['readConversation', (store, signal) => store.readConversation('s-3', { signal })],
  ['prepare', (store, signal) => store.prepare({ content: [], references: [{ sessionId: 's-3' }], signal })],
  ['prepare with a target', (store, signal) => store.prepare({ text: mention, self: 's-4', signal })],
  ['prepareMessages', (store, signal) => store.prepareMessages([message(mention)], { signal })],
  ['resolveSessionId', (store, signal) => store.resolveSessionId('s-3', { signal })],
  [
    'resolveSessionId with a prefix',
    (store, signal) => store.resolveSessionId('s-33', { prefix: true, signal }),
  ],
];

function rootOf(bytes: number, encoding: 'plain' | 'zstd' = 'zstd', frameBytes = 10_000, count = 8): string {
  const root = scratch();
  const sessions = Array.from({ length: count }, (_none, at) => ({
    id: `s-${at}`,
    cwd,
    bytes,
    encoding,
    zstd: { frameBytes },
  }));
  writeRoot(root, { sessions });
  return root;
}

describe('cancelled before', () => {
  const root = () => rootOf(300);

  test.each(calls)('%s', async (_name, call) => {
    const reason = new Error('why');
    const promise = call(openSessionStore({ roots: [root()] }), AbortSignal.abort(reason));
    await expect(promise).rejects.toMatchObject({ ...cancelled, cause: reason });
  });

  test('a batch in which nothing is cited', async () => {
    const store = openSessionStore({ roots: [root()] });
    const signal = AbortSignal.abort();
    await expect(store.prepareMessages([message('no mention')], { signal })).rejects.toMatchObject(cancelled);
  });

  test('a message in which nothing is cited', async () => {
    const store = openSessionStore({ roots: [root()] });
    await expect(store.prepare({ text: 'none', signal: AbortSignal.abort() })).rejects.toMatchObject(
      cancelled,
    );
  });
});

/** A signal that is aborted from the look number `after` on; counts the looks. */
function signalAbortedAfter(after: number): AbortSignal & { looks: number } {
  const signal = {
    looks: 0,
    reason: 'later',
    get aborted() {
      signal.looks += 1;
      return signal.looks > after;
    },
    addEventListener() {},
    removeEventListener() {},
  };
  return signal as unknown as AbortSignal & { looks: number };
}

describe('cancelled during', () => {
  test.each(calls)('%s, at every look at the signal', async (name, call) => {
    const root = rootOf(20_000);
    const never = signalAbortedAfter(Number.POSITIVE_INFINITY);
    const store = openSessionStore({ roots: [root], index: false });
    const whole = await call(store, never).catch((error) => error.code);
    // Before, between directories or logs, and between the chunks of a log that is read whole.
    expect(never.looks).toBeGreaterThan(/^(readS|readC|prepare|listC)/.test(name) ? 5 : 2);
    for (let after = 0; after < never.looks; after += Math.ceil(never.looks / 40)) {
      await expect(call(store, signalAbortedAfter(after))).rejects.toMatchObject({
        ...cancelled,
        cause: 'later',
      });
    }
    await expect(call(store, signalAbortedAfter(never.looks - 1))).rejects.toMatchObject(cancelled);
    const again = await call(store, signalAbortedAfter(never.looks)).catch((error) => error.code);
    expect(withoutIds(again)).toEqual(withoutIds(whole));
  });

  test.each([
    ['plain', 10_000],
    ['zstd', Number.POSITIVE_INFINITY],
  ] as const)('a %s log, in the midst of a frame', async (encoding, frameBytes) => {
    const store = openSessionStore({ roots: [rootOf(6_000_000, encoding, frameBytes, 1)] });
    const whole = await store.readConversation('s-0');
    for (let round = 0; round < 4; round += 1) {
      const controller = new AbortController();
      const promise = store.readConversation('s-0', { signal: controller.signal });
      setTimeout(() => controller.abort(), round);
      await expect(promise).rejects.toMatchObject(cancelled);
    }
    expect(await store.readConversation('s-0')).toEqual(whole);
  });
});

describe('pace', () => {
  test('others get their turn while a long log is read', async () => {
    const store = openSessionStore({ roots: [rootOf(6_000_000, 'zstd', 10_000, 1)] });
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await store.readSurface('s-0');
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });

  test('work that is stopped halfway is closed', async () => {
    const controller = new AbortController();
    let isClosed = false;
    function* work(): Generator<void, string> {
      try {
        for (let step = 0; step < 10; step += 1) {
          if (step === 3) controller.abort();
          yield;
        }
        return 'done';
      } finally {
        isClosed = true;
      }
    }
    await expect(runPaced(work(), controller.signal)).rejects.toMatchObject(cancelled);
    expect(isClosed).toBe(true);
    expect(await runPaced(work(), undefined)).toBe('done');
  });
});

/** An answer without the random ids in it. */
function withoutIds(answer: unknown): unknown {
  const isId = (key: string, value: unknown) =>
    key === 'id' && typeof value === 'string' && value.length === 36;
  return JSON.parse(JSON.stringify(answer ?? null, (key, value) => (isId(key, value) ? undefined : value)));
}
