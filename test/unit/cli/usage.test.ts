import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands/index.ts';
import { cli, errorLine } from './support.ts';

const COUNTS = ['--max-bytes', '--context-window', '--max-references', '--spill-keep-days'];
const NO_COUNT = ['abc', '-1', '1e3', '1.5', '', ' ', '0x10', '+1', '1_000', '9007199254740992', '٣'];

const BAD_NUMBERS: [string, string[]][] = [
  ...[...NO_COUNT, '0'].map((value): [string, string[]] => ['--limit', ['candidates', '--limit', value]]),
  ...['--limit', '--max-entries'].flatMap((option) =>
    [...NO_COUNT, '0'].map((value): [string, string[]] => [option, ['files', option, value]]),
  ),
  ...[...NO_COUNT, '0', '2147483648'].map((value): [string, string[]] => [
    '--timeout',
    ['parse', 'x', '--timeout', value],
  ]),
  ...COUNTS.flatMap((option) =>
    NO_COUNT.map((value): [string, string[]] => [option, ['prepare', 'x', option, value]]),
  ),
  ...['abc', '-0.1', '1e-1', '', '.', '0,2', 'NaN', 'Infinity'].map((value): [string, string[]] => [
    '--context-fraction',
    ['prepare', 'x', '--context-fraction', value],
  ]),
];

describe('H-84: a number that is none', () => {
  it.each(BAD_NUMBERS)('%s names the option: %j', async (option, argv) => {
    const outcome = await cli(argv);
    const { sentence, code } = errorLine(outcome.stderr);
    expect([outcome.exit, outcome.stdout, code]).toEqual([2, '', 'DSH_REF_USAGE']);
    expect(sentence).toContain(option);
  });

  it('leaves the range to the library, zero included', async () => {
    const { asked } = await cli(['prepare', 'x', '--max-bytes', '0', '--context-fraction', '7.5']);
    expect(asked.prepare).toMatchObject({ maxReferenceBytes: 0, referenceContextFraction: 7.5 });
  });
});

const MISUSES: [string[], string][] = [
  [['frobnicate'], 'frobnicate'],
  [['candidate'], 'candidates'],
  [['candidates', '--frob'], '--frob'],
  [['candidates', 'a', 'b'], 'too many arguments'],
  [['candidates', '--format', 'yaml'], '--format'],
  [['candidates', '--format'], '--format'],
  [['candidates', '--json', '--format', 'id'], '--json'],
  [['candidates', '-0'], '-0'],
  [['candidates', '-0', '--json'], '-0'],
  [['candidates', '-0', '--format', 'table'], '-0'],
  [['candidates', '--root', ''], '--root'],
  [['candidates', '--self', ' '], '--self'],
  [['candidates', '--cwd', ''], '--cwd'],
  [['candidates', '--error-format', 'xml'], '--error-format'],
  [['mention'], 'session'],
  [['uri', 'encode'], 'id'],
  [['uri', 'decode'], 'uri'],
  [['uri', 'frob'], 'frob'],
  [['prepare'], '-'],
  [['prepare', '--reference', ' '], '--reference'],
  [['prepare', '--messages', ''], '--messages'],
  [['prepare', '--spill-dir', ''], '--spill-dir'],
  [['prepare', '--messages', '-', 'a text'], 'a text'],
  [['prepare', '--messages', '-', '--reference', 'abcd'], '--reference'],
  [['prepare', '--messages', '-', '--format', 'text'], '--format text'],
  [['files', 'a', 'b'], 'too many arguments'],
  [['files', '--format', 'id'], '--format'],
  [['files', '--json', '--format', 'path'], '--json'],
  [['files', '-0'], '-0'],
  [['files', '--exclude', ''], '--exclude'],
  [['index', 'frob'], 'frob'],
  [['index', 'clear', 'x'], 'too many arguments'],
  [['candidates', '--index-dir', ''], '--index-dir'],
  [['spill', 'show'], 'locator'],
  [['parse'], '-'],
];

describe('a command line that is not understood', () => {
  it.each(MISUSES)('%j is one line, code DSH_REF_USAGE, exit 2', async (argv, word) => {
    const outcome = await cli(argv);
    const { sentence, code } = errorLine(outcome.stderr);
    expect([outcome.exit, outcome.stdout, code]).toEqual([2, '', 'DSH_REF_USAGE']);
    expect(sentence).toContain(word);
  });

  it.each([['--error-format', 'json'], ['--error-format=json']])('is JSON with %j', async (...option) => {
    const outcome = await cli([...option, 'candidates', '--limit', 'x']);
    expect(outcome.exit).toBe(2);
    expect(outcome.stderr).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(outcome.stderr)).toEqual({
      error: { code: 'DSH_REF_USAGE', message: expect.stringContaining('--limit'), details: {} },
    });
  });

  it.each([[[]], [['uri']], [['index']], [['spill']]])(
    '%j alone prints its help on standard error',
    async (argv) => {
      const outcome = await cli(argv);
      expect([outcome.exit, outcome.stdout]).toEqual([2, '']);
      expect(outcome.stderr).toMatch(/^Usage: dsh-ref/);
      errorLine(outcome.stderr.slice(outcome.stderr.lastIndexOf('dsh-ref: ')));
    },
  );

  it('never reaches standard error with a control character in it', async () => {
    const outcome = await cli(['candidates', '--limit', '\u001b[31m\n\u202e']);
    expect(errorLine(outcome.stderr).sentence).toContain('\\u001b[31m\\n\\u202e');
  });
});

describe('help', () => {
  const names = COMMANDS.map(({ usage }) => usage.split(' ')[0]!);
  const leaves = ['uri encode', 'uri decode', 'index status', 'index refresh', 'index clear', 'spill show'];
  const lines = [[], ...names.map((name) => [name]), ...leaves.map((leaf) => leaf.split(' '))];

  it.each(lines.map((line) => [line]))('of %j has an example and the common options', async (line) => {
    for (const argv of [
      [...line, '--help'],
      [...line, '-h'],
      ['help', ...line],
    ]) {
      const outcome = await cli(argv);
      expect([outcome.exit, outcome.stderr]).toEqual([0, '']);
      expect(outcome.stdout).toContain(['Usage: dsh-ref', ...line].join(' '));
      expect(outcome.stdout).toContain('--root');
      if (line[0] !== 'uri' || line.length > 1) expect(outcome.stdout).toContain('\nExample:\n  dsh-ref ');
    }
  });

  it('--version prints the version alone', async () => {
    expect(await cli(['--version'])).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });
});

describe('common options', () => {
  it('are understood before and after the command, roots add up', async () => {
    const { asked, exit } = await cli(['--root', '/', 'candidates', '--root', '/tmp', '--limit=7', 'word']);
    expect(exit).toBe(0);
    expect(asked.roots).toEqual(['/', '/tmp']);
    expect(asked.candidates).toMatchObject({ limit: 7, query: 'word', cwd: '/work/here' });
  });

  it('end at --', async () => {
    expect((await cli(['parse', '--', '-q', '--help'])).stdout).toBe(
      '{"text":"-q --help","references":[]}\n',
    );
  });

  it('take a value that looks like an option', async () => {
    const { stdout } = await cli(['mention', '--label', '-q', 'abcd'], { stored: { abcd: 'T' } });
    expect(stdout).toBe('@[-q](dsh-session:ImFiY2Qi)\n');
  });

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['  ', undefined],
    ['some id', 'some id'],
    ['dsh-session:x', 'dsh-session:x'],
  ])('DSH_SESSION_ID %j makes self %j', async (id, self) => {
    const { asked } = await cli(['candidates'], { env: { DSH_SESSION_ID: id } });
    expect(asked.candidates?.self).toBe(self);
  });

  it.each(['session-abc', 'sess', 'dsh-session:InNlc3Npb24tYWJjIg', '@[x](dsh-session:InNlc3Npb24tYWJjIg)'])(
    '--self %s is accepted and beats DSH_SESSION_ID',
    async (self) => {
      const { asked } = await cli(['candidates', '--self', self], {
        env: { DSH_SESSION_ID: 'other' },
        stored: { 'session-abc': 'T' },
      });
      expect(asked.candidates?.self).toBe('session-abc');
    },
  );

  it('--self of a session that is not stored yet is taken as it is', async () => {
    const { asked, stderr } = await cli(['candidates', '--self', 'brand-new', '-q']);
    expect([asked.candidates?.self, stderr]).toEqual(['brand-new', '']);
  });

  it('--cwd is made absolute; a removed current directory is unknown', async () => {
    const gone = (): string => {
      throw new Error('ENOENT: uv_cwd');
    };
    expect((await cli(['candidates', '--cwd', 'a/../b'])).asked.candidates?.cwd).toBe('/work/here/b');
    expect((await cli(['candidates'], { cwd: gone })).asked.candidates?.cwd).toBeUndefined();
    expect(errorLine((await cli(['candidates', '--cwd', 'x'], { cwd: gone })).stderr).code).toBe(
      'DSH_REF_USAGE',
    );
  });
});
