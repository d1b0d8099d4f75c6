import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFileReferences } from '../../../src/files/list.ts';
import { makeWorkspace, show } from './workspace.ts';

const search = async (cwd: string, query: string) =>
  show(await listFileReferences({ cwd, query, gitignore: true }));

test('rules of the workspace hide files and whole directories, in a search and in a listing', async () => {
  const cwd = await makeWorkspace(['keep.ts', 'drop.log', 'gen/a.ts', 'src/b.ts', 'src/b.log']);
  await writeFile(join(cwd, '.gitignore'), '\ufeff# a comment\r\n*.log\r\n/gen/\r\n');
  expect(await search(cwd, 's')).toEqual(['src [d]', 'keep.ts', 'src/b.ts']);
  expect(await search(cwd, '')).toEqual(['src [d]', 'keep.ts']);
  expect(await search(cwd, 'src/')).toEqual(['src/b.ts']);
  expect(await search(cwd, 'gen/')).toEqual([]);
  expect(show(await listFileReferences({ cwd, query: 'gen/' }))).toEqual(['gen/a.ts']);
});

test('a nearer file overrules those above, but not below a directory that is out', async () => {
  const cwd = await makeWorkspace(['a/keep.log', 'a/x.d/in.ts', 'b/out.log', 'c/d/keep.log']);
  await writeFile(join(cwd, '.gitignore'), '*.log\n*.d\n/c/\n');
  await writeFile(join(cwd, 'a', '.gitignore'), '!keep.log\n!x.d\n');
  await writeFile(join(cwd, 'c', '.gitignore'), '!*.log\n');
  expect(await search(cwd, 'log')).toEqual(['a/keep.log']);
  expect(await search(cwd, 'in.ts')).toEqual(['a/x.d/in.ts']);
  expect(await search(cwd, 'a/x.d/')).toEqual(['a/x.d/in.ts']);
  expect(await search(cwd, 'c/d/')).toEqual([]);
});

test('rules of the enclosing repository count, and none above it', async () => {
  const outside = await makeWorkspace(['repo/.git/', 'repo/pkg/a.log', 'repo/pkg/a.txt', 'repo/pkg/b.txt']);
  const cwd = join(outside, 'repo', 'pkg');
  await writeFile(join(outside, '.gitignore'), '*.txt\n');
  await writeFile(join(outside, 'repo', '.gitignore'), '*.log\n/pkg/b.txt\n');
  expect(await search(cwd, 'a.')).toEqual(['a.txt']);
  expect(await search(cwd, '')).toEqual(['a.txt']);
  await rm(join(outside, 'repo', '.git'), { recursive: true });
  expect(await search(cwd, '')).toEqual(['a.log', 'a.txt', 'b.txt']);
});

test('a workspace that is itself ignored is still offered', async () => {
  const repo = await makeWorkspace(['.git/', 'scratch/a.ts', 'scratch/b.log']);
  await writeFile(join(repo, '.gitignore'), '/scratch/\n');
  await writeFile(join(repo, 'scratch', '.gitignore'), '*.log\n');
  expect(await search(join(repo, 'scratch'), '')).toEqual(['a.ts']);
});

test.skipIf(process.platform === 'win32')('only a regular file of bounded size gives rules', async () => {
  const cwd = await makeWorkspace(['link/a', 'pipe/a', 'directory/a', 'huge/a', 'rules']);
  await writeFile(join(cwd, 'rules'), 'a\n');
  await symlink('../rules', join(cwd, 'link', '.gitignore'));
  execFileSync('mkfifo', [join(cwd, 'pipe', '.gitignore')]);
  await mkdir(join(cwd, 'directory', '.gitignore'));
  await writeFile(join(cwd, 'huge', '.gitignore'), 'a\n'.repeat(600_000));
  expect((await search(cwd, 'a')).filter((path) => path.endsWith('/a'))).toHaveLength(4);
});

test('a hostile pattern costs no time', async () => {
  const cwd = await makeWorkspace([`${'a'.repeat(200)}/x.ts`]);
  await writeFile(join(cwd, '.gitignore'), `${'*a'.repeat(30)}b\n[z-a]\n!\n\\\n`);
  const start = performance.now();
  expect(await search(cwd, 'x.ts')).toHaveLength(1);
  expect(performance.now() - start).toBeLessThan(2000);
});
