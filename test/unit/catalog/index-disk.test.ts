/** An index directory that is full, read-only or otherwise refuses: the answers are those of no index. */
import type * as fs from 'node:fs';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openSessionStore } from '../../../src/index.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { writeRoot } from '../../support/log-writer/write-root.ts';

/** The call that fails below an index directory, and how. */
const broken = vi.hoisted(() => ({ call: '', code: '' }));

vi.mock('node:fs', async (original) => {
  const actual = await original<typeof fs>();
  const watched: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(actual)) {
    if (typeof value !== 'function' || /^[A-Z_]/.test(name)) continue;
    watched[name] = Object.assign((...given: unknown[]) => {
      if (name === broken.call && String(given[0]).includes('/index')) {
        throw Object.assign(new Error(`${broken.code}: ${name}`), { code: broken.code });
      }
      return (value as (...all: unknown[]) => unknown)(...given);
    }, value);
  }
  return { ...actual, ...watched };
});

const clock = () => Date.now() + 5 * 60_000;

test.each([
  ['mkdirSync', 'EROFS'],
  ['mkdirSync', 'EACCES'],
  ['writeFileSync', 'ENOSPC'],
  ['writeFileSync', 'EDQUOT'],
  ['writeFileSync', 'EACCES'],
  ['writeSync', 'ENOSPC'],
  ['openSync', 'EMFILE'],
  ['renameSync', 'ENOSPC'],
  ['renameSync', 'EXDEV'],
  ['statSync', 'EIO'],
  ['lstatSync', 'EIO'],
  ['readdirSync', 'EACCES'],
  ['rmSync', 'EACCES'],
] as const)('%s fails with %s', async (call, code) => {
  const folder = scratch();
  const root = join(folder, 'root');
  const sessions = [1, 2, 3].map((at) => ({ id: `s-${at}`, cwd: '/p', bytes: 300 }));
  const paths = writeRoot(root, { sessions });
  const list = async (options: { indexDir: string } | { index: false }) =>
    JSON.stringify(
      await openSessionStore({ roots: [root], clock, ...options }).listCandidates({ query: '' }),
    );
  const expected = await list({ index: false });
  const indexDir = join(folder, 'index');
  broken.call = call;
  broken.code = code;
  try {
    expect(await list({ indexDir })).toBe(expected);
    // Once more on an index that was written before.
    broken.call = '';
    await list({ indexDir });
    const { utimesSync } = await import('node:fs');
    utimesSync(paths[0]!, 1, 1);
    broken.call = call;
    expect(await list({ indexDir })).toBe(expected);
  } finally {
    broken.call = '';
  }
  expect(await list({ indexDir })).toBe(expected);
  expect(readdirSync(indexDir).filter((name) => name.endsWith('.index'))).not.toEqual([]);
});
