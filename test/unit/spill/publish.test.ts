import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLocalSpill } from '../../../src/spill/local.ts';
import { makeScratch, request, tree } from './scratch.ts';

vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof fs>();
  const { openSync, linkSync, mkdirSync, write } = real;
  return {
    ...real,
    openSync: vi.fn(openSync),
    linkSync: vi.fn(linkSync),
    mkdirSync: vi.fn(mkdirSync),
    write: vi.fn(write),
  };
});

const OWNER = 'session-ca978112ca1b';
const systemError = (code: string) => Object.assign(new Error(code), { code });

let rootDir: string;
beforeEach(async () => {
  rootDir = await makeScratch();
});
afterEach(() => {
  vi.clearAllMocks();
});

type Write = (
  file: number,
  bytes: Uint8Array,
  start: number,
  length: number,
  position: null,
  done: (error: Error | null, written: number) => void,
) => void;
const mockedWrite = vi.mocked(fs.write as unknown as Write);

/** The next write writes half of its bytes and then does this. */
function halfway(then: () => Promise<void> | void): void {
  mockedWrite.mockImplementationOnce((file, bytes, start, length, _position, done) => {
    const written = fs.writeSync(file, bytes, start, Math.ceil(length / 2));
    void (async () => then())().then(
      () => done(null, written),
      (error: Error) => done(error, 0),
    );
  });
}

test('a full disk half-way: the error comes through and nothing stays', async () => {
  halfway(() => {
    throw systemError('ENOSPC');
  });
  await expect(openLocalSpill({ rootDir, keepDays: 0 }).saveText(request('text'))).rejects.toMatchObject({
    code: 'ENOSPC',
  });
  expect(await tree(rootDir)).toEqual([OWNER]);
});

test('while it is written, no reader takes it for a text', async () => {
  let seen: string[] = [];
  halfway(async () => {
    seen = await readdir(join(rootDir, OWNER));
  });
  await openLocalSpill({ rootDir, keepDays: 0 }).saveText(request('text'));
  expect(seen).toEqual([expect.stringMatching(/^\.[0-9a-f]{12}\.tmp$/)]);
});

test('cancelled half-way: nothing is published and nothing stays', async () => {
  const controller = new AbortController();
  halfway(() => controller.abort('enough'));
  const call = openLocalSpill({ rootDir, keepDays: 0 }).saveText(request('text'), {
    signal: controller.signal,
  });
  await expect(call).rejects.toMatchObject({ code: 'SESSION_REFERENCE_CANCELLED', cause: 'enough' });
  expect(await tree(rootDir)).toEqual([OWNER]);
});

test.each(['EPERM', 'ENOTSUP', 'ENOSYS'])(
  'without hard links (%s) it is renamed, never over another',
  async (code) => {
    const randomBytes = () => new Uint8Array(6);
    const spill = openLocalSpill({ rootDir, keepDays: 0, randomBytes });
    const refuse = () => {
      throw systemError(code);
    };
    vi.mocked(fs.linkSync).mockImplementationOnce(refuse).mockImplementationOnce(refuse);
    const { locator } = await spill.saveText(request('first'));
    await expect(spill.saveText(request('second'))).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(locator, 'utf8')).toBe('first');
    expect(await tree(rootDir)).toEqual([OWNER, `${OWNER}/000000000000-session-reference-1.txt`]);
  },
);

test('any other failure to publish removes the temporary file', async () => {
  vi.mocked(fs.linkSync).mockImplementationOnce(() => {
    throw systemError('EIO');
  });
  await expect(openLocalSpill({ rootDir, keepDays: 0 }).saveText(request('x'))).rejects.toMatchObject({
    code: 'EIO',
  });
  expect(await tree(rootDir)).toEqual([OWNER]);
});

test('a session directory that another cleanup takes is made again, and the name stays', async () => {
  const session = join(rootDir, OWNER);
  const { mkdirSync } = await vi.importActual<typeof fs>('node:fs');
  // Once between making it and checking it, once while the file is written.
  vi.mocked(fs.mkdirSync).mockImplementationOnce(mkdirSync).mockReturnValueOnce(undefined);
  halfway(() => rm(session, { recursive: true }));
  let draws = 0;
  const randomBytes = (size: number) => new Uint8Array(size).fill(++draws);
  const { locator } = await openLocalSpill({ rootDir, keepDays: 0, randomBytes }).saveText(request('text'));
  expect(locator).toBe(join(session, '010101010101-session-reference-1.txt'));
  expect(await readFile(locator, 'utf8')).toBe('text');
});

test('a directory that never stays is given up', async () => {
  vi.mocked(fs.openSync).mockImplementation(() => {
    throw systemError('ENOENT');
  });
  await expect(openLocalSpill({ rootDir, keepDays: 0 }).saveText(request('x'))).rejects.toMatchObject({
    code: 'ENOENT',
  });
  vi.mocked(fs.openSync).mockReset();
});

test.skipIf(process.platform === 'win32').each(['write', 'publish'])('killed during %s', async (moment) => {
  const child = join(import.meta.dirname, 'killed-writer.ts');
  const { signal } = spawnSync(process.execPath, ['--import', 'tsx', child, rootDir, moment], {
    stdio: 'inherit',
  });
  expect(signal).toBe('SIGKILL');
  const [temporary, ...published] = await readdir(join(rootDir, OWNER)).then((names) => names.sort());
  expect(temporary).toMatch(/^\.[0-9a-f]{12}\.tmp$/);
  // What has its name is complete.
  const texts = published.map((name) => readFile(join(rootDir, OWNER, name), 'utf8'));
  expect(await Promise.all(texts)).toEqual(moment === 'write' ? [] : ['text']);

  const monthLater = Date.now() + 31 * 86_400_000;
  await openLocalSpill({ rootDir, clock: () => monthLater }).close();
  expect(await tree(rootDir)).toEqual([]);
});
