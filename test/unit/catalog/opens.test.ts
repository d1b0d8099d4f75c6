import type * as fs from 'node:fs';
import { expect, test, vi } from 'vitest';
import { findSession, listCatalog } from '../../../src/catalog/catalog.ts';
import { openSessionStore } from '../../../src/index.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { writeLog, writeRoot } from '../../support/log-writer/write-root.ts';

const calls = vi.hoisted(() => ({ opened: [] as string[], touched: [] as string[] }));

vi.mock('node:fs', async (original) => {
  const actual = await original<typeof fs>();
  const watched: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(actual)) {
    if (typeof value !== 'function' || /^[A-Z_]/.test(name)) continue;
    watched[name] = Object.assign((...given: unknown[]) => {
      if (typeof given[0] === 'string') calls.touched.push(given[0]);
      if (typeof given[0] === 'string' && /^open/.test(name)) calls.opened.push(given[0]);
      return (value as (...all: unknown[]) => unknown)(...given);
    }, value);
  }
  return { ...actual, ...watched };
});

function watch(): typeof calls {
  calls.opened.length = 0;
  calls.touched.length = 0;
  return calls;
}

const sessionsOf = (count: number) =>
  Array.from({ length: count }, (_none, at) => ({ id: `s-${at}`, cwd: `/p/${at % 7}`, bytes: 200 }));

test('H-87: looking up one id opens one log in a root of 300 sessions', async () => {
  const root = scratch();
  const paths = writeRoot(root, { sessions: sessionsOf(300) });
  const seen = watch();
  expect((await findSession([root], 's-123', () => {})).log.path).toBe(paths[123]);
  expect(seen.opened).toEqual([paths[123]]);
  // One look at the root, one in each project.
  expect(seen.touched.length).toBeLessThan(30);
  watch();
  await expect(findSession([root], 's-300', () => {})).rejects.toMatchObject({ kind: 'not-found' });
  expect(calls.opened).toEqual([]);
  watch();
  await listCatalog([root], () => {});
  expect(calls.opened.length).toBe(300);
});

test('H-34: no call ever touches a path taken from a log', async () => {
  const root = scratch();
  const trap = '/dead-mount/of/another/machine';
  writeRoot(root, {
    sessions: [
      { id: 'a', cwd: trap },
      { id: 'b', cwd: `${trap}/b` },
    ],
  });
  const wrong = new LogScript(4, { id: 'c', cwd: `${trap}/elsewhere` });
  writeLog(root, { id: 'c', cwd: trap, format: 4, lines: wrong.lines });
  const store = openSessionStore({ roots: [root] });
  const seen = watch();
  await store.listCandidates({ cwd: '/work', query: 'x' });
  await store.listCandidates({ cwd: root, here: true });
  await store.readSurface('a');
  await store.prepare({ content: [], references: [{ sessionId: 'b' }], self: 'a' });
  await expect(store.readSurface('c')).rejects.toMatchObject({ kind: 'mismatch' });
  expect(seen.touched.length).toBeGreaterThan(5);
  expect(seen.touched.filter((path) => path.includes('dead-mount/'))).toEqual([]);
});

test('opening a store touches nothing', () => {
  const seen = watch();
  openSessionStore({ roots: ['/somewhere'] });
  openSessionStore();
  expect(seen.touched).toEqual([]);
});
