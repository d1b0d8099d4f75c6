import { describe, expect, it } from 'vitest';
import { fastAnswer } from '../../../src/cli/fast.ts';
import type { Io } from '../../../src/cli/io.ts';
import { perform } from '../../../src/cli/perform.ts';
import { cli, Sink } from './support.ts';

const LINES = [
  ['--version'],
  ['uri', 'encode', 'a', '', '-', 'ü'],
  ['uri', 'encode', '--', '-x', '--'],
  ['uri', 'decode', 'dsh-session:ImEi', 'dsh-session:ImIi'],
  ['uri', 'decode', '--json', 'dsh-session:ImEi'],
  ['uri', 'decode', 'dsh-session:ImEi', '-0'],
  ['uri', 'decode', '--null', 'dsh-session:ImEi'],
  ['uri', 'decode', '--json', '-0', 'dsh-session:ImEi'],
  ['uri', 'decode', 'dsh-session:ImFcbmIi'],
  ['uri', 'decode', 'nonsense'],
];

describe('the fast path', () => {
  it.each(LINES.map((line) => [line]))('%j says what the whole program says', async (argv) => {
    const [stdout, stderr] = [new Sink(), new Sink()];
    const io = { stdout, stderr } as unknown as Io;
    const answer = fastAnswer(argv)!;
    const exit = await perform(io, 'text', () => answer(io));
    expect({ exit, stdout: stdout.utf8, stderr: stderr.utf8 }).toEqual({
      ...(await cli(argv)),
      asked: undefined,
    });
  });

  it.each([
    [[]],
    [['uri']],
    [['uri', 'encode']],
    [['uri', 'encode', '--']],
    [['uri', 'encode', '-q', 'a']],
    [['uri', 'encode', '--json', 'a']],
    [['uri', 'decode', '--help']],
    [['uri', 'decode', '--error-format', 'json', 'x']],
    [['uri', 'decode', 'toString', '--constructor']],
    [['--version', '-q']],
    [['candidates']],
  ])('%j is left to the whole program', (argv) => expect(fastAnswer(argv)).toBeUndefined());
});
