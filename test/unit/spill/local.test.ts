import { chmod, lchown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLocalSpill } from '../../../src/spill/local.ts';
import { makeScratch, modeOf, request, tree } from './scratch.ts';

const OWNER = 'session-ca978112ca1b';
const onPosix = test.skipIf(process.platform === 'win32');
const asRoot = test.skipIf(process.geteuid?.() !== 0);
const fixedBytes = () => Uint8Array.of(0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6);

test('a text is stored whole under a name of its own, and the answer says where', async () => {
  const rootDir = join(await makeScratch(), 'deep', 'root');
  const saved = await openLocalSpill({ rootDir, keepDays: 0, randomBytes: fixedBytes }).saveText(
    request('a\r\n中😀'),
  );
  expect(Object.keys(saved)).toEqual(['locator', 'bytes', 'retrievalHint']);
  expect(saved.locator).toBe(join(rootDir, OWNER, 'a1b2c3d4e5f6-session-reference-1.txt'));
  expect(saved.bytes).toBe(10);
  expect(await readFile(saved.locator, 'utf8')).toBe('a\r\n中😀');
  expect(await tree(rootDir)).toEqual([OWNER, `${OWNER}/a1b2c3d4e5f6-session-reference-1.txt`]);
});

test('a lone surrogate is stored and counted as U+FFFD', async () => {
  const saved = await openLocalSpill({ rootDir: await makeScratch() }).saveText(request('x\ud800y'));
  expect(saved.bytes).toBe(5);
  expect(await readFile(saved.locator)).toEqual(Buffer.from('x\ufffdy'));
});

test('an empty and a large text', async () => {
  const spill = openLocalSpill({ rootDir: await makeScratch() });
  const large = '0123456789abcde\n'.repeat(300_000);
  expect(await readFile((await spill.saveText(request(''))).locator, 'utf8')).toBe('');
  const saved = await spill.saveText(request(large), { signal: new AbortController().signal });
  expect(saved.bytes).toBe(large.length);
  expect((await readFile(saved.locator, 'utf8')) === large).toBe(true);
});

test('parts, strings and bytes in turn, the memory of the bytes used again', async () => {
  const [bytes, others] = [Buffer.alloc(3), Buffer.alloc(3)];
  function* parts(): Generator<string | Uint8Array> {
    yield 'a😀';
    yield bytes.fill('b');
    yield others.fill('c').subarray(1);
    yield bytes.fill('f');
    yield others.fill('g');
    yield '';
    yield 'd';
    yield 'e'.repeat(600_000);
  }
  const spill = openLocalSpill({ rootDir: await makeScratch() });
  const saved = await spill.saveText({ ...request(''), content: parts });
  const text = `a😀bbbccfffgggd${'e'.repeat(600_000)}`;
  expect(saved.bytes).toBe(Buffer.byteLength(text));
  expect((await readFile(saved.locator, 'utf8')) === text).toBe(true);
});

onPosix('directories are 0700 and files 0600, made parents too', async () => {
  const scratch = await makeScratch();
  const { locator } = await openLocalSpill({ rootDir: join(scratch, 'deep', 'root') }).saveText(request('x'));
  expect(await modeOf(locator)).toBe(0o600);
  for (let path = dirname(locator); path !== scratch; path = dirname(path))
    expect(await modeOf(path)).toBe(0o700);
});

test('two saves of one name, also at the same time, make two files', async () => {
  const spill = openLocalSpill({ rootDir: await makeScratch() });
  const saved = await Promise.all(
    ['one', 'two', 'three'].map((text) => spill.saveText(request(text, 'same'))),
  );
  expect(new Set(saved.map((one) => one.locator)).size).toBe(3);
  expect(await Promise.all(saved.map((one) => readFile(one.locator, 'utf8')))).toEqual([
    'one',
    'two',
    'three',
  ]);
});

test.each(['../../evil', '/etc/passwd', '..', '.', '', 'a\0b', '\ud800'])(
  'suggestion %j stays inside',
  async (name) => {
    const rootDir = await makeScratch();
    const { locator } = await openLocalSpill({ rootDir, keepDays: 0 }).saveText(request('x', name));
    expect(dirname(locator)).toBe(join(rootDir, OWNER));
    expect(await readdir(dirname(locator))).toEqual([basename(locator)]);
    expect(basename(locator)).toMatch(/^[0-9a-f]{12}-[A-Za-z0-9._~-]+$/);
  },
);

test('a relative root is taken from the directory of the process', async () => {
  const rootDir = await makeScratch();
  const saved = await openLocalSpill({ rootDir: relative(process.cwd(), rootDir) }).saveText(request('x'));
  expect(isAbsolute(saved.locator) && saved.locator.startsWith(rootDir)).toBe(true);
});

describe('a place that is not private', () => {
  const rejects = async (rootDir: string, reason: unknown = expect.any(Error)) => {
    await expect(
      openLocalSpill({ rootDir, keepDays: 0, randomBytes: fixedBytes }).saveText(request('x')),
    ).rejects.toEqual(reason);
  };
  const reason = (text: string) =>
    expect.objectContaining({ message: expect.stringContaining(text) as string });

  test('the root is a file, or has one above it', async () => {
    const file = join(await makeScratch(), 'file');
    await writeFile(file, 'mine');
    await rejects(file);
    await rejects(join(file, 'root'));
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  onPosix('the session directory is a planted link', async () => {
    const rootDir = await makeScratch();
    const victim = await makeScratch();
    await symlink(victim, join(rootDir, OWNER));
    await rejects(rootDir, reason('not a directory of its own'));
    expect(await readdir(victim)).toEqual([]);
  });

  onPosix('the final name or the temporary one is a planted link', async () => {
    for (const planted of ['a1b2c3d4e5f6-session-reference-1.txt', '.a1b2c3d4e5f6.tmp']) {
      const rootDir = await makeScratch();
      const victim = join(await makeScratch(), 'victim');
      for (const target of [victim, 'nowhere']) {
        await writeFile(victim, 'mine');
        await mkdir(join(rootDir, OWNER), { recursive: true, mode: 0o700 });
        await symlink(target, join(rootDir, OWNER, planted));
        await rejects(rootDir, expect.objectContaining({ code: 'EEXIST' }));
        expect(await readFile(victim, 'utf8')).toBe('mine');
        expect(await readdir(join(rootDir, OWNER))).toEqual([planted]);
        await rm(join(rootDir, OWNER), { recursive: true });
      }
    }
  });

  onPosix('the root is a link that leads nowhere', async () => {
    const rootDir = join(await makeScratch(), 'link');
    await symlink('nowhere', rootDir);
    await rejects(rootDir);
  });

  onPosix('the root or the session directory is writable for group or others', async () => {
    for (const mode of [0o770, 0o707, 0o1777]) {
      const rootDir = await makeScratch();
      await chmod(rootDir, mode);
      await rejects(rootDir, reason('writable for other users'));
      await chmod(rootDir, 0o700);
      await mkdir(join(rootDir, OWNER));
      await chmod(join(rootDir, OWNER), mode);
      await rejects(rootDir, reason('writable for other users'));
      expect(await tree(rootDir)).toEqual([OWNER]);
    }
  });

  asRoot('the root, its link or the session directory belongs to somebody else', async () => {
    const rootDir = await makeScratch();
    const link = join(await makeScratch(), 'link');
    await symlink(rootDir, link);
    await lchown(link, 65534, 65534);
    await rejects(link, reason('not a directory of its own'));
    await mkdir(join(rootDir, OWNER), { mode: 0o700 });
    await lchown(join(rootDir, OWNER), 65534, 65534);
    await rejects(rootDir, reason('belongs to another user'));
    await lchown(rootDir, 65534, 65534);
    await rejects(rootDir, reason('belongs to another user'));
  });
});

onPosix('the root may be a link of our own', async () => {
  const rootDir = join(await makeScratch(), 'link');
  await symlink(await makeScratch(), rootDir);
  const { locator } = await openLocalSpill({ rootDir, keepDays: 0 }).saveText(request('x'));
  expect(locator.startsWith(rootDir)).toBe(true);
  expect((await stat(locator)).isFile()).toBe(true);
});

test('cancelled beforehand: nothing is made', async () => {
  const rootDir = join(await makeScratch(), 'root');
  const call = openLocalSpill({ rootDir, keepDays: 0 }).saveText(request('x'), {
    signal: AbortSignal.abort('enough'),
  });
  await expect(call).rejects.toMatchObject({ code: 'SESSION_REFERENCE_CANCELLED', cause: 'enough' });
  await expect(stat(rootDir)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a refused number of days names the setting', () => {
  for (const keepDays of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => openLocalSpill({ rootDir: 'unused', keepDays })).toThrow(
      expect.objectContaining({
        code: 'SESSION_REFERENCE_INVALID_CONFIG',
        message: expect.stringContaining('keepDays') as string,
      }),
    );
  }
});
