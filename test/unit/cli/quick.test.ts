import { describe, expect, it } from 'vitest';
import { quickAnswer } from '../../../src/cli/quick.ts';
import { cli } from './support.ts';

describe('quick answers', () => {
  it.each([
    [['--version']],
    [['uri', 'encode', 'a', '', '-', 'ü']],
    [['uri', 'encode', '--', '-x', '--']],
    [['uri', 'decode', 'dsh-session:ImEi', 'dsh-session:ImIi']],
    [['uri', 'decode', '--', 'dsh-session:ImEi']],
  ])('%j says what the whole program says', async (argv) => {
    expect(await cli(argv)).toMatchObject({ exit: 0, stdout: quickAnswer(argv), stderr: '' });
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
  ])('%j is left to the whole program', (argv) => expect(quickAnswer(argv)).toBeUndefined());
});
