import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listCatalog } from '../../../src/catalog/catalog.ts';
import { plainLog } from '../../support/log-writer/container.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { keyOf, placeLog, writeRoot } from '../../support/log-writer/write-root.ts';

const cwd = '/home/ana/shop';

/** Ids found below the roots, and the skips as `kind path`, the first root taken off. */
async function listOf(...roots: string[]): Promise<{ ids: string[]; skips: string[] }> {
  const { entries, skips } = await listCatalog(roots, () => {});
  return {
    ids: entries.map(({ sessionId }) => sessionId).sort(),
    skips: skips.map(({ kind, path }) => `${kind} ${path.replace(`${roots[0]}/`, '')}`).sort(),
  };
}

const logOf = (id: string, header: Record<string, unknown> = {}) =>
  plainLog(new LogScript(4, { id, ...header }).lines);

function put(path: string, bytes: Uint8Array | string = ''): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

describe('the harness layout', () => {
  test('H-20: all formats, both encodings, projects and none', async () => {
    const root = scratch();
    const sessions = [0, 1, 2, 3, 4].flatMap((format) => [
      { id: `p${format}`, cwd, format: format as 0, encoding: 'plain' as const },
      { id: `z${format}`, cwd: format % 2 === 0 ? undefined : '/other', format: format as 0 },
    ]);
    writeRoot(root, { sessions });
    expect(await listOf(root)).toEqual({
      ids: ['p0', 'p1', 'p2', 'p3', 'p4', 'z0', 'z1', 'z2', 'z3', 'z4'],
      skips: [],
    });
  });

  test('what is not there is not a session', async () => {
    const root = scratch();
    expect(await listOf(root)).toEqual({ ids: [], skips: [] });
    expect(await listOf(join(root, 'nowhere'))).toEqual({ ids: [], skips: [] });
    expect(await listOf(join(root, 'x'.repeat(5000)))).toEqual({ ids: [], skips: [] });
    mkdirSync(join(root, keyOf(cwd), 'no-log'), { recursive: true });
    mkdirSync(join(root, '--empty--'));
    put(join(root, keyOf(cwd), 'other', 'notes.txt'));
    put(join(root, keyOf(cwd), 'other', 'session.lock'));
    put(join(root, keyOf(cwd), 'other', 'session.jsonl.0123456789ab.tmp'), logOf('other'));
    put(join(root, keyOf(cwd), 'deep', 'er', 'session.v4.jsonl'), logOf('er'));
    expect(await listOf(root)).toEqual({ ids: [], skips: [] });
  });

  test('loose logs in a project directory are strays, other files are nothing', async () => {
    const root = scratch();
    writeRoot(root, { sessions: [{ id: 'good', cwd }] });
    put(join(root, keyOf(cwd), 'flat.jsonl'), logOf('flat'));
    put(join(root, keyOf(cwd), 'flat.jsonl.zstd'), 'x');
    put(join(root, keyOf(cwd), 'notes.txt'));
    const project = keyOf(cwd);
    expect(await listOf(root)).toEqual({
      ids: ['good'],
      skips: [`stray ${project}/flat.jsonl`, `stray ${project}/flat.jsonl.zstd`],
    });
  });

  test('links to directories are not followed, at either level', async () => {
    const [root, other] = [scratch(), scratch()];
    const [path] = writeRoot(other, { sessions: [{ id: 'linked', cwd }] });
    mkdirSync(join(root, keyOf(cwd)));
    symlinkSync(join(path!, '..'), join(root, keyOf(cwd), 'linked'));
    symlinkSync(join(path!, '../..'), join(root, '--linked--'));
    const skips = [`stray ${keyOf(cwd)}/linked`, 'stray --linked--'].sort();
    expect(await listOf(root)).toEqual({ ids: [], skips });
  });

  test('H-33: link loops end', async () => {
    const root = scratch();
    mkdirSync(join(root, keyOf(cwd), 'a'), { recursive: true });
    symlinkSync('.', join(root, keyOf(cwd), 'loop'));
    symlinkSync('session.v4.jsonl', join(root, keyOf(cwd), 'a', 'session.v4.jsonl'));
    symlinkSync('..', join(root, 'up'));
    symlinkSync('self', join(root, 'self'));
    mkdirSync(join(root, 'pile'));
    symlinkSync('..', join(root, 'pile', 'up'));
    symlinkSync('.', join(root, 'pile', 'here.jsonl'));
    const { ids, skips } = await listOf(root);
    expect(ids).toEqual([]);
    expect(skips).toEqual([
      'not-a-file pile/here.jsonl',
      `stray ${keyOf(cwd)}/loop`,
      `unreadable ${keyOf(cwd)}/a/session.v4.jsonl`,
    ]);
    await expect(listOf(join(root, 'self'))).rejects.toMatchObject({ code: 'SESSION_ROOT_UNREADABLE' });
  });

  test('several generations: the highest is the session', async () => {
    const root = scratch();
    const [path] = writeRoot(root, { sessions: [{ id: 'up', cwd, format: 4, olderFormats: [0, 2, 3] }] });
    const { entries } = await listCatalog([root], () => {});
    expect(entries.map(({ log }) => log.path)).toEqual([path]);
    placeLog(root, { id: 'up', cwd, name: 'session.v10.jsonl', bytes: 'whatever' });
    expect(await listOf(root)).toEqual({
      ids: [],
      skips: [`unsupported ${keyOf(cwd)}/up/session.v10.jsonl`],
    });
  });
});

describe('roots', () => {
  test('a root that is a file, or below one, is an error', async () => {
    const root = scratch();
    const file = put(join(root, 'file.jsonl'), logOf('x'));
    await expect(listOf(file)).rejects.toMatchObject({
      code: 'SESSION_ROOT_NOT_DIRECTORY',
      kind: 'root-not-directory',
    });
    await expect(listOf(join(file, 'below'))).rejects.toMatchObject({ code: 'SESSION_ROOT_NOT_DIRECTORY' });
  });

  test.each(['{a,b}', '(x)', '[abc]', 'a*', '!no', 'with space', '日本', '**', 'a\\b', "it's"])(
    'named %s',
    async (name) => {
      const root = join(scratch(), name);
      writeRoot(root, { sessions: [{ id: 'inside', cwd }] });
      put(join(root, 'pile', 'some.jsonl'), logOf('piled'));
      expect(await listOf(root)).toEqual({ ids: ['inside', 'piled'], skips: [] });
    },
  );

  test('a root that is itself a project directory', async () => {
    const root = scratch();
    writeRoot(root, {
      sessions: [
        { id: 'a', cwd },
        { id: 'b', cwd: undefined },
      ],
    });
    expect(await listOf(join(root, keyOf(cwd)))).toEqual({ ids: ['a'], skips: [] });
    expect(await listOf(join(root, '_no-cwd'))).toEqual({ ids: ['b'], skips: [] });
  });

  test('reached twice, through links, or inside one another, count once', async () => {
    const root = scratch();
    writeRoot(root, { sessions: [{ id: 'a', cwd }] });
    put(join(root, keyOf(cwd), 'flat.jsonl'));
    put(join(root, 'pile', 'p.jsonl'), logOf('p'));
    const link = join(scratch(), 'link');
    symlinkSync(root, link);
    const once = await listOf(root);
    expect(once).toEqual({ ids: ['a', 'p'], skips: [`stray ${keyOf(cwd)}/flat.jsonl`] });
    for (const others of [[root], [link], [`${root}/.`], [join(root, keyOf(cwd))], [join(root, 'pile')]]) {
      expect(await listOf(root, ...others)).toEqual(once);
    }
  });

  test('a link to a log is a log', async () => {
    const root = scratch();
    const path = put(join(root, 'elsewhere', 'x.jsonl'), logOf('s'));
    const place = join(root, 'store', keyOf(cwd), 's');
    mkdirSync(place, { recursive: true });
    symlinkSync(path, join(place, 'session.v4.jsonl'));
    expect(await listOf(join(root, 'store'))).toEqual({ ids: ['s'], skips: [] });
  });
});
