import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSessionStore } from '../../../src/store.ts';
import { cli, errorLine, Sink } from './support.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/logs/basic-zstd');
let directory: string;
let root: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dsh-ref-index-'));
  root = join(directory, 'root');
  mkdirSync(root);
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('where the index lies', () => {
  const list = (flags: string[], env: Record<string, string | undefined> = {}) =>
    cli(['candidates', '--root', root, '-v', ...flags], { env });

  it.each([
    [{}, '/home/me/.cache/dsh-ref/index'],
    [{ XDG_CACHE_HOME: '/xdg' }, '/xdg/dsh-ref/index'],
    [{ DSH_REF_INDEX_DIR: '/env' }, '/env'],
    [{ DSH_REF_INDEX_DIR: ' ' }, '/home/me/.cache/dsh-ref/index'],
    [{ DSH_REF_INDEX_DIR: 'env/../x' }, '/work/here/x'],
    [{ DSH_REF_INDEX: 'on' }, '/home/me/.cache/dsh-ref/index'],
  ])('%j is %s', async (env, indexDir) => {
    expect((await list([], env)).asked.store).toEqual({ roots: [root], indexDir });
  });

  it('--index-dir beats the environment, before and after the command', async () => {
    const env = { DSH_REF_INDEX_DIR: '/env' };
    expect((await list(['--index-dir', '/x'], env)).asked.store).toMatchObject({ indexDir: '/x' });
    const before = await cli(['--index-dir', 'y', 'candidates'], { env });
    expect(before.asked.store).toMatchObject({ indexDir: '/work/here/y' });
  });

  it.each([
    [['--no-index'], {}, '--no-index was given'],
    [[], { DSH_REF_INDEX: 'off' }, 'DSH_REF_INDEX turns it off'],
    [[], { DSH_REF_INDEX: ' OFF ' }, 'DSH_REF_INDEX turns it off'],
  ])('%j with %j turns it off', async (flags, env, why) => {
    const { asked, stderr } = await list(flags, env);
    expect(asked.store).toEqual({ roots: [root], index: false });
    expect(stderr).toContain(`no index is kept: ${why}\n`);
  });

  it('--no-index counts before the command too; --index beats DSH_REF_INDEX', async () => {
    expect((await cli(['--no-index', 'candidates'])).asked.store?.index).toBe(false);
    const { asked } = await list(['--index'], { DSH_REF_INDEX: 'off' });
    expect(asked.store?.indexDir).toBeDefined();
  });

  it('H-36: is never inside a root, however it is spelled', async () => {
    symlinkSync(root, join(directory, 'link'));
    for (const inside of [root, join(root, 'a/b'), join(root, '../root/x'), join(directory, 'link/x')]) {
      const { asked, stderr } = await cli(['candidates', '--root', root, '--index-dir', inside]);
      expect(asked.store).toEqual({ roots: [root], index: false });
      expect(stderr).toContain(`lies inside the root ${JSON.stringify(root)}, where nothing is written`);
    }
    const { asked } = await list(['--index-dir', `${root}-beside`]);
    expect(asked.store?.indexDir).toBe(`${root}-beside`);
  });

  it('the default place inside a root is told under -v only', async () => {
    const env = { XDG_CACHE_HOME: join(root, 'cache') };
    expect((await list([], env)).stderr).toContain('lies inside the root');
    const quiet = await cli(['candidates', '--root', root], { env });
    expect(quiet.asked.store?.index).toBe(false);
    expect(quiet.stderr).not.toContain('lies inside');
  });
});

describe('index', () => {
  const run = (command: string, ...flags: string[]) =>
    cli(['index', command, '--root', FIXTURES, ...flags], { openStore: async (o) => openSessionStore(o) });
  const at = (name: string) => ['--index-dir', join(directory, name)];

  it('status tells what there is, as JSON or for people', async () => {
    const before = JSON.parse((await run('status', ...at('a'))).stdout);
    expect(before).toEqual({
      schemaVersion: 1,
      directory: join(directory, 'a'),
      enabled: true,
      reason: null,
      files: 0,
      bytes: 0,
      sessions: 0,
    });
    await run('refresh', ...at('a'));
    expect(JSON.parse((await run('status', ...at('a'))).stdout)).toMatchObject({ files: 4, sessions: 10 });
    const { stdout } = await cli(['index', 'status', '--root', FIXTURES, ...at('a')], {
      stdout: new Sink({ isTTY: true }),
    });
    expect(stdout).toMatch(/^directory: .*\/a\nin use: yes\nfiles: 4 \(\d+ bytes\)\nsessions known: 10\n$/);
  });

  it('status says why it is off', async () => {
    const off = JSON.parse((await run('status', '--no-index', ...at('a'))).stdout);
    expect(off).toMatchObject({ enabled: false, reason: '--no-index was given' });
    const inside = JSON.parse((await run('status', '--index-dir', join(FIXTURES, 'x'))).stdout);
    expect(inside).toMatchObject({ enabled: false, reason: expect.stringContaining('lies inside the root') });
  });

  it('H-37: a list is the same before, with and without the index', async () => {
    const list = async (...flags: string[]): Promise<string> =>
      (
        await cli(['candidates', '--root', FIXTURES, '--json', ...flags], {
          openStore: async (o) => openSessionStore(o),
        })
      ).stdout;
    const cold = await list('--no-index');
    expect(JSON.parse(cold).candidates).toHaveLength(10);
    expect(await list(...at('b'))).toBe(cold);
    expect(readdirSync(join(directory, 'b'))).toHaveLength(4);
    expect(await list(...at('b'))).toBe(cold);
  });

  it('refresh reads all, tells counts, and refuses where there is none', async () => {
    const { stdout, stderr } = await run('refresh', ...at('c'));
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ read: 10, unreadable: 0, skipped: 0, files: 4, sessions: 10 });
    const off = await run('refresh', '--no-index');
    expect([off.exit, off.stdout, errorLine(off.stderr).code]).toEqual([2, '', 'DSH_REF_USAGE']);
    expect(off.stderr).toContain('--no-index was given; leave it out');
    const inside = await run('refresh', '--index-dir', join(FIXTURES, 'x'));
    expect(inside.stderr).toContain('name another place with --index-dir');
    const unset = await cli(['index', 'refresh', ...at('c')], { env: { DSH_REF_INDEX: 'off' } });
    expect(unset.stderr).toContain('unset DSH_REF_INDEX');
  });

  it('refresh says so when nothing could be written', async () => {
    mkdirSync(join(directory, 'shared'));
    chmodSync(join(directory, 'shared'), 0o777);
    const { exit, stdout, stderr } = await run('refresh', ...at('shared'));
    expect([exit, JSON.parse(stdout).sessions]).toEqual([0, 0]);
    expect(stderr).toContain('nothing could be written');
  });

  it('clear removes what is ours, and nothing else', async () => {
    await run('refresh', ...at('d'));
    writeFileSync(join(directory, 'd', 'notes.json'), '{}');
    const { stdout } = await run('clear', '--no-index', ...at('d'));
    expect(JSON.parse(stdout)).toMatchObject({ removed: 4 });
    expect(readdirSync(join(directory, 'd'))).toEqual(['notes.json']);
    expect(JSON.parse((await run('clear', ...at('d'))).stdout)).toMatchObject({ removed: 0, bytes: 0 });
    expect((await run('clear', '--index-dir', FIXTURES)).exit).toBe(2);
  });

  it('a directory in the place of a file is not ours: neither counted nor removed', async () => {
    await run('refresh', ...at('f'));
    const [first] = readdirSync(join(directory, 'f'));
    rmSync(join(directory, 'f', first!));
    mkdirSync(join(directory, 'f', first!));
    expect(JSON.parse((await run('status', ...at('f'))).stdout).files).toBe(3);
    expect(JSON.parse((await run('clear', ...at('f'))).stdout)).toMatchObject({ removed: 3 });
    expect(readdirSync(join(directory, 'f'))).toEqual([first]);
  });

  it('a damaged file knows no session', async () => {
    await run('refresh', ...at('e'));
    const [first] = readdirSync(join(directory, 'e'));
    writeFileSync(join(directory, 'e', first!), '{"parent":"x"');
    const { files, sessions } = JSON.parse((await run('status', ...at('e'))).stdout);
    expect(files).toBe(4);
    expect(sessions).toBeLessThan(10);
  });
});
