/** The program keeps compiled code for its next start: in its own place only, and never to the cost of an answer. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BASIC_ROOT, runProgram } from '../support/run-program.ts';

let cache = '';
let code = '';

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'dsh-ref-cache-'));
  code = join(cache, 'dsh-ref', 'code');
});

afterEach(() => rmSync(cache, { recursive: true, force: true }));

const list = (args: readonly string[] = [], env: Record<string, string> = {}) =>
  runProgram(['candidates', '--root', BASIC_ROOT, ...args], {
    env: { XDG_CACHE_HOME: cache, LOCALAPPDATA: cache, HOME: cache, ...env },
  });

test.skipIf(process.platform === 'darwin')(
  'every start gives the same answer, and the code lies in the cache',
  async () => {
    const answers = [await list(), await list(), await list(), await list(), await list()];
    expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0]);
    expect(answers[0]!.stdout).not.toBe('');
    const names = readdirSync(code);
    expect(names.some((name) => name.startsWith('candidates.listing-'))).toBe(true);
    for (const name of names) {
      const path = join(code, name);
      const damaged = readFileSync(path);
      for (let at = 1; at < damaged.length; at += 997) damaged[at]! ^= 0xff;
      writeFileSync(path, damaged);
    }
    expect(await list()).toEqual(answers[0]);
  },
);

test.skipIf(process.platform === 'darwin')(
  'nothing is kept where nothing is to be remembered, nor of what failed',
  async () => {
    await list(['--no-index']);
    await list([], { DSH_REF_INDEX: 'off' });
    await list([], { NODE_DISABLE_COMPILE_CACHE: '1' });
    expect((await list(['--limit', 'none'])).status).toBe(2);
    expect(existsSync(code)).toBe(false);
  },
);

test.skipIf(process.platform === 'darwin')('nothing is written inside a root', async () => {
  mkdirSync(join(cache, '--project--'));
  expect((await list(['--root', cache])).status).toBe(0);
  expect(readdirSync(cache)).toEqual(['--project--']);
});

test.skipIf(process.platform === 'darwin').each([
  ['named by DSH_REF_ROOT', 'DSH_REF_ROOT', 'sessions'],
  ['that is the default', 'DSH_HOME', '.'],
] as const)('nor inside one %s, by a command that reads none', async (_which, variable, below) => {
  const sessions = join(cache, 'sessions');
  mkdirSync(sessions);
  const env = { [variable]: join(cache, below) };
  const places = { XDG_CACHE_HOME: sessions, LOCALAPPDATA: sessions, HOME: cache };
  expect((await runProgram(['parse', 'hi'], { env: { ...places, ...env } })).status).toBe(0);
  expect(readdirSync(sessions)).toEqual([]);
});

test('the program is ASCII throughout: one wider character makes a whole file take twice the bytes to check', () => {
  const program = join(import.meta.dirname, '..', '..', 'dist', 'cli');
  const files = readdirSync(program).filter((name) => name.endsWith('.js'));
  expect(files.length).toBeGreaterThan(10);
  const wide = files.filter((name) => readFileSync(join(program, name)).some((byte) => byte > 0x7f));
  expect(wide).toEqual([]);
});
