import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findSession, listCatalog } from '../../../src/catalog/catalog.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { keyOf, logName, placeLog, writeLog, writeRoot } from '../../support/log-writer/write-root.ts';

const cwd = '/home/ana/shop';
const find = (root: string, id: string) => findSession([root], id, () => {});
const kindsOf = async (root: string) =>
  (await listCatalog([root], () => {})).skips.map(({ kind }) => kind).sort();

describe('looking up one id', () => {
  test.each([
    'a/b',
    '..',
    '.',
    '...',
    '\0',
    'CON',
    'nul.txt',
    '../../etc/passwd',
    '/',
    '*',
    '~002E',
    'é',
    '\ud800',
    ' ',
    '-',
    '--x--',
  ])('H-44: the id %j is found where it lies', async (id) => {
    const root = scratch();
    const [path] = writeRoot(root, {
      sessions: [
        { id, cwd },
        { id: 'other', cwd },
      ],
    });
    expect(await find(root, id)).toMatchObject({ sessionId: id, log: { path } });
  });

  test.each([
    '',
    '..',
    '.',
    '/',
    '../x',
    '\0',
    '*',
    's',
    'S-1',
    's-1/',
    's-1*',
    ' s-1',
    'no-cwd',
    's'.repeat(1_000_000),
    '\0'.repeat(300),
  ])(
    'H-44: an id that nobody has is not found, and nothing outside the root is looked at (%#)',
    async (id) => {
      const root = join(scratch(), 'root');
      writeRoot(root, { sessions: [{ id: 's-1', cwd }] });
      writeFileSync(join(root, '..', 'session.v4.jsonl'), 'x');
      await expect(find(root, id)).rejects.toMatchObject({
        code: 'SESSION_LOG_NOT_FOUND',
        kind: 'not-found',
      });
    },
  );

  test('the message of an absurdly long id is short', async () => {
    await expect(find(scratch(), 'x'.repeat(1_000_000))).rejects.toThrow(/^.{0,600}$/);
  });

  test('a link in place of a session directory is not followed, as in the listing', async () => {
    const [root, other] = [scratch(), scratch()];
    const [path] = writeRoot(other, { sessions: [{ id: 'linked', cwd }] });
    mkdirSync(join(root, keyOf(cwd)));
    symlinkSync(dirname(path!), join(root, keyOf(cwd), 'linked'));
    expect((await listCatalog([root], () => {})).entries).toEqual([]);
    await expect(find(root, 'linked')).rejects.toMatchObject({ name: 'SessionLogError' });
  });
});

describe('what is wrong with a session has its own kind (H-22)', () => {
  const lines = (id: string, header = {}) => new LogScript(4, { id, cwd, ...header }).lines;

  test('an empty log, a damaged one, a newer one, one of the wrong number', async () => {
    const root = scratch();
    const place = (id: string, name: string, bytes: string) => placeLog(root, { id, cwd, name, bytes });
    place('empty', 'session.v4.jsonl', '');
    place('no-lf', 'session.v4.jsonl', '{"type":"session"');
    place('empty-zstd', 'session.v4.jsonl.zstd', '');
    place('corrupt', 'session.v4.jsonl', 'x\n');
    place('newer', 'session.v12.jsonl', 'x\n');
    place('newer-inside', 'session.v4.jsonl', '{"type":"session","version":7}\n');
    place('number', 'session.v3.jsonl', `${lines('number')[0]}\n`);
    const due = {
      empty: 'EMPTY',
      'no-lf': 'EMPTY',
      'empty-zstd': 'EMPTY',
      corrupt: 'CORRUPT',
      newer: 'UNSUPPORTED',
      'newer-inside': 'UNSUPPORTED',
      number: 'CORRUPT',
      absent: 'NOT_FOUND',
    };
    for (const [id, code] of Object.entries(due)) {
      await expect(find(root, id), id).rejects.toMatchObject({ code: `SESSION_LOG_${code}` });
    }
    expect(await kindsOf(root)).toEqual([
      'corrupt',
      'corrupt',
      'empty',
      'empty',
      'empty',
      'unsupported',
      'unsupported',
    ]);
  });

  test('H-21: an older generation is never used instead', async () => {
    for (const name of ['session.v4.jsonl', 'session.v5.jsonl', 'session.v4.jsonl.zstd']) {
      const root = scratch();
      writeRoot(root, { sessions: [{ id: 's', cwd, format: 3, encoding: 'plain' }] });
      placeLog(root, { id: 's', cwd, name, bytes: 'damaged\n' });
      await expect(find(root, 's')).rejects.toMatchObject({
        kind: name.includes('v5') ? 'unsupported' : 'corrupt',
      });
    }
  });

  test('identity: the header must produce the place it lies in', async () => {
    const root = scratch();
    const wrong = (id: string, header: Record<string, unknown>) =>
      writeLog(root, { id, cwd, format: 4, lines: new LogScript(4, { id, cwd, ...header }).lines });
    wrong('moved', { cwd: '/elsewhere' });
    wrong('nowhere', { cwd: undefined });
    wrong('renamed', { id: 'another' });
    wrong('good', {});
    for (const id of ['moved', 'nowhere', 'renamed']) {
      await expect(find(root, id), id).rejects.toMatchObject({ code: 'SESSION_LOG_MISMATCH' });
    }
    await expect(find(root, 'another')).rejects.toMatchObject({ code: 'SESSION_LOG_NOT_FOUND' });
    expect((await find(root, 'good')).sessionId).toBe('good');
    expect(await kindsOf(root)).toEqual(['mismatch', 'mismatch', 'mismatch']);
  });

  test('a directory that no id has is a mismatch', async () => {
    const root = scratch();
    const path = writeLog(root, { id: 'a', cwd, format: 4, lines: lines('a b') });
    renameSync(dirname(path), join(dirname(path), '..', 'a b'));
    expect(await kindsOf(root)).toEqual(['mismatch']);
    await expect(find(root, 'a b')).rejects.toMatchObject({ kind: 'not-found' });
  });

  test('one id in two projects, or in two roots: neither is the session', async () => {
    const [root, other] = [scratch(), scratch()];
    writeRoot(root, {
      sessions: [
        { id: 'twin', cwd: '/a' },
        { id: 'twin', cwd: '/b' },
        { id: 'single', cwd: '/b' },
      ],
    });
    writeRoot(other, { sessions: [{ id: 'single', cwd: '/c' }] });
    await expect(find(root, 'twin')).rejects.toMatchObject({ code: 'SESSION_LOG_AMBIGUOUS' });
    expect(await kindsOf(root)).toEqual(['ambiguous', 'ambiguous']);
    expect((await find(root, 'single')).sessionId).toBe('single');
    await expect(findSession([root, other], 'single', () => {})).rejects.toMatchObject({ kind: 'ambiguous' });
  });
});

/** Opens the FIFOs after a while, so that a reader that waits for a writer fails its test and does not hang it. */
function openLater(...paths: string[]): void {
  const script = 'sleep 2; for path in "$@"; do sleep 9 <>"$path" & done; wait';
  const opener = spawn('sh', ['-c', script, 'sh', ...paths], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void process.kill(-opener.pid!, 'SIGKILL'));
}

describe('H-33: what stands in place of a log', () => {
  async function quickly<T>(run: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await run();
    expect(performance.now() - start).toBeLessThan(1000);
    return result;
  }

  test.each(['fifo', 'socket', 'directory', 'device'])('a %s ends at once, with a reason', async (what) => {
    const root = scratch();
    for (const name of [logName(4, 'plain'), logName(4, 'zstd')]) {
      const path = placeLog(root, { id: `${what}${name.length}`, cwd, name, bytes: '' });
      rmSync(path);
      if (what === 'fifo') {
        execFileSync('mkfifo', [path]);
        openLater(path);
      }
      if (what === 'directory') mkdirSync(path);
      if (what === 'device') symlinkSync('/dev/zero', path);
      if (what === 'socket') {
        const server = createServer();
        onTestFinished(() => void server.close());
        await new Promise<void>((done) => server.listen(path, done));
      }
    }
    const { skips } = await quickly(() => listCatalog([root], () => {}));
    expect(skips.map(({ kind }) => kind)).toEqual(['not-a-file', 'not-a-file']);
    await quickly(() =>
      expect(find(root, skips[0]!.sessionId!)).rejects.toMatchObject({ kind: 'not-a-file' }),
    );
  });

  test('a FIFO in a pile too', async () => {
    const root = scratch();
    execFileSync('mkfifo', [join(root, 'pipe.jsonl')]);
    openLater(join(root, 'pipe.jsonl'));
    const { skips } = await quickly(() => listCatalog([root], () => {}));
    expect(skips.map(({ kind }) => kind)).toEqual(['not-a-file']);
  });
});

describe('links', () => {
  test('one of the same name in another project spoils no session, for neither listing nor look-up', async () => {
    const root = scratch();
    const [path] = writeRoot(root, { sessions: [{ id: 'a', cwd: '/a' }] });
    mkdirSync(join(root, keyOf('/z')));
    symlinkSync(dirname(path!), join(root, keyOf('/z'), 'a'));
    expect((await find(root, 'a')).sessionId).toBe('a');
    const { entries, skips } = await listCatalog([root], () => {});
    expect([entries.length, skips.map(({ kind }) => kind)]).toEqual([1, ['stray']]);
  });

  test('one that leads nowhere in place of the newest log is named, and no older log stands in', async () => {
    const root = scratch();
    const [path] = writeRoot(root, { sessions: [{ id: 'a', cwd, format: 0 }] });
    symlinkSync('/nowhere/at/all', join(dirname(path!), logName(4, 'plain')));
    symlinkSync('/nowhere/at/all', join(root, 'loose.jsonl'));
    const { entries, skips } = await listCatalog([root], () => {});
    expect(entries).toEqual([]);
    expect(skips.map(({ kind, sessionId }) => [kind, sessionId])).toEqual([
      ['unreadable', 'a'],
      ['unreadable', undefined],
    ]);
    await expect(find(root, 'a')).rejects.toMatchObject({ kind: 'unreadable' });
  });
});

describe('a living store', () => {
  test('H-31: a session that vanishes while listing is dropped, and nothing else happens', async () => {
    const root = scratch();
    const paths = writeRoot(root, { sessions: ['a', 'b', 'c', 'd'].map((id) => ({ id, cwd })) });
    let steps = 0;
    // The step between the directories and the logs, and one in the midst of the logs.
    const vanish = () => {
      steps += 1;
      if (steps === 3) rmSync(dirname(paths[0]!), { recursive: true });
      if (steps === 6) rmSync(paths[3]!);
    };
    const { entries, skips } = await listCatalog([root], vanish);
    expect(entries.map(({ sessionId }) => sessionId)).toEqual(['b', 'c']);
    expect(skips).toEqual([]);
  });

  test('H-32: a project directory that cannot be listed is a named skip', async (context) => {
    if (process.getuid?.() === 0) context.skip('root may list everything: permissions cannot be taken away');
    const root = scratch();
    writeRoot(root, {
      sessions: [
        { id: 'a', cwd: '/a' },
        { id: 'b', cwd: '/b' },
      ],
    });
    execFileSync('chmod', ['000', join(root, keyOf('/a'))]);
    onTestFinished(() => void execFileSync('chmod', ['700', join(root, keyOf('/a'))]));
    const { entries, skips } = await listCatalog([root], () => {});
    expect(entries.map(({ sessionId }) => sessionId)).toEqual(['b']);
    expect(skips).toMatchObject([{ kind: 'unreadable', path: join(root, keyOf('/a')) }]);
    expect((await find(root, 'b')).sessionId).toBe('b');
    const message = expect.stringMatching(/no session "a".*cannot be looked into/);
    await expect(find(root, 'a')).rejects.toMatchObject({ code: 'SESSION_LOG_NOT_FOUND', message });
  });
});
