/** Both readings of a command line that lists candidates say the same, and the quick one is taken where it can be. */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainCandidates } from '../../../src/cli/plain-candidates.ts';
import { candidate, cli } from './support.ts';

const ROOT = join(import.meta.dirname, '../../../fixtures/logs/basic-zstd');

const TOKENS = [
  ['session'],
  ['zz none'],
  [''],
  ['-'],
  ['--'],
  ['--here'],
  ['--top-level'],
  ['--json'],
  ['-0'],
  ['--null'],
  ['-q'],
  ['--quiet'],
  ['-v'],
  ['-qv'],
  ['--verbose'],
  ['--strict'],
  ['--no-index'],
  ['--index'],
  ['--nonsense'],
  ['--root'],
  ['--root', ROOT],
  [`--root=${ROOT}`],
  ['--root', ''],
  ['--root', '/nowhere/at/all'],
  ['--cwd', '/proj/beta'],
  ['--cwd', ' '],
  ['--cwd', '--here'],
  ['--self', 'session-4'],
  ['--self', '*'],
  ['--limit', '3'],
  ['--limit', '0'],
  ['--limit', '03'],
  ['--limit', '9007199254740993'],
  ['--limit', '-1'],
  ['--limit=2'],
  ['--format', 'json'],
  ['--format', 'ndjson'],
  ['--format', 'tsv'],
  ['--format', 'mention'],
  ['--format', 'id'],
  ['--format', 'table'],
  ['--format', 'xml'],
] as const;

const setup = {
  candidates: [candidate('a', { sameWorkspace: true }), candidate('b', { unreadable: 'corrupt' })],
  total: 3,
  skipped: [{ path: '/root/x', kind: 'stray', message: 'it strays' }],
  stored: { 'session-4': 'Four' },
} as const;

test('whatever is read without commander is read by it the same way', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...TOKENS), { maxLength: 6 }), async (tokens) => {
      const argv = ['candidates', '--root', ROOT, ...tokens.flat()];
      // The default, which only commander knows.
      const byCommander = ['candidates', '--error-format', 'text', ...argv.slice(1)];
      expect(plainCandidates(byCommander.slice(1))).toBeUndefined();
      // As JSON: each call has a signal and a progress of its own.
      expect(JSON.stringify(await cli(argv, setup))).toBe(JSON.stringify(await cli(byCommander, setup)));
    }),
    { numRuns: 300 },
  );
}, 120_000);

describe('read without commander', () => {
  test.each([
    [[]],
    [['some words']],
    [['', '--json']],
    [['--root', 'a', 'query', '--root', 'b', '--cwd', '.', '--limit', '20', '-q', '-0']],
    [['--format', 'mention', '--no-index', '--self', 'x', '--index-dir', 'd']],
  ])('%j', (args) => expect(plainCandidates(args)).toBeDefined());
});

describe('left to commander', () => {
  test.each([
    [['--help']],
    [['-']],
    [['two', 'words']],
    [['--', 'x']],
    [['--limit']],
    [['--limit', 'x']],
    [['--format', 'xml']],
    [['--root=a']],
    [['--timeout', '5']],
  ])('%j', (args) => expect(plainCandidates(args)).toBeUndefined());
});
