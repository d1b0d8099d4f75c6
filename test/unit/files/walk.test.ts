import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFileReferences } from '../../../src/files/list.ts';
import { walkTree } from '../../../src/files/walk.ts';
import { addEntries, makeWorkspace, show, withoutPrivileges } from './workspace.ts';

const NO_LIMITS = { maxEntries: 1000, excluded: new Set<string>(), scope: undefined, signal: undefined };

test('breadth first, code units inside a directory, hidden ones too', async () => {
  const root = await makeWorkspace(['b/x/deep', 'b/a', 'a/z', 'B', '.h/q', 'é', 'z']);
  expect(show(await walkTree(root, NO_LIMITS))).toEqual(
    '.h [d],B,a [d],b [d],z,é,.h/q,a/z,b/a,b/x [d],b/x/deep'.split(','),
  );
});

test('the order is that of UTF-16, not of the bytes on the disk', async () => {
  const root = await makeWorkspace(['\uff5e', '😀']);
  expect(show(await walkTree(root, NO_LIMITS))).toEqual(['😀', '\uff5e']);
});

test('the limit keeps the shallow part (worked case of section 7)', async () => {
  const root = await makeWorkspace(['a/b/c', 'file', 'file.d/', 'm/', 'zeta/']);
  const entries = await walkTree(root, { ...NO_LIMITS, maxEntries: 3 });
  expect(show(entries)).toEqual(['a [d]', 'file', 'file.d [d]']);
});

test('hidden entries count against the limit', async () => {
  const cwd = await makeWorkspace(['.hidden', 'README.md', 'sub/README.md']);
  expect(show(await listFileReferences({ cwd, query: 'readme', maxEntries: 2 }))).toEqual(['README.md']);
  expect(show(await listFileReferences({ cwd, query: 'readme', maxEntries: 1 }))).toEqual([]);
});

test('maxResults cuts both kinds of answer', async () => {
  const cwd = await makeWorkspace(Array.from({ length: 30 }, (_, index) => `d/f${index}`));
  for (const query of ['f', 'd/']) {
    expect(await listFileReferences({ cwd, query })).toHaveLength(20);
    expect(await listFileReferences({ cwd, query, maxResults: 25 })).toHaveLength(25);
  }
});

test('a wide tree comes out in the same order as a slow walk', async () => {
  const root = await makeWorkspace(Array.from({ length: 50 }, (_, index) => `d${index}/s/f${index}`));
  const names = Array.from({ length: 50 }, (_, index) => `d${index}`).sort();
  expect(show(await walkTree(root, NO_LIMITS))).toEqual([
    ...names.map((name) => `${name} [d]`),
    ...names.map((name) => `${name}/s [d]`),
    ...names.map((name) => `${name}/s/f${name.slice(1)}`),
  ]);
});

test.skipIf(process.platform === 'win32')(
  'links, loops and pipes are neither offered nor entered',
  async () => {
    const cwd = await makeWorkspace(['real/file.txt']);
    await symlink('real', join(cwd, 'link'));
    await symlink('..', join(cwd, 'real', 'loop'));
    await symlink('file.txt', join(cwd, 'real', 'link.txt'));
    execFileSync('mkfifo', [join(cwd, 'real', 'pipe'), join(cwd, 'pipe')]);
    expect(show(await listFileReferences({ cwd, query: 'l' }))).toEqual(['real [d]', 'real/file.txt']);
    expect(show(await listFileReferences({ cwd, query: 'real/' }))).toEqual(['real/file.txt']);
    for (const query of ['pipe', 'pipe/', 'link/', 'link/file', 'real/loop/']) {
      expect(await listFileReferences({ cwd, query })).toEqual([]);
    }
  },
);

test('the workspace itself may be reached through a link', async () => {
  const parent = await makeWorkspace(['real/file.txt']);
  const cwd = join(parent, 'link');
  await symlink('real', cwd);
  expect(show(await listFileReferences({ cwd, query: 'file' }))).toEqual(['file.txt']);
  expect(show(await listFileReferences({ cwd, query: '' }))).toEqual(['file.txt']);
});

test.skipIf(process.platform === 'win32')('an unreadable directory costs only its contents', async () => {
  const cwd = await makeWorkspace(['shut/secret.txt', 'open/secret.txt']);
  await chmod(join(cwd, 'shut'), 0);
  const [tree, listing] = await withoutPrivileges(cwd, () =>
    Promise.all([listFileReferences({ cwd, query: 's' }), listFileReferences({ cwd, query: 'shut/' })]),
  );
  expect(show(tree)).toEqual(['shut [d]', 'open/secret.txt']);
  expect(listing).toEqual([]);
});

test('a workspace that cannot be listed fails a search of the tree, and has no entries', async () => {
  const cwd = join(await makeWorkspace(['file']), 'file');
  await expect(listFileReferences({ cwd, query: 'x' })).rejects.toMatchObject({ code: 'ENOTDIR' });
  await expect(listFileReferences({ cwd: `${cwd}-gone`, query: 'x' })).rejects.toMatchObject({
    code: 'ENOENT',
  });
  expect(await listFileReferences({ cwd, query: '' })).toEqual([]);
  expect(await listFileReferences({ cwd: `${cwd}-gone`, query: 'a/' })).toEqual([]);
});

test('a directory that is replaced meanwhile never makes a search fail', async () => {
  const cwd = await makeWorkspace(Array.from({ length: 200 }, (_, index) => `d${index}/file`));
  const changes = (async () => {
    for (let index = 0; index < 200; index += 2) await rename(join(cwd, `d${index}`), join(cwd, `e${index}`));
    for (let index = 1; index < 200; index += 2) await rm(join(cwd, `d${index}`), { recursive: true });
  })();
  await listFileReferences({ cwd, query: 'file' });
  await changes;
  expect(await listFileReferences({ cwd, query: 'file', maxResults: 1000 })).toHaveLength(100);
});

test('a new file is seen by the next call', async () => {
  const cwd = await makeWorkspace(['a']);
  expect(await listFileReferences({ cwd, query: 'new' })).toEqual([]);
  await addEntries(cwd, ['new']);
  expect(show(await listFileReferences({ cwd, query: 'new' }))).toEqual(['new']);
});

test('cancelled before and during a search', async () => {
  const cwd = await makeWorkspace();
  for (let path = cwd, depth = 0; depth < 50; depth++) {
    path = join(path, 'd');
    await mkdir(path);
  }
  const cancelled = { code: 'SESSION_REFERENCE_CANCELLED', cause: 'enough' };
  for (const query of ['', 'd/', 'd']) {
    const call = listFileReferences({ cwd, query, signal: AbortSignal.abort('enough') });
    await expect(call).rejects.toMatchObject(cancelled);
  }
  await expect(walkTree(cwd, { ...NO_LIMITS, signal: AbortSignal.abort('enough') })).rejects.toMatchObject(
    cancelled,
  );
  const controller = new AbortController();
  const call = listFileReferences({ cwd, query: 'd', signal: controller.signal });
  controller.abort('enough');
  await expect(call).rejects.toMatchObject(cancelled);
});
