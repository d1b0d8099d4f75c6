import { execFileSync } from 'node:child_process';
import { chmod, lchown, mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLocalSpill } from '../../../src/spill/local.ts';
import { type SpillWarning, type SweepOptions, sweepSpill } from '../../../src/spill/sweep.ts';
import { makeScratch, request, tree } from './scratch.ts';

const NOW_MS = Date.UTC(2026, 8, 1);
const DAY_MS = 86_400_000;
const SESSION = 'session-0123456789ab';
const onPosix = test.skipIf(process.platform === 'win32');
const asRoot = test.skipIf(process.geteuid?.() !== 0);

async function put(root: string, name: string, ageMs: number): Promise<string> {
  const path = join(root, name);
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await writeFile(path, 'x');
  const time = new Date(NOW_MS - ageMs);
  await utimes(path, time, time);
  return path;
}

async function sweep(rootDir: string, options: Partial<SweepOptions> = {}): Promise<SpillWarning[]> {
  const warnings: SpillWarning[] = [];
  await sweepSpill({ rootDir, nowMs: NOW_MS, onWarning: (warning) => warnings.push(warning), ...options });
  return warnings;
}

test('only what is strictly older goes; 30 days by default', async () => {
  const root = await makeScratch();
  await put(root, `${SESSION}/older`, 30 * DAY_MS + 1000);
  await put(root, `${SESSION}/exact`, 30 * DAY_MS);
  await put(root, `${SESSION}/newer`, 30 * DAY_MS - 1000);
  await put(root, `${SESSION}/.0123456789ab.tmp`, 31 * DAY_MS);
  expect(await sweep(root)).toEqual([]);
  expect(await tree(root)).toEqual([SESSION, `${SESSION}/exact`, `${SESSION}/newer`]);
  expect(await sweep(root, { keepDays: 29 })).toEqual([]);
  expect(await tree(root)).toEqual([]);
});

test('0 days keeps everything', async () => {
  const root = await makeScratch();
  await put(root, `${SESSION}/old`, 9999 * DAY_MS);
  await sweep(root, { keepDays: 0 });
  expect(await tree(root)).toHaveLength(2);
});

test('only directories named like a session are entered; the root stays', async () => {
  const root = await makeScratch();
  const foreign = ['session-0123456789AB', 'session-0123', `${SESSION}0`, 'other'];
  for (const name of foreign) await put(root, `${name}/old`, 99 * DAY_MS);
  await put(root, 'old', 99 * DAY_MS);
  await put(root, `${SESSION}/sub/old`, 99 * DAY_MS);
  await mkdir(join(root, 'session-aaaaaaaaaaaa'), { mode: 0o700 });
  expect(await sweep(root)).toEqual([]);
  const kept = [...foreign.flatMap((name) => [name, `${name}/old`]), 'old'];
  expect(await tree(root)).toEqual([...kept, SESSION, `${SESSION}/sub`, `${SESSION}/sub/old`].sort());
});

onPosix('links and special files stay and are not followed', async () => {
  const root = await makeScratch();
  const elsewhere = await makeScratch();
  const victim = await put(elsewhere, 'victim', 99 * DAY_MS);
  await put(elsewhere, `${SESSION}/old`, 99 * DAY_MS);
  await put(root, `${SESSION}/old`, 99 * DAY_MS);
  await symlink(victim, join(root, SESSION, 'link'));
  await symlink(join(elsewhere, SESSION), join(root, 'session-bbbbbbbbbbbb'));
  execFileSync('mkfifo', [join(root, SESSION, 'pipe')]);
  expect(await sweep(root)).toEqual([]);
  expect(await tree(join(root, SESSION))).toEqual(['link', 'pipe']);
  expect(await tree(elsewhere)).toEqual([SESSION, `${SESSION}/old`, 'victim']);
});

onPosix('the root may be given through a link, which stays', async () => {
  const root = await makeScratch();
  const link = join(await makeScratch(), 'link');
  await symlink(root, link);
  await put(root, `${SESSION}/old`, 99 * DAY_MS);
  expect(await sweep(link)).toEqual([]);
  expect(await tree(link)).toEqual([]);
});

test('a root that does not exist is nothing to do; one that is a file is one warning', async () => {
  const root = await makeScratch();
  expect(await sweep(join(root, 'missing'))).toEqual([]);
  const file = await put(root, 'file', 0);
  expect(await sweep(file)).toEqual([
    { path: file, message: expect.stringContaining('not a directory') as string },
  ]);
});

onPosix('what others can write to is left alone, with one warning, and the rest goes on', async () => {
  const root = await makeScratch();
  await put(root, `${SESSION}/old`, 99 * DAY_MS);
  await put(root, 'session-ffffffffffff/old', 99 * DAY_MS);
  await chmod(join(root, SESSION), 0o770);
  expect(await sweep(root)).toEqual([
    { path: join(root, SESSION), message: expect.stringContaining('writable') as string },
  ]);
  expect(await tree(root)).toEqual([SESSION, `${SESSION}/old`]);
  await chmod(root, 0o777);
  expect(await sweep(root)).toHaveLength(1);
  expect(await tree(root)).toEqual([SESSION, `${SESSION}/old`]);
});

onPosix('a root that others could replace is left alone', async () => {
  const open = join(await makeScratch(), 'open');
  await put(open, `root/${SESSION}/old`, 99 * DAY_MS);
  await chmod(open, 0o777);
  expect(await sweep(join(open, 'root'))).toEqual([
    { path: join(open, 'root'), message: expect.stringContaining('replace') as string },
  ]);
  await chmod(open, 0o1777);
  expect(await sweep(join(open, 'root'))).toEqual([]);
  expect(await tree(join(open, 'root'))).toEqual([]);
});

asRoot('what belongs to others is left alone', async () => {
  const parent = join(await makeScratch(), 'parent');
  const root = join(parent, 'root');
  await put(root, `${SESSION}/old`, 99 * DAY_MS);
  for (const path of [join(root, SESSION), root, parent]) {
    await lchown(path, 65534, 65534);
    expect(await sweep(root)).toHaveLength(1);
    expect(await tree(root)).toHaveLength(2);
    await lchown(path, 0, 0);
  }
  expect(await sweep(root)).toEqual([]);
  expect(await tree(root)).toEqual([]);
});

test('two sweeps and a writer at the same time get along', async () => {
  const root = await makeScratch();
  for (let index = 0; index < 100; index++) await put(root, `${SESSION}/old${index}`, 99 * DAY_MS);
  const spill = openLocalSpill({ rootDir: root, clock: () => NOW_MS });
  const saves = Array.from({ length: 20 }, (_, index) => spill.saveText(request(`${index}`)));
  const [first, second] = await Promise.all([sweep(root), sweep(root), spill.close(), ...saves]);
  expect([first, second]).toEqual([[], []]);
  expect(await tree(root)).toHaveLength(1 + 20);
});

test('opening a place cleans it; closing waits for that; a cancelled cleanup ends quietly', async () => {
  const root = await makeScratch();
  await put(root, `${SESSION}/old`, 99 * DAY_MS);
  await openLocalSpill({ rootDir: root, clock: () => NOW_MS, signal: AbortSignal.abort() }).close();
  await openLocalSpill({ rootDir: root, clock: () => NOW_MS, keepDays: 0 }).close();
  expect(await tree(root)).toHaveLength(2);
  await openLocalSpill({ rootDir: root, clock: () => NOW_MS }).close();
  expect(await tree(root)).toEqual([]);
});
