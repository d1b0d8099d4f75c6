import { symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listFileReferences } from '../../../src/files/list.ts';
import { makeWorkspace, show } from './workspace.ts';

// The tree of file-references.md 5.2; `tool/build` is excluded by the new defaults, so the old list is given.
const TREE = [
  'INDEX/readme',
  'README.md',
  'a/i_n_d_e_x.md',
  'docs/a b.md',
  'docs/Über.md',
  'docs/日本.md',
  'empty/',
  'readme.txt',
  'src/index.ts',
  'src/index.tsx',
  'src/reindex.ts',
  'src/util/index.ts',
  'src/util/strings.ts',
  'src/.cache/x.ts',
  '.env',
  '.github/workflows/ci.yml',
  'node_modules/p/i.js',
  'pkg/node_modules/q/i.js',
  'tool/build/out.js',
];
const excludedDirectories = ['.git', 'node_modules'];

async function workedTree(): Promise<string> {
  const cwd = await makeWorkspace(TREE);
  await symlink('src', join(cwd, 'linkdir'));
  await symlink('README.md', join(cwd, 'linkfile.md'));
  await symlink('nowhere', join(cwd, 'dangling'));
  return cwd;
}

const answer = async (cwd: string, query: string) =>
  show(await listFileReferences({ cwd, query, excludedDirectories }));

const BELOW_SRC = ['src/util [d]', 'src/index.ts', 'src/index.tsx', 'src/reindex.ts'];
const INDEX = [
  'INDEX [d]',
  'src/index.ts',
  'src/index.tsx',
  'src/util/index.ts',
  'src/reindex.ts',
  'INDEX/readme',
  'a/i_n_d_e_x.md',
];
const AT_ROOT = 'INDEX [d],a [d],docs [d],empty [d],pkg [d],src [d],tool [d],README.md,readme.txt'.split(',');

describe('worked cases of file-references.md 5.2', () => {
  test.each<[query: string, expected: string[]]>([
    ['', AT_ROOT],
    ['index', INDEX],
    ['INDEX', INDEX],
    ['Index', INDEX],
    ['index.ts', ['src/index.ts', 'src/util/index.ts', 'src/index.tsx', 'src/reindex.ts']],
    [
      'src',
      'src [d],src/util [d],src/index.ts,src/index.tsx,src/reindex.ts,src/util/index.ts,src/util/strings.ts'.split(
        ',',
      ),
    ],
    ['uis', ['src/util/strings.ts', 'src/util/index.ts', 'tool/build/out.js']],
    ['über', ['docs/Über.md']],
    ['日本', ['docs/日本.md']],
    ['a b', ['docs/a b.md']],
    [' ', ['docs/a b.md']],
    ['ci.yml', []],
    ['env', []],
    ['.github', ['.github [d]', '.github/workflows [d]', '.github/workflows/ci.yml']],
    ['linkdir', []],
    ['linkfile', []],
    ['node_modules', []],
    ['src/', BELOW_SRC],
    ['src/i', ['src/index.ts', 'src/index.tsx', 'src/util [d]', 'src/reindex.ts']],
    ['src/in', ['src/index.ts', 'src/index.tsx', 'src/reindex.ts']],
    ['src/s', [...BELOW_SRC.slice(1), 'src/util [d]']],
    ['docs/U', []],
  ])('%j', async (query, expected) => {
    expect(await answer(await workedTree(), query)).toEqual(expected);
  });

  test('".e" finds .env first, then what matches loosely, hidden too', async () => {
    const found = await answer(await workedTree(), '.e');
    expect(found[0]).toBe('.env');
    expect(found).toContain('src/.cache [d]');
  });

  test('"." finds whatever has a dot in its path, hidden too', async () => {
    const found = await answer(await workedTree(), '.');
    expect(found).toEqual(expect.arrayContaining(['.github [d]', '.env', 'src/.cache/x.ts', 'README.md']));
    expect(found.every((path) => path.includes('.'))).toBe(true);
  });
});

describe('scope table of file-references.md 6', () => {
  const under = (prefix: string, entries: string[]) => entries.map((entry) => prefix + entry);
  const SRC = ['util [d]', 'index.ts', 'index.tsx', 'reindex.ts'];
  const DOCS = ['a b.md', 'Über.md', '日本.md'];

  test.each<[query: string, expected: string[]]>([
    ['./src/', under('./src/', SRC)],
    ['src//', under('src//', SRC)],
    ['src/./util/', ['src/./util/index.ts', 'src/./util/strings.ts']],
    ['src/../docs/', under('src/../docs/', DOCS)],
    ['src\\', under('src/', SRC)],
    ['src\\util\\st', ['src/util/strings.ts', 'src/util/index.ts']],
    ['../', []],
    ['src/../../', []],
    ['/', []],
    ['/etc/', []],
    ['~/', []],
    ['~root/', []],
    ['missing/', []],
    ['README.md/', []],
    ['empty/', []],
    ['linkdir/', []],
    ['linkdir/x', []],
    ['node_modules/', []],
    ['pkg/node_modules/', []],
    ['pkg/', []],
    ['.github/', ['.github/workflows [d]']],
    ['.github/w', ['.github/workflows [d]']],
    ['src/.', ['src/.cache [d]', 'src/index.ts', 'src/index.tsx', 'src/reindex.ts']],
    ['a\0/', []],
  ])('%j', async (query, expected) => {
    expect(await answer(await workedTree(), query)).toEqual(expected);
  });

  test('ways out and back in, and absolute ones, are echoed as typed', async () => {
    const cwd = await workedTree();
    const back = `../${basename(cwd)}/`;
    expect(await answer(cwd, back)).toEqual(under(back, AT_ROOT));
    expect(await answer(cwd, `${cwd}/`)).toEqual(under(`${cwd}/`, AT_ROOT));
    // The name that the workspace happens to have is searched too: it may bring in others, loosely.
    expect((await answer(cwd, `${cwd}/src/ut`))[0]).toBe(`${cwd}/src/util [d]`);
    expect(await answer(cwd, `${cwd}x/`)).toEqual([]);
  });

  test('".." without a slash searches the tree', async () => {
    expect(await answer(await workedTree(), '..')).toEqual(['src/.cache/x.ts', '.github/workflows/ci.yml']);
  });

  test('an excluded segment anywhere in the typed part ends it, also above the root', async () => {
    const cwd = join(await makeWorkspace(['dist/app/a.ts']), 'dist', 'app');
    expect(show(await listFileReferences({ cwd, query: `${cwd}/` }))).toEqual([]);
    expect(show(await listFileReferences({ cwd, query: '' }))).toEqual(['a.ts']);
  });

  test('exclusions are directories only, and letter case counts', async () => {
    const cwd = await makeWorkspace(['dist', 'src/Dist/', 'lib/', 'x/dist/y']);
    expect(show(await listFileReferences({ cwd, query: 'dist' }))).toEqual(['src/Dist [d]', 'dist']);
    expect(show(await listFileReferences({ cwd, query: 'lib' }))).toEqual(['lib [d]']);
  });
});

test('answers have two keys in order, and are frozen', async () => {
  const found = await listFileReferences({ cwd: await makeWorkspace(['a']), query: '' });
  expect(JSON.stringify(found)).toBe('[{"path":"a","kind":"file"}]');
  expect(Object.isFrozen(found) && Object.isFrozen(found[0])).toBe(true);
});
