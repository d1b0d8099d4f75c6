import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSessionStore } from '../../../src/store.ts';
import { cli, errorLine, type Setup } from './support.ts';

const ROOT = join(import.meta.dirname, '../../../fixtures/logs/basic-zstd');
const MENTION = '@[one](dsh-session:InNlc3Npb24tMSI)';
let cache: string;

beforeAll(() => {
  cache = mkdtempSync(join(tmpdir(), 'dsh-ref-cache-'));
});
afterAll(() => rmSync(cache, { recursive: true }));

/** A command line over the real library and the shipped logs. */
const real = (argv: readonly string[], setup: Setup = {}) =>
  cli([...argv, '--root', ROOT], {
    ...setup,
    env: { XDG_CACHE_HOME: cache, ...setup.env },
    tmpdir: cache,
    openStore: async (options) => openSessionStore({ ...options, ids: () => 'id', clock: Date.now }),
  });

function snapshot(root: string): string[] {
  return (readdirSync(root, { recursive: true }) as string[]).sort().map((name) => {
    const { mtimeMs, mode, size } = lstatSync(join(root, name));
    return [name, mtimeMs, mode, size].join(' ');
  });
}

const user = (text: string): string =>
  JSON.stringify({ source: { kind: 'user' }, content: [{ type: 'text', text }], role: 'user', id: 'u' });

describe('on real logs', () => {
  it('H-36: nothing in the root changes', async () => {
    const before = snapshot(ROOT);
    for (const argv of [
      ['candidates'],
      ['candidates', '--index-dir', join(ROOT, 'index')],
      ['mention', 'session-1'],
      ['index', 'refresh'],
      ['index', 'clear'],
      ['prepare', MENTION, '--max-bytes', '300'],
      ['prepare', MENTION, '--max-bytes', '300', '--spill-dir', join(ROOT, 'spill')],
    ]) {
      expect(await real(argv)).toMatchObject({ exit: 0 });
    }
    expect(snapshot(ROOT)).toEqual(before);
  });

  it('mention uses the title that lists show', async () => {
    const [first] = JSON.parse((await real(['candidates', '--json'])).stdout).candidates;
    expect((await real(['mention', first.sessionId])).stdout).toBe(`${first.mention}\n`);
  });

  it('a shortened snapshot is kept, private, and shown again in full', async () => {
    const spill = join(cache, 'kept');
    const flags = ['--max-bytes', '300', '--spill-dir', spill, '--reference', MENTION];
    const { stdout, stderr } = await real(['prepare', ...flags, '--explain', '-q']);
    const [, source] = stderr
      .split('\n')
      .slice(0, -1)
      .map((row) => JSON.parse(row));
    const { locator } = source.fullSnapshot;
    expect(stdout).toContain(JSON.stringify(locator).slice(1, -1));
    expect(statSync(locator).mode & 0o777).toBe(0o600);
    const shown = JSON.parse((await cli(['spill', 'show', '--json', locator])).stdout);
    expect(shown.metadata).toMatchObject({ sessionId: 'session-1', label: 'one' });
    expect(shown.messages).toHaveLength(source.originalMessages);
    expect(source).toMatchObject({ keptMessages: 3, droppedMessages: 4 });
  });

  it('nothing is made where nothing is shortened', async () => {
    const spill = join(cache, 'unused');
    expect((await real(['prepare', MENTION, '--spill-dir', spill])).exit).toBe(0);
    expect(readdirSync(cache)).not.toContain('unused');
  });

  it('old texts go with the first one that is kept, unless they are to stay', async () => {
    const spill = join(cache, 'days');
    const flags = ['prepare', MENTION, '--max-bytes', '300', '--spill-dir', spill];
    const count = (): number => readdirSync(spill, { recursive: true }).length;
    const later = { now: () => Date.now() + 40 * 86_400_000 };
    await real(flags);
    expect(count()).toBe(2);
    await real([...flags, '--spill-keep-days', '0'], later);
    await real([...flags, '--spill-keep-days', '50'], later);
    expect(count()).toBe(4);
    await real([...flags, '--self', 'me'], later);
    expect(count()).toBeLessThan(4);
  });

  it('H-74: a place that others can write to is not used, and costs no message', async () => {
    const open = mkdtempSync(join(cache, 'open-'));
    chmodSync(open, 0o777);
    const argv = ['prepare', MENTION, '--max-bytes', '300', '--spill-dir', open];
    const { exit, stdout, stderr } = await real(argv);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).additionalContext.content[0].text).toContain('"reason":"save-failed"');
    expect(stderr).toMatch(/could not be kept \(.*writable for other users\)/);
    const none = await real(['prepare', MENTION, '--max-bytes', '300', '--no-spill']);
    expect([none.stderr, none.stdout.includes('storage-not-configured')]).toEqual(['', true]);
  });

  it('a batch is what the messages would be one by one', async () => {
    const plugin = '{ "source": {"kind":"plugin"},"content":[{"type":"text","text":"dsh-session:?"}] }';
    const input = [user('no mention'), user(`see ${MENTION}`), plugin, user(`again ${MENTION} ok`)];
    const asLines = ['prepare', '--messages', '-', '--format', 'ndjson'];
    const lines = await real(asLines, { stdin: Readable.from(input.join('\n')) });
    expect([lines.exit, lines.stderr]).toEqual([0, '']);
    const out = lines.stdout.split('\n').slice(0, -1);
    expect([out.length, out[0], out[3]]).toEqual([6, input[0], plugin]);
    const one = JSON.parse((await real(['prepare', `see ${MENTION}`])).stdout);
    expect(JSON.parse(out[1]!)).toEqual({ ...JSON.parse(input[1]!), content: one.content });
    expect(JSON.parse(out[2]!)).toEqual(one.additionalContext);
    expect(out[5]).toBe(out[2]);
    const array = await real(['prepare', '--messages', '-'], { stdin: Readable.from(`[${input.join()}]`) });
    expect(JSON.parse(array.stdout)).toEqual(out.map((row) => JSON.parse(row)));
  });

  it.each([
    [`see @[x](dsh-session:?)`, 3, 'SESSION_REFERENCE_INVALID_REFERENCE'],
    [`see @[x](dsh-session:Im5vYm9keSI)`, 4, 'SESSION_REFERENCE_READ_FAILED'],
  ])('a batch with %j fails whole, and says where', async (text, exit, code) => {
    const stdin = Readable.from([`${user(MENTION)}\n${user(text)}\n`]);
    const outcome = await real(['prepare', '--messages', '-'], { stdin });
    expect([outcome.exit, outcome.stdout]).toEqual([exit, '']);
    expect(errorLine(outcome.stderr)).toMatchObject({ code, sentence: expect.stringMatching(/^line 2: /) });
  });

  it('--strict fails a refresh that had to skip something', async () => {
    const root = mkdtempSync(join(cache, 'root-'));
    writeFileSync(join(root, 'session.jsonl'), '{"type":"session"');
    const argv = ['index', 'refresh', '--root', root, '--index-dir', join(cache, 'strict')];
    const openStore: Setup['openStore'] = async (options) => openSessionStore(options);
    expect((await cli(argv, { openStore })).exit).toBe(0);
    const outcome = await cli([...argv, '--strict'], { openStore });
    expect([outcome.exit, errorLine(outcome.stderr).code]).toEqual([4, 'DSH_REF_SKIPPED']);
    expect(readFileSync(join(root, 'session.jsonl'), 'utf8')).toBe('{"type":"session"');
  });
});
