import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LogBytes } from '../../../src/log/bytes.ts';
import { ReadingMemory } from '../../../src/store/reading-memory.ts';
import { type HostMessage, openSessionStore, type SessionStore } from '../../../src/store.ts';
import { writeRoot } from '../../support/log-writer/write-root.ts';

/** Late enough that no log counts as just written. */
const clock = (): number => Date.now() + 60_000;

let directory: string;
let store: SessionStore;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dsh-ref-batch-'));
  store = openSessionStore({ roots: [directory], clock, ids: () => 'id' });
});
afterEach(() => rmSync(directory, { recursive: true }));

const message = (text: string, kind = 'user'): HostMessage => ({
  id: 'u',
  source: { kind },
  content: [
    { type: 'text', text },
    { type: 'image', data: 1 },
  ],
});
const cites = message('see @[A](dsh-session:ImEi)');

describe('prepareMessages', () => {
  it('passes the very object on where nothing is cited, and copies where something is', async () => {
    writeRoot(directory, { sessions: [{ id: 'a', cwd: '/x' }] });
    const given = [message('plain'), message('dsh-session:?', 'plugin'), cites];
    const prepared = await store.prepareMessages(given);
    expect(prepared).toHaveLength(4);
    expect([prepared[0] === given[0], prepared[1] === given[1]]).toEqual([true, true]);
    expect(prepared[2]).toEqual({ ...cites, content: [{ type: 'text', text: 'see @A' }, cites.content[1]] });
    expect(Object.keys(prepared[2]!)).toEqual(['id', 'source', 'content']);
    expect(prepared[3]).toMatchObject({ source: { kind: 'session-reference' }, id: 'id' });
    expect([prepared, prepared[2], prepared[2]!.source, prepared[3]].every(Object.isFrozen)).toBe(true);
    expect([cites, cites.source, given[0]].some(Object.isFrozen)).toBe(false);
  });

  it.each([
    [null, 'it is not an object'],
    ['x', 'it is not an object'],
    [[], 'it is not an object'],
    [{ content: [] }, 'string kind'],
    [{ source: { kind: 'user' } }, 'not an array'],
    [{ source: { kind: 'user' }, content: [{ text: 'x' }] }, 'content[0]'],
  ])('refuses %j with its index', async (odd, words) => {
    const given = [message('plain'), odd as unknown as HostMessage];
    await expect(store.prepareMessages(given)).rejects.toMatchObject({
      code: 'SESSION_REFERENCE_INVALID_REFERENCE',
      message: expect.stringMatching(/^messages\[1\] is no message: /),
    });
    await expect(store.prepareMessages(given)).rejects.toThrow(words);
  });

  it('names the message that a failure comes from, and keeps its cause', async () => {
    await expect(store.prepareMessages([message('plain'), cites])).rejects.toMatchObject({
      code: 'SESSION_REFERENCE_READ_FAILED',
      message: expect.stringMatching(/^messages\[1\]: cannot cite/),
      cause: { code: 'SESSION_LOG_NOT_FOUND' },
    });
  });

  it('refuses settings and an aborted signal before it looks at any message', async () => {
    await expect(store.prepareMessages([], { maxReferences: 9 })).rejects.toMatchObject({
      code: 'SESSION_REFERENCE_INVALID_CONFIG',
    });
    const signal = AbortSignal.abort();
    await expect(store.prepareMessages([message('plain')], { signal })).rejects.toMatchObject({
      code: 'SESSION_REFERENCE_CANCELLED',
    });
  });
});

describe('openBatch', () => {
  it('folds a log once while it is as it was; only the look-up is made again', async () => {
    writeRoot(directory, {
      sessions: [
        { id: 'a', cwd: '/x' },
        { id: 'me', cwd: '/x' },
      ],
    });
    const open = vi.spyOn(LogBytes, 'open');
    onTestFinished(() => open.mockRestore());
    const [lookUps, folds] = [2, 2];
    for (const count of [1, 5]) {
      open.mockClear();
      await store.prepareMessages(Array(count).fill(cites), { self: 'me' });
      expect(open).toHaveBeenCalledTimes(count * lookUps + folds);
    }
  });

  it('sees a log that has grown, a generation that has come, and a session that has gone', async () => {
    const [path] = writeRoot(directory, {
      sessions: [{ id: 'a', cwd: '/x', format: 3, encoding: 'plain', bytes: 3000 }],
    });
    const batch = store.openBatch();
    const captured = async () => {
      const [, context] = await batch.prepare(cites);
      return (context as unknown as { source: { references: Record<string, unknown>[] } }).source
        .references[0]!;
    };
    const first = await captured();
    expect(await captured()).toEqual(first);
    const seq = (first.capturedThroughSeq as number) + 1;
    appendFileSync(path!, `${JSON.stringify({ seq, ts: 1, type: 'turn/end', data: {} })}\n`);
    const grown = await captured();
    expect(grown.capturedThroughSeq).not.toBe(first.capturedThroughSeq);
    const newer = mkdtempSync(join(tmpdir(), 'dsh-ref-batch-'));
    writeRoot(newer, { sessions: [{ id: 'a', cwd: '/x', format: 4 }] });
    cpSync(newer, directory, { recursive: true });
    rmSync(newer, { recursive: true });
    expect((await captured()).capturedFormatVersion).toBe(4);
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
    await expect(batch.prepare(cites, 'line 7')).rejects.toThrow(/^line 7: cannot cite/);
  });
});

describe('what is remembered of logs', () => {
  const path = import.meta.filename;

  async function reads(memory: ReadingMemory<string>, paths: readonly string[]): Promise<number> {
    let count = 0;
    for (const one of paths) {
      const value = await memory.recall(one, async () => {
        count += 1;
        return one;
      });
      expect(value).toBe(one);
    }
    return count;
  }

  it('is read once while the file is as it was', async () => {
    expect(await reads(new ReadingMemory(clock, () => 1), [path, path, path])).toBe(1);
  });

  it('is read again when it has changed, or was just written', async () => {
    const file = join(directory, 'log');
    const memory = new ReadingMemory<string>(clock, () => 1);
    appendFileSync(file, 'x');
    expect(await reads(memory, [file, file])).toBe(1);
    appendFileSync(file, 'x');
    expect(await reads(memory, [file, file])).toBe(1);
    expect(await reads(new ReadingMemory(Date.now, () => 1), [file, file])).toBe(2);
    const during = new ReadingMemory<string>(clock, () => 1);
    await during.recall(file, async () => {
      appendFileSync(file, 'x');
      return 'old';
    });
    expect(await reads(during, [file])).toBe(1);
    expect(await reads(memory, ['/nowhere', '/nowhere', `${path}/x`])).toBe(3);
  });

  it('is bounded: what was used longest ago goes first, the last one stays', async () => {
    const others = ['prepare.test.ts', 'store.test.ts'].map((name) => join(import.meta.dirname, name));
    const [a, b, c] = [path, ...others] as [string, string, string];
    const memory = new ReadingMemory<string>(clock, () => 12 * 1024 * 1024);
    expect(await reads(memory, [a, b, a, c, a, c])).toBe(3);
    expect(await reads(memory, [b])).toBe(1);
    const huge = new ReadingMemory<string>(clock, () => 2 ** 40);
    expect(await reads(huge, [a, a, b, b, a])).toBe(3);
  });
});
