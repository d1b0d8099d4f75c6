/** What the goals of speed hang on, counted: files opened, directories listed, frames decoded. No clock. */
import type * as fs from 'node:fs';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type CandidateOptions, openSessionStore } from '../../src/index.ts';
import { ZstdFrames } from '../../src/log/zstd.ts';
import { scratch } from '../support/log-writer/scratch.ts';
import { encodeFrame } from '../support/log-writer/zstd-frame.ts';
import { BigLog } from './big-log.ts';
import { BenchData } from './data.ts';

const calls = vi.hoisted(() => ({ byName: new Map<string, string[]>() }));

vi.mock('node:fs', async (original) => {
  const actual = await original<typeof fs>();
  const watched: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(actual)) {
    if (typeof value !== 'function' || /^[A-Z_]/.test(name)) continue;
    watched[name] = Object.assign((...given: unknown[]) => {
      if (typeof given[0] === 'string') {
        const paths = calls.byName.get(name);
        if (paths === undefined) calls.byName.set(name, [given[0]]);
        else paths.push(given[0]);
      }
      return (value as (...all: unknown[]) => unknown)(...given);
    }, value);
  }
  return { ...actual, ...watched };
});

const decoded = { frames: 0, bytes: 0 };
const { decodeFrame } = ZstdFrames.prototype;
vi.spyOn(ZstdFrames.prototype, 'decodeFrame').mockImplementation(function (this: ZstdFrames, ...given) {
  const content = decodeFrame.apply(this, given);
  decoded.frames += 1;
  decoded.bytes += content?.length ?? 0;
  return content;
});

/** Paths given to calls whose names match, since `forget`. */
const pathsOf = (name: RegExp) =>
  [...calls.byName].flatMap(([call, paths]) => (name.test(call) ? paths : []));
const opened = () => pathsOf(/^(open|opendir|readFile)(Sync)?$/);

function forget(): void {
  calls.byName.clear();
  Object.assign(decoded, { frames: 0, bytes: 0 });
}

beforeEach(forget);

const SESSIONS = 1000;
const PROJECTS = 100;
const clock = () => Date.now() + 5 * 60_000;
const rootOf = (count: number) => new BenchData(scratch()).listedRoot(count);

test('`prepare` of one id in a root of 1,000 sessions opens at most 5 files', async () => {
  const root = rootOf(SESSIONS);
  const store = openSessionStore({ roots: [root] });
  forget();
  await store.prepare({ content: [], references: [{ sessionId: 'session-000123' }], self: 'session-000124' });
  expect(opened().length).toBeLessThanOrEqual(5);
  expect(opened().filter((path) => !/session-00012[34]/.test(path))).toEqual([]);
  // The root, and the directories of the sessions it looks for: no project is listed.
  expect(pathsOf(/^readdir/).length).toBeLessThanOrEqual(10);
  // A look into each project, for each time a session is looked for.
  expect(pathsOf(/^l?stat/).length).toBeLessThanOrEqual(3 * PROJECTS);
});

describe('a listing with a warm index', () => {
  const question = { query: 'no title has this' };

  test('opens no log and lists no session directory, in a store that stays and in a new one', async () => {
    const root = rootOf(SESSIONS);
    const indexDir = join(scratch(), 'index');
    const staying = openSessionStore({ roots: [root], indexDir, clock });
    expect((await staying.listCandidates(question)).seen).toBe(SESSIONS);
    for (const store of [staying, openSessionStore({ roots: [root], indexDir, clock })]) {
      forget();
      expect((await store.listCandidates(question)).seen).toBe(SESSIONS);
      expect(opened().filter((path) => path.startsWith(root))).toEqual([]);
      // One file for all projects, and the directory it is in.
      expect(opened().length).toBe(store === staying ? 0 : 1);
      // The root. A project directory that has not changed need not be listed.
      expect(pathsOf(/^readdir/).length).toBe(store === staying ? 1 : 2);
      // One look at the directory and one at the log, of each session, and one at each project.
      expect(pathsOf(/^l?stat/).length).toBeLessThanOrEqual(2 * SESSIONS + PROJECTS + 10);
      expect(pathsOf(/^(write|rename|mkdir|rm|unlink)/)).toEqual([]);
      expect(decoded.frames).toBe(0);
    }
  });

  test('decodes of one log that grew its header and the new frames only, and opens no other', async () => {
    const root = rootOf(50);
    const indexDir = join(scratch(), 'index');
    const log = new BigLog({ version: 0, seed: 3, firstSeq: 1 });
    const path = join(root, '--bench-project-1--', 'session-000001', 'session.jsonl.zstd');
    for (let turn = 0; turn < 20; turn += 1) appendFileSync(path, encodeFrame(log.turn()));
    const staying = openSessionStore({ roots: [root], indexDir, clock });
    await staying.listCandidates(question);
    for (const isNew of [false, false, true]) {
      const frames = [log.turn(), log.turn()];
      for (const frame of frames) appendFileSync(path, encodeFrame(frame));
      const store = isNew ? openSessionStore({ roots: [root], indexDir, clock }) : staying;
      forget();
      await store.listCandidates(question);
      const newBytes = frames.reduce((sum, frame) => sum + frame.length, 0);
      expect(decoded.frames, String(isNew)).toBe(1 + frames.length);
      expect(decoded.bytes).toBeLessThan(newBytes + 1000);
      expect(new Set(opened().filter((name) => name.startsWith(root)))).toEqual(new Set([path]));
      // And nothing is lost by it.
      const cold = await openSessionStore({ roots: [root], index: false }).listCandidates({});
      expect(await store.listCandidates({})).toEqual(cold);
    }
  });
});

describe('without a query', () => {
  test('only what is shown is folded', async () => {
    const root = rootOf(200);
    const store = openSessionStore({ roots: [root], index: false });
    forget();
    expect((await store.listCandidates({ limit: 7 })).candidates.length).toBe(7);
    // Every header, and two frames of each session shown.
    expect(decoded.frames).toBe(200 + 7 * 2);
  });

  test('headers are read once: the next time no log is opened, and then those whose titles are wanted', async () => {
    const root = rootOf(200);
    const indexDir = join(scratch(), 'index');
    const list = (question: CandidateOptions) =>
      openSessionStore({ roots: [root], indexDir, clock }).listCandidates(question);
    const first = await list({ limit: 7 });
    forget();
    expect(await list({ limit: 7 })).toEqual(first);
    expect(opened().filter((path) => path.startsWith(root))).toEqual([]);
    forget();
    expect((await list({ limit: 9 })).candidates.length).toBe(9);
    expect(decoded.frames).toBe(2 * 2);
    forget();
    expect((await list({ query: 'tiny' })).total).toBe(200);
    expect(decoded.frames).toBe(191 * 2);
    forget();
    expect((await list({ query: 'tiny' })).total).toBe(200);
    expect(decoded.frames).toBe(0);
  });
});
