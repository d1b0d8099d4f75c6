import { describe, expect, it } from 'vitest';
import { candidate, cli, errorLine, Sink } from './support.ts';

const TWO = [
  candidate('session-1', { label: 'One', cwd: '/work/here', sameWorkspace: true }),
  candidate('session-2', { label: 'Two', displayTitle: 'A helper', unreadable: 'corrupt' }),
];
const SKIPS = [
  { path: '/r/a', sessionId: 'a', kind: 'corrupt', message: 'frame 2 is damaged' },
  { path: '/r/b\u001b]52;\n', kind: 'empty', message: 'no header' },
  { path: '/r/c', kind: 'corrupt', message: '/r/c: bad' },
] as const;
const KEYS = ['sessionId', 'label', 'displayTitle', 'cwd', 'sameWorkspace', 'createdAt', 'mention'];

describe('candidates as data', () => {
  it('is NDJSON off a terminal, keys in the order of the contract', async () => {
    const { stdout, stderr, exit, asked } = await cli(['candidates'], { candidates: TWO });
    const lines = stdout.split('\n');
    expect([exit, stderr, lines.length, lines[2]]).toEqual([0, '', 3, '']);
    expect(Object.keys(JSON.parse(lines[0]!))).toEqual(KEYS);
    expect(JSON.parse(lines[1]!)).toEqual({ ...TWO[1], unreadable: 'corrupt' });
    expect(asked.closed).toBe(true);
  });

  it.each([['--json'], ['--format', 'json']])('%s is one object', async (...flags) => {
    const setup = { candidates: TWO, total: 9, skipped: SKIPS, env: { DSH_SESSION_ID: 'me' } };
    const { stdout } = await cli(['candidates', 'q', ...flags], setup);
    const object = JSON.parse(stdout);
    expect(stdout).toMatch(/^[^\n]*\n$/);
    expect(Object.keys(object)).toEqual(
      'schemaVersion root self cwd query total returned skipped candidates'.split(' '),
    );
    expect(object).toMatchObject({ schemaVersion: 1, root: process.cwd(), self: 'me', cwd: '/work/here' });
    expect(object).toMatchObject({ query: 'q', total: 9, returned: 2, skipped: SKIPS, candidates: TWO });
  });

  it('json says null for what is unknown, and is indented and safe on a terminal', async () => {
    const hostile = candidate('x', { label: 'a\u009b31m\u202eb' });
    const { stdout } = await cli(['candidates', '--json'], {
      candidates: [hostile],
      stdout: new Sink({ isTTY: true }),
    });
    expect(stdout).toMatch(/^\{\n {2}"schemaVersion": 1,\n/);
    expect(stdout).toContain('"self": null');
    expect(stdout).not.toMatch(/[\u0080-\u009f\u202e]/);
    expect(JSON.parse(stdout).candidates[0].label).toBe('a\u009b31m\u202eb');
  });

  it('tsv has six fields and escapes what would break them', async () => {
    const odd = candidate('i\td', { label: 'a\nb\\c\u0000\u0085\ud800', cwd: '/x', createdAt: -5 });
    const { stdout } = await cli(['candidates', '--format', 'tsv'], { candidates: [...TWO, odd] });
    const records = stdout.split('\n').map((line) => line.split('\t'));
    expect(records.map((fields) => fields.length)).toEqual([6, 6, 6, 1]);
    expect(records[0]).toEqual([
      'session-1',
      'One',
      '/work/here',
      'true',
      String(TWO[0]!.createdAt),
      TWO[0]!.mention,
    ]);
    expect(records[2]!.slice(0, 5)).toEqual(['i\\td', 'a\\nb\\c\\u0000\\u0085\\ud800', '/x', 'false', '-5']);
  });

  it('mention and id are one a line, or end with NUL', async () => {
    const mentions = TWO.map(({ mention }) => mention);
    const of = async (...flags: string[]): Promise<string> =>
      (await cli(['candidates', ...flags], { candidates: TWO })).stdout;
    expect(await of('--format', 'mention')).toBe(`${mentions.join('\n')}\n`);
    expect(await of('--format', 'mention', '-0')).toBe(`${mentions.join('\0')}\0`);
    expect(await of('--format', 'id')).toBe('session-1\nsession-2\n');
    expect(await of('--format', 'id', '-0')).toBe('session-1\0session-2\0');
    expect((await of('--format', 'tsv', '-0')).split('\0')).toHaveLength(3);
  });

  it('a label with line breaks stays on its line, and whole with -0', async () => {
    const odd = candidate('x', { label: 'a\r\nb' });
    const of = async (...flags: string[]): Promise<string> =>
      (await cli(['candidates', '--format', 'mention', ...flags], { candidates: [odd] })).stdout;
    expect(await of()).toBe('@[a b](dsh-session:Ingi)\n');
    expect(await of('-0')).toBe('@[a\r\nb](dsh-session:Ingi)\0');
  });

  it('an id that a line cannot carry is printed as its URI, with a notice', async () => {
    const { stdout, stderr } = await cli(['candidates', '--format', 'id'], {
      candidates: [candidate('a\nb')],
    });
    expect(stdout).toBe('dsh-session:ImFcbmIi\n');
    expect(stderr).toBe('dsh-ref: the id "a\\nb" cannot be printed as it is: its URI stands in\n');
  });
});

describe('what was left out', () => {
  it('a limit that cut is told on standard error', async () => {
    const { stderr } = await cli(['candidates'], { candidates: TWO, total: 12 });
    expect(stderr).toMatch(/^dsh-ref: 2 of 12 sessions shown, 10 more[^\n]*\n$/);
    expect((await cli(['candidates', '-q'], { candidates: TWO, total: 12 })).stderr).toBe('');
  });

  it('skips are one line with counts by kind', async () => {
    const { stdout, stderr, exit } = await cli(['candidates'], { candidates: TWO, skipped: SKIPS });
    expect([exit, stdout === '']).toEqual([0, false]);
    expect(stderr).toBe('dsh-ref: 3 sessions skipped (2 corrupt, 1 empty); -v names each\n');
  });

  it('-v names each skip, cleaned', async () => {
    const { stderr } = await cli(['candidates', '-v'], { candidates: TWO, skipped: SKIPS });
    expect(stderr).toContain('dsh-ref: skipped "/r/a": corrupt: frame 2 is damaged\n');
    expect(stderr).toContain('dsh-ref: skipped corrupt: /r/c: bad\n');
    expect(stderr).not.toContain('\u001b');
  });

  it('--strict makes a skip exit 4 with nothing on standard output', async () => {
    const { stdout, stderr, exit } = await cli(['candidates', '--strict'], {
      candidates: TWO,
      skipped: SKIPS,
    });
    expect([exit, stdout, errorLine(stderr).code]).toEqual([4, '', 'DSH_REF_SKIPPED']);
    const json = await cli(['candidates', '--strict', '--error-format', 'json'], { skipped: SKIPS });
    expect(JSON.parse(json.stderr).error.details.skipped).toEqual(SKIPS);
    expect((await cli(['candidates', '--strict'], { candidates: TWO })).exit).toBe(0);
  });

  it('H-88: an empty list names the root, what was seen and what was skipped', async () => {
    const { stdout, stderr, exit } = await cli(['candidates', 'zzz'], { skipped: SKIPS, seen: 7 });
    expect([exit, stdout]).toEqual([0, '']);
    expect(stderr).toContain(
      `no session matches "zzz" under ${process.cwd()} (from DSH_REF_ROOT): 7 seen, 3 skipped`,
    );
  });

  it('a default root that is missing is an empty list that says which path and why', async () => {
    const env = { DSH_REF_ROOT: undefined, DSH_HOME: '/nowhere' };
    const { stdout, stderr, exit } = await cli(['candidates', '--json'], { env });
    expect([exit, JSON.parse(stdout).candidates]).toEqual([0, []]);
    expect(stderr).toBe(
      'dsh-ref: no sessions: /nowhere/sessions (below DSH_HOME) does not exist; 0 seen, 0 skipped\n',
    );
  });
});
