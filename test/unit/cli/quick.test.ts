import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quickAnswer } from '../../../src/cli/quick.ts';
import { cli } from './support.ts';

const HELP_FILE = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli', 'help.json');

const piped = { isTerminal: () => false };

describe('quick answers', () => {
  it.each([
    [['--version']],
    [['uri', 'encode', 'a', '', '-', 'ü']],
    [['uri', 'encode', '--', '-x', '--']],
    [['uri', 'decode', 'dsh-session:ImEi', 'dsh-session:ImIi']],
    [['uri', 'decode', '--', 'dsh-session:ImEi']],
  ])('%j says what the whole program says', async (argv) => {
    expect(await cli(argv)).toMatchObject({ exit: 0, stdout: quickAnswer(argv, piped), stderr: '' });
  });

  it.each([
    [['--help'], ''],
    [['-h'], ''],
    [['help'], ''],
    [['help', 'prepare'], 'prepare'],
    [['verify', '--help'], 'verify'],
    [['uri', '-h'], 'uri'],
  ])('%j is the help that the build has printed', async (argv, name) => {
    const built: Record<string, string> = JSON.parse(readFileSync(HELP_FILE, 'utf8'));
    expect(quickAnswer(argv, { ...piped, helpTexts: () => built })).toBe(built[name]);
    expect(await cli(argv)).toMatchObject({ exit: 0, stdout: built[name], stderr: '' });
  });

  it.each([
    [['help', 'nonsense']],
    [['nonsense', '--help']],
    [['--help', 'prepare']],
    [['prepare', '--help', 'x']],
    [['uri', 'encode', '--help']],
    [['toString', '--help']],
  ])('%j has no help of its own', (argv) =>
    expect(quickAnswer(argv, { ...piped, helpTexts: () => ({ '': 'x' }) })).toBeUndefined(),
  );

  it.each([[['help', 'nonsense']], [['nonsense', '--help']], [['nonsense', '-h']]])(
    '%j is an error',
    async (argv) =>
      expect(await cli(argv)).toMatchObject({
        exit: 2,
        stdout: '',
        stderr: expect.stringContaining("unknown command 'nonsense'"),
      }),
  );

  it('help for a terminal is left to the whole program, which knows how wide it is', () => {
    const helpTexts = () => ({ '': 'x' });
    expect(quickAnswer(['--help'], { isTerminal: () => true, helpTexts })).toBeUndefined();
  });

  it.each([
    [[]],
    [['uri']],
    [['uri', 'encode']],
    [['uri', 'encode', '--']],
    [['uri', 'encode', '-q', 'a']],
    [['uri', 'encode', 'a', '--', 'b']],
    [['uri', 'encode', '--json', 'a']],
    [['uri', 'decode', '--json', 'dsh-session:ImEi']],
    [['uri', 'decode', 'dsh-session:ImFcbmIi']],
    [['uri', 'decode', 'dsh-session:IsO8Ig']],
    [['uri', 'decode', 'nonsense']],
    [['uri', 'decode', '--help']],
    [['--version', '-q']],
    [['candidates']],
  ])('%j is left to the whole program', (argv) => expect(quickAnswer(argv, piped)).toBeUndefined());
});
