import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, errorLine, Sink } from './support.ts';

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'dsh-ref-files-'));
  for (const name of ['src', 'my docs', 'vendor', 'node_modules']) {
    mkdirSync(join(cwd, name));
    writeFileSync(join(cwd, name, 'note.txt'), '');
  }
  writeFileSync(join(cwd, 'readme.md'), '');
  writeFileSync(join(cwd, '.gitignore'), '/vendor/\n');
});
afterAll(() => rmSync(cwd, { recursive: true }));

const files = (...argv: string[]) => cli(['files', ...argv, '--cwd', cwd]);
const paths = async (...argv: string[]): Promise<string[]> =>
  (await files('--format', 'path', ...argv)).stdout.split('\n').slice(0, -1);

describe('files', () => {
  it('lists and searches', async () => {
    expect(await paths()).toEqual(['my docs', 'src', 'vendor', 'readme.md']);
    expect(await paths('note')).toEqual(['src/note.txt', 'vendor/note.txt', 'my docs/note.txt']);
    expect(await paths('src/')).toEqual(['src/note.txt']);
    expect((await cli(['files', '--format', 'path'], { cwd: () => cwd })).stdout).toContain('readme.md\n');
  });

  it('is NDJSON off a terminal, and a table on one', async () => {
    expect((await files('readme')).stdout).toBe('{"path":"readme.md","kind":"file"}\n');
    const { stdout } = await cli(['files', '--cwd', cwd], {
      stdout: new Sink({ isTTY: true, columns: 20 }),
      env: { NO_COLOR: '1' },
    });
    expect(stdout).toBe(
      'KIND       PATH\ndirectory  my docs/\ndirectory  src/\ndirectory  vendor/\nfile       readme.md\n',
    );
  });

  it('json is one object', async () => {
    const { stdout } = await files('note', '--json', '--limit', '1');
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      cwd,
      query: 'note',
      returned: 1,
      hasMore: true,
      candidates: [{ path: 'src/note.txt', kind: 'file' }],
    });
  });

  it('writes mentions', async () => {
    expect((await files('--format', 'mention')).stdout).toBe('@"my docs/\n@src/\n@vendor/\n@readme.md\n');
    expect((await files('note', '--format', 'mention', '-0')).stdout).toBe(
      '@src/note.txt\0@vendor/note.txt\0@"my docs/note.txt"\0',
    );
  });

  it('--exclude adds to what is left out anyway, --gitignore does what it says', async () => {
    expect(await paths('note', '--exclude', 'src', '--exclude', 'vendor')).toEqual(['my docs/note.txt']);
    expect(await paths('note', '--gitignore')).toEqual(['src/note.txt', 'my docs/note.txt']);
    const outcome = await files('note', '--exclude', 'a/b');
    expect([outcome.exit, outcome.stdout]).toEqual([2, '']);
    const { sentence, code } = errorLine(outcome.stderr);
    expect(code).toBe('SESSION_REFERENCE_INVALID_CONFIG');
    expect(sentence).toContain('--exclude');
  });

  it('H-51, H-88: tells what was cut and where nothing was found', async () => {
    expect((await files('note', '--limit', '2')).stderr).toContain('more than 2 match');
    expect((await files('note', '--limit', '3')).stderr).toBe('');
    expect((await files('note', '--limit', '9007199254740991')).exit).toBe(0);
    const none = await files('zzzz');
    expect([none.exit, none.stdout]).toEqual([0, '']);
    expect(none.stderr).toContain(`nothing matches "zzzz" below ${JSON.stringify(cwd)}`);
    expect(await paths('note', '--max-entries', '1')).toEqual([]);
  });

  it('H-70: leaves out what a line or a terminal cannot carry, with a notice', async () => {
    const odd = mkdtempSync(join(tmpdir(), 'dsh-ref-files-'));
    for (const name of ['a\nb', 'c"d', 'e\u202ef', 'plain']) writeFileSync(join(odd, name), '');
    const run = (stdout: Sink, ...flags: string[]) => cli(['files', '--cwd', odd, ...flags], { stdout });
    const piped = await run(new Sink(), '--format', 'path');
    expect(piped.stdout).toBe('c"d\ne\u202ef\nplain\n');
    expect(piped.stderr).toContain('1 path cannot be written in this form');
    expect((await run(new Sink(), '--format', 'path', '-0')).stdout).toBe('a\nb\0c"d\0e\u202ef\0plain\0');
    expect((await run(new Sink({ isTTY: true }), '--format', 'path')).stdout).toBe('c"d\nplain\n');
    const mentions = await run(new Sink(), '--format', 'mention');
    expect(mentions.stdout).toBe('@e\u202ef\n@plain\n');
    expect(mentions.stderr).toContain('2 paths cannot');
    const table = await run(new Sink({ isTTY: true }));
    expect(table.stdout).toContain('a\\nb\n');
    expect(table.stdout).toContain('e\\u202ef\n');
    rmSync(odd, { recursive: true });
  });

  it('a directory that cannot be listed is an error with words', async () => {
    const gone = (): string => {
      throw new Error('ENOENT: uv_cwd');
    };
    for (const [outcome, words] of [
      [await cli(['files', '--cwd', join(cwd, 'missing')]), 'does not exist'],
      [await cli(['files', '--cwd', join(cwd, 'readme.md')]), 'is not a directory'],
      [await cli(['files', '--cwd', join(cwd, 'readme.md/x')]), 'ENOTDIR'],
      [await cli(['files'], { cwd: gone }), 'has been removed'],
    ] as const) {
      expect([outcome.exit, outcome.stdout]).toEqual([2, '']);
      const { sentence, code } = errorLine(outcome.stderr);
      expect(code).toBe('DSH_REF_INPUT_FAILED');
      expect(sentence).toContain(words);
    }
  });
});
