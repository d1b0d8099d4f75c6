import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSessionStore } from '../../../src/index.ts';
import { plainLog } from '../../support/log-writer/container.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { placeLog, type SessionSpec, writeLog, writeRoot } from '../../support/log-writer/write-root.ts';

const cwd = '/home/ana/shop';

function rootWith(...sessions: Partial<SessionSpec>[]): string {
  const root = scratch();
  writeRoot(root, { sessions: sessions.map((spec, at) => ({ id: `s-${at}`, cwd, bytes: 300, ...spec })) });
  return root;
}

const idsOf = (list: { candidates: readonly { sessionId: string }[] }) =>
  list.candidates.map(({ sessionId }) => sessionId);

describe('listing candidates', () => {
  const now = 1_787_000_000_000;
  const sessions = [
    { id: 'old-here', cwd, createdAt: now },
    { id: 'new-here', cwd, createdAt: now + 5 },
    { id: 'none', cwd: undefined, createdAt: now + 9 },
    { id: 'else', cwd: '/else', createdAt: now + 99 },
    { id: 'agent', cwd, createdAt: now + 3, header: { origin: 'subagent', parentSession: 'old-here' } },
  ];

  test('ranks: this workspace, none, the rest; newest first; without the asking one', async () => {
    const store = openSessionStore({ roots: [rootWith(...sessions)] });
    expect(idsOf(await store.listCandidates({ cwd }))).toEqual([
      'new-here',
      'agent',
      'old-here',
      'none',
      'else',
    ]);
    expect(idsOf(await store.listCandidates({}))).toEqual(['none', 'else', 'new-here', 'agent', 'old-here']);
    expect(idsOf(await store.listCandidates({ cwd, self: 'new-here' }))).toEqual([
      'agent',
      'old-here',
      'none',
      'else',
    ]);
    expect(idsOf(await store.listCandidates({ cwd, here: true }))).toEqual(['new-here', 'agent', 'old-here']);
    expect(idsOf(await store.listCandidates({ here: true }))).toEqual([]);
  });

  test('H-50: one switch leaves subagents out', async () => {
    const store = openSessionStore({ roots: [rootWith(...sessions)] });
    expect(idsOf(await store.listCandidates({ cwd, topLevel: true }))).toEqual([
      'new-here',
      'old-here',
      'none',
      'else',
    ]);
  });

  test('H-51: filter, rank, then cut; the total says what was cut', async () => {
    const store = openSessionStore({ roots: [rootWith(...sessions)] });
    const cut = await store.listCandidates({ cwd, query: 'HERE', limit: 1 });
    expect([idsOf(cut), cut.total]).toEqual([['new-here'], 2]);
    const all = await store.listCandidates({ cwd, limit: 2 });
    expect([idsOf(all), all.total]).toEqual([['new-here', 'agent'], 5]);
    const last = await store.listCandidates({ cwd, query: '/else', limit: 1 });
    expect([idsOf(last), last.total]).toEqual([['else'], 1]);
    expect((await store.listCandidates({ query: 'nowhere to be found' })).total).toBe(0);
  });

  test('fifty by default', async () => {
    const many = Array.from({ length: 60 }, (_none, at) => ({ id: `n-${at}`, bytes: 100 }));
    const { candidates, total } = await openSessionStore({ roots: [rootWith(...many)] }).listCandidates();
    expect([candidates.length, total]).toEqual([50, 60]);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5', null])(
    'the limit %j is refused',
    async (limit) => {
      const store = openSessionStore({ roots: [scratch()] });
      await expect(store.listCandidates({ limit: limit as number })).rejects.toMatchObject({
        code: 'SESSION_REFERENCE_INVALID_REFERENCE',
      });
    },
  );

  test('labels and mentions come from the logs', async () => {
    const root = scratch();
    const parent = new LogScript(4, { id: 'parent', cwd });
    parent.title('A ] title \\ with <tags>');
    writeLog(root, { id: 'parent', cwd, format: 4, lines: parent.lines });
    const child = new LogScript(4, { id: 'child', cwd, origin: 'subagent', createdAt: 1 });
    child.title('Title');
    child.descriptor({ label: 'Label' });
    writeLog(root, { id: 'child', cwd, format: 4, lines: child.lines });
    const { candidates } = await openSessionStore({ roots: [root] }).listCandidates({ cwd });
    expect(candidates).toMatchObject([
      { sessionId: 'parent', label: 'A ] title \\ with <tags>', sameWorkspace: true },
      { sessionId: 'child', label: 'Title', displayTitle: 'Label' },
    ]);
    expect(candidates[0]!.mention).toBe('@[A \\] title \\\\ with <tags>](dsh-session:InBhcmVudCI)');
    expect(candidates[1]!.mention).toBe('@[Label](dsh-session:ImNoaWxkIg)');
  });
});

describe('H-24: one bad log fails no listing', () => {
  test('1 corrupt + 99 good: all are listed, one is marked', async () => {
    const sessions = Array.from({ length: 99 }, (_none, at) => ({ id: `good-${at}`, bytes: 200 }));
    const root = rootWith(...sessions);
    const bad = new LogScript(4, { id: 'bad', cwd });
    bad.title('never seen');
    bad.raw('rubbish');
    bad.event('turn/end', { turn: 1 });
    writeLog(root, { id: 'bad', cwd, format: 4, lines: bad.lines });
    placeLog(root, { id: 'headless', cwd, name: 'session.v4.jsonl', bytes: 'rubbish\n' });
    const store = openSessionStore({ roots: [root] });
    const { candidates, skipped, total } = await store.listCandidates({ cwd, limit: 200 });
    expect([candidates.length, total]).toEqual([100, 100]);
    expect(candidates.filter(({ unreadable }) => unreadable !== undefined)).toMatchObject([
      { sessionId: 'bad', label: 'bad', displayTitle: 'bad', unreadable: 'corrupt' },
    ]);
    expect(skipped).toMatchObject([{ sessionId: 'headless', kind: 'corrupt' }]);
    const list = await store.listSessions();
    expect([list.sessions.length, list.skipped.length]).toEqual([100, 1]);
  });

  test.each(['meta', 'seq', 'sources', 'type', 'content', 'title', 'surfaceOp', 'header'])(
    'H-12: nor does one with a value nested 50,000 deep, in its %s',
    async (place) => {
      const root = rootWith({ id: 'good' });
      const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
      const message = `"message":{"id":"m","role":"tool","source":{"kind":"tool","callId":"c"},"content":[]}`;
      const user = (content: string, more = '') =>
        `{"type":"user/message","seq":0,"time":1,"surfaceOp":"append"${more},"data":{"id":"m","role":"user","source":{"kind":"user"},"content":${content}}}`;
      const rows: Record<string, string> = {
        meta: `{"type":"tool/result","seq":0,"time":1,"surfaceOp":"append","data":{"meta":${deep},${message}}}`,
        seq: `{"type":"x","seq":${deep},"time":1,"data":1}`,
        sources: user('[]', `,"sourceEventSeqs":[${deep}]`),
        type: `{"type":${deep},"seq":0,"time":1,"data":1}`,
        content: user(`[${deep}]`),
        title: `{"type":"session/title","seq":0,"time":1,"data":{"title":${deep}}}`,
        surfaceOp: user('[]').replace('"append"', deep),
        header: '',
      };
      const header = new LogScript(4, { id: 'deep', cwd }).lines[0]!;
      const lines =
        place === 'header' ? [header.replace('"type"', `"more":${deep},"type"`)] : [header, rows[place]!];
      placeLog(root, { id: 'deep', cwd, name: 'session.v4.jsonl', bytes: plainLog(lines) });
      const store = openSessionStore({ roots: [root] });
      expect(idsOf(await store.listCandidates({ cwd })).sort()).toEqual(['deep', 'good']);
      // Readable or not: never an error without a code.
      const outcome = await store.readSurface('deep').then(
        () => 'read',
        (error) => error.code ?? String(error),
      );
      expect(['read', 'SESSION_LOG_CORRUPT', 'SESSION_LOG_TOO_LARGE']).toContain(outcome);
    },
  );
});

describe('reading', () => {
  test('equal questions have equal answers, and many at once too', async () => {
    const sessions = Array.from({ length: 12 }, (_none, at) => ({
      id: `r-${at}`,
      bytes: 60_000 + at * 1000,
      encoding: at % 3 === 0 ? ('plain' as const) : ('zstd' as const),
      zstd: { frameBytes: at % 2 === 0 ? 3000 : Number.POSITIVE_INFINITY },
    }));
    const store = openSessionStore({ roots: [rootWith(...sessions)] });
    const one: string[] = [];
    for (const { id } of sessions) one.push(JSON.stringify(await store.readSurface(id)));
    const all = await Promise.all(
      sessions.map(async ({ id }) => JSON.stringify(await store.readSurface(id))),
    );
    expect(all).toEqual(one);
    expect(new Set(all).size).toBe(12);
  });

  test('a surface has its header, its last stored seq, its title and its events as stored', async () => {
    const root = scratch();
    const script = new LogScript(3, { id: 'x', cwd, later: true });
    script.startTurn();
    const user = script.user('hi');
    script.title('T');
    script.event('strange/thing', {});
    writeLog(root, { id: 'x', cwd, format: 3, lines: script.lines });
    const surface = await openSessionStore({ roots: [root] }).readSurface('x');
    expect(surface).toMatchObject({
      session: script.header,
      capturedThroughSeq: script.nextSeq - 1,
      title: 'T',
    });
    expect(surface.events).toEqual([JSON.parse(script.rows[user]!)]);
    expect(surface.diagnostics.map(({ kind }) => kind)).toEqual([
      'unknown-header-field',
      'unknown-event-type',
    ]);
  });

  test('an empty log has no seq', async () => {
    const root = scratch();
    for (const encoding of ['plain', 'zstd'] as const) {
      writeLog(root, {
        id: encoding,
        cwd,
        format: 4,
        lines: new LogScript(4, { id: encoding, cwd }).lines,
        encoding,
      });
      const surface = await openSessionStore({ roots: [root] }).readSurface(encoding);
      expect([surface.capturedThroughSeq, surface.events]).toEqual([null, []]);
    }
  });

  test('results are frozen through and through', async () => {
    const store = openSessionStore({ roots: [rootWith({ id: 'f', bytes: 3000 })], ids: () => 'id' });
    const references = [{ sessionId: 'f' }];
    const results: unknown[] = [
      store.roots,
      await store.listSessions(),
      await store.listCandidates(),
      await store.readSurface('f'),
      await store.readConversation('f'),
      await store.prepare({ content: [], references }),
    ];
    for (const result of results) expectFrozen(result);
  });

  test('what the caller gave is neither frozen nor changed', async () => {
    const store = openSessionStore({ roots: [rootWith({ id: 'f' })] });
    const content = [{ type: 'text', text: 'x', more: { deep: [1] } }];
    const references = [{ sessionId: 'f', label: 'L' }];
    const before = JSON.stringify({ content, references });
    const prepared = await store.prepare({ content, references });
    expect(prepared.content).toEqual(content);
    expect([content, content[0], content[0]!.more, references, references[0]].some(Object.isFrozen)).toBe(
      false,
    );
    expect(JSON.stringify({ content, references })).toBe(before);
  });
});

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value)).toBe(true);
  for (const inner of Object.values(value)) expectFrozen(inner);
}

test('roots are absolute, and one that is missing is an empty one', async () => {
  const root = scratch();
  mkdirSync(join(root, 'a'));
  const store = openSessionStore({ roots: ['relative/root', join(root, 'missing')] });
  expect(store.roots).toEqual([join(process.cwd(), 'relative/root'), join(root, 'missing')]);
  expect(await store.listSessions()).toEqual({ sessions: [], skipped: [] });
  await store.close();
});
