import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  lstatSync,
  readdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { openSessionStore } from '../../../src/index.ts';
import { plainLog, zstdLog } from '../../support/log-writer/container.ts';
import { randomConversation } from '../../support/log-writer/conversation.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { placeLog, writeRoot } from '../../support/log-writer/write-root.ts';
import { encodeFrame } from '../../support/log-writer/zstd-frame.ts';

const cwd = '/home/ana/shop';

/** Every file and directory below `root`: kind, mode, owner, times and content. */
function stateOf(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .concat('.')
    .map((name) => {
      const path = join(root, name);
      const { mode, mtimeMs, ctimeMs, size, ino, uid } = lstatSync(path);
      const hash = lstatSync(path).isFile()
        ? createHash('sha256').update(readFileSync(path)).digest('hex')
        : '';
      return [name, mode, mtimeMs, ctimeMs, size, ino, uid, hash].join(' ');
    });
}

/** Every call of a store, on every session and on some that are none. */
async function useEverything(root: string): Promise<number> {
  const store = openSessionStore({ roots: [root] });
  const { sessions } = await store.listSessions();
  await store.listCandidates({ cwd: '/proj/demo', query: 'a', limit: 5 });
  await store.listCandidates({ limit: 500 });
  let read = 0;
  for (const sessionId of [...sessions.map((session) => session.sessionId), 'nobody', 'victim']) {
    for (const call of [
      () => store.readSurface(sessionId),
      () => store.readConversation(sessionId),
      () => store.prepare({ content: [], references: [{ sessionId }], self: 'x' }),
      () => store.resolveSessionId(sessionId, { prefix: true }),
    ]) {
      // Failing is fine here; changing something is not.
      await call().then(
        () => (read += 1),
        () => {},
      );
    }
  }
  await store.close();
  return read;
}

describe('H-36: the store is not touched', () => {
  test.each([
    'basic-zstd',
    'interrupted',
    'damaged',
    'generations/roots/side-by-side',
    'generations/roots/broken-v4',
  ])('%s is the same before and after', async (name) => {
    const root = join(scratch(), 'root');
    const source = join(inject('corpus'), name.includes('/') ? name : `roots/${name}`);
    cpSync(source, root, { recursive: true });
    const roots = name === 'damaged' ? readdirSync(root).map((inner) => join(root, inner)) : [root];
    const before = stateOf(root);
    let read = 0;
    for (const each of roots) read += await useEverything(each);
    expect(read).toBeGreaterThan(0);
    expect(stateOf(root)).toEqual(before);
  });

  test('a read-only root works', async () => {
    const root = scratch();
    const paths = writeRoot(root, {
      sessions: [
        { id: 'a', cwd },
        { id: 'b', cwd: undefined, encoding: 'plain' },
      ],
    });
    for (const path of paths) chmodSync(path, 0o400);
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (lstatSync(join(root, name)).isDirectory()) chmodSync(join(root, name), 0o500);
    }
    chmodSync(root, 0o500);
    expect(await useEverything(root)).toBe(8);
    chmodSync(root, 0o700);
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }))
      chmodSync(join(root, name), 0o700);
  });

  test('H-52: file times mean nothing', async () => {
    const root = scratch();
    const sessions = [1, 2, 3].map((at) => ({ id: `s-${at}`, cwd, createdAt: at }));
    for (const [at, path] of writeRoot(root, { sessions }).entries()) utimesSync(path, 9999 - at, 9999 - at);
    const { candidates } = await openSessionStore({ roots: [root] }).listCandidates();
    expect(candidates.map(({ sessionId, createdAt }) => [sessionId, createdAt])).toEqual([
      ['s-3', 3],
      ['s-2', 2],
      ['s-1', 1],
    ]);
  });
});

describe.each(['plain', 'zstd'] as const)('H-30: a %s log that grows', (encoding) => {
  const { script } = randomConversation({ format: 4, seed: 4, bytes: 20_000, header: { id: 'g', cwd } });
  const name = `session.v4.jsonl${encoding === 'zstd' ? '.zstd' : ''}`;
  const all = encoding === 'plain' ? plainLog(script.lines) : zstdLog(script.lines, { linesPerFrame: 4 });

  test('every read is a record prefix of the final log, and never goes backwards', async () => {
    const root = scratch();
    const path = placeLog(root, { id: 'g', cwd, name, bytes: all.subarray(0, 400) });
    const [reused, last] = [
      openSessionStore({ roots: [root] }),
      { seq: -1, title: undefined as string | undefined },
    ];
    for (let at = 400; at < all.length; at += 397) {
      appendFileSync(path, all.subarray(at, at + 397));
      const fresh = openSessionStore({ roots: [root], index: false });
      const surface = await reused.readSurface('g');
      expect(await fresh.readSurface('g')).toEqual(surface);
      expect(surface.capturedThroughSeq ?? -1).toBeGreaterThanOrEqual(last.seq);
      last.seq = surface.capturedThroughSeq ?? -1;
      const events = script.rows.slice(0, last.seq + 1).map((row) => JSON.parse(row));
      for (const event of surface.events) expect(event).toEqual(events[event.seq]);
      // H-37: a listing of a store that remembers equals a cold one.
      const options = { cwd, query: '', limit: 5 };
      expect(await reused.listCandidates(options)).toEqual(await fresh.listCandidates(options));
    }
    expect(last.seq).toBe(script.nextSeq - 1);
  });

  test('what is appended while it is being read is not looked at', async () => {
    const root = scratch();
    const half = all.subarray(0, all.length >> 1);
    const path = placeLog(root, { id: 'g', cwd, name, bytes: half });
    const store = openSessionStore({ roots: [root] });
    const before = await store.readSurface('g');
    const reading = store.readSurface('g');
    appendFileSync(path, all.subarray(half.length));
    const seq = (await reading).capturedThroughSeq!;
    expect([before.capturedThroughSeq, script.nextSeq - 1]).toContain(seq);
    expect((await store.readSurface('g')).capturedThroughSeq).toBe(script.nextSeq - 1);
  });

  test('a torn tail that the writer cuts off and writes anew', async () => {
    const root = scratch();
    const path = placeLog(root, { id: 'g', cwd, name, bytes: all.subarray(0, all.length - 150) });
    const store = openSessionStore({ roots: [root] });
    const torn = await store.readSurface('g');
    expect(torn.diagnostics.length).toBeGreaterThan(0);
    writeFileSync(path, all);
    expect((await store.readSurface('g')).diagnostics).toEqual([]);
    truncateSync(path, all.length - 150);
    expect((await store.readSurface('g')).capturedThroughSeq).toBe(torn.capturedThroughSeq);
  });
});

test('H-37: a store that remembers sees new, changed, replaced and removed sessions', async () => {
  const root = scratch();
  const write = (id: string, title: string, createdAt = 1) => {
    const script = new LogScript(4, { id, cwd, createdAt });
    script.title(title);
    placeLog(root, { id, cwd, name: 'session.v4.jsonl.zstd', bytes: zstdLog(script.lines) });
  };
  const store = openSessionStore({ roots: [root], clock: () => Date.now() + 60_000 });
  const labels = async () => (await store.listCandidates({ cwd })).candidates.map(({ label }) => label);
  write('a', 'one');
  write('b', 'two', 2);
  expect(await labels()).toEqual(['two', 'one']);
  expect(await labels()).toEqual(['two', 'one']);
  write('a', 'eins', 3);
  expect(await labels()).toEqual(['eins', 'two']);
  write('b', 'zwo', 2);
  expect(await labels()).toEqual(['eins', 'zwo']);
  const newer = new LogScript(4, { id: 'b', cwd, createdAt: 2 });
  placeLog(root, { id: 'b', cwd, name: 'session.v5.jsonl', bytes: plainLog(newer.lines) });
  expect(await labels()).toEqual(['eins']);
  const more = `${JSON.stringify({ type: 'session/title', seq: 1, time: 9, data: { title: 'drei' } })}\n`;
  appendFileSync(join(root, '--home-ana-shop--/a/session.v4.jsonl.zstd'), encodeFrame(Buffer.from(more)));
  expect(await labels()).toEqual(['drei']);
});
