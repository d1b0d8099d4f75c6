/** Both readings of a command line that prepares say the same, and the quick one is taken where it can be. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainPrepare } from '../../../src/cli/plain-prepare.ts';
import { cli, type Setup } from './support.ts';

const ROOT = join(import.meta.dirname, '../../../fixtures/logs/basic-zstd');
const CITING = 'go on from @[Four](dsh-session:c2Vzc2lvbi00)';

const TOKENS = [
  ['some words'],
  [CITING],
  [''],
  ['-'],
  ['--'],
  ['help'],
  ['--help'],
  ['--explain'],
  ['--no-spill'],
  ['--spill'],
  ['-q'],
  ['--quiet'],
  ['-v'],
  ['--strict'],
  ['--no-index'],
  ['--nonsense'],
  ['--root'],
  ['--root', ROOT],
  ['--root', ''],
  ['--cwd', '/proj/beta'],
  ['--cwd', '-q'],
  ['--self', 'session-4'],
  ['--reference', 'session-4'],
  ['--reference', CITING],
  ['--reference', ' '],
  ['--reference=session-4'],
  ['--messages', '/nowhere/at/all'],
  ['--messages', '-'],
  ['--format', 'json'],
  ['--format', 'text'],
  ['--format', 'ndjson'],
  ['--format', 'xml'],
  ['--max-bytes', '2000'],
  ['--max-bytes', '007'],
  ['--max-bytes', '-7'],
  ['--max-bytes', '1e3'],
  ['--max-bytes', '9007199254740993'],
  ['--context-window', '100000'],
  ['--context-fraction', '0.5'],
  ['--max-references', '2'],
  ['--max-references', '9'],
  ['--spill-dir', '/nowhere/at/all'],
  ['--spill-keep-days', '3'],
] as const;

test('whatever is read without commander is read by it the same way', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...TOKENS), { maxLength: 6 }), async (tokens) => {
      const argv = ['prepare', '--root', ROOT, ...tokens.flat()];
      // The default, which only commander knows.
      const byCommander = ['prepare', '--error-format', 'text', ...argv.slice(1)];
      expect(plainPrepare(byCommander.slice(1))).toBeUndefined();
      expect(await seen(argv)).toBe(await seen(byCommander));
    }),
    { numRuns: 300 },
  );
}, 120_000);

/** What is printed, and what is asked of the store; as JSON, as each call has a signal and callbacks of its own. */
async function seen(argv: readonly string[]): Promise<string> {
  const asked: unknown[] = [];
  const setup: Setup = {
    stored: { 'session-4': 'Four' },
    stdin: Readable.from(['from outside']),
    prepare: async ({ onExplain, ...options }) => {
      asked.push(options, onExplain !== undefined);
      return { content: [{ type: 'text', text: 'prepared' }] };
    },
  };
  const outcome = await cli([...argv], setup);
  return JSON.stringify([outcome, asked]);
}

describe('read without commander', () => {
  test.each([
    [[]],
    [['some words', 'and more']],
    [['-', '--format', 'text', '-q']],
    [['', '--explain', '--no-spill', '--root', 'a', CITING, '--root', 'b']],
    [['--reference', 'a', '--reference', 'b', '--max-bytes', '3', '--context-window', '4']],
    [['--messages', 'file', '--max-references', '1', '--spill-dir', 'd', '--spill-keep-days', '0']],
  ])('%j', (args) => expect(plainPrepare(args)).toBeDefined());
});

describe('left to commander', () => {
  test.each([
    [['--help']],
    [['-h']],
    [['--', 'x']],
    [['--max-bytes']],
    [['--max-bytes', 'x']],
    [['--context-fraction', '0.5']],
    [['--format', 'xml']],
    [['--messages', '-']],
    [['--reference=a']],
    [['--timeout', '5']],
  ])('%j', (args) => expect(plainPrepare(args)).toBeUndefined());
});
