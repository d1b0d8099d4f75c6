import { describe, expect, it } from 'vitest';
import { displayWidth, truncateEnd, truncateStart } from '../../../src/cli/output/width.ts';
import { candidate, cli, NOW, Sink } from './support.ts';

const MINUTE = 60_000;
const CANDIDATES = [
  candidate('session-0a1b2c3d-1111-4222-8333-444455556666', {
    label: '请帮我重构登录模块并补充单元测试以及文档请帮我重构登录模块并补充单元测试以及文档',
    cwd: '/work/here',
    sameWorkspace: true,
    createdAt: NOW - 5 * MINUTE,
  }),
  candidate('session-0a1b2cff-1111-4222-8333-444455556666', {
    label: 'family 👨‍👩‍👧‍👦 and flag 🇩🇪 in a title that goes on and on 👍🏽 for a good while',
    cwd: '/home/me/projects/デスクトップ/app',
    createdAt: NOW - 50 * 24 * 60 * MINUTE,
  }),
  candidate('e\u0301-id', { label: 'combining e\u0301 and 한국어', createdAt: 8.64e15 + 1 }),
  candidate('plain', { label: 'short', unreadable: 'corrupt', createdAt: NOW + MINUTE }),
];

/** The lines of the table but for the words above its groups. */
async function table(columns: number, candidates = CANDIDATES): Promise<string[]> {
  return (await wholeTable(columns, candidates)).filter((line) => !GROUPS.includes(line));
}

const GROUPS = ['this workspace', 'elsewhere'];

async function wholeTable(columns: number, candidates = CANDIDATES): Promise<string[]> {
  const { stdout } = await cli(['candidates'], {
    candidates,
    stdout: new Sink({ isTTY: true, columns }),
    env: { NO_COLOR: '1' },
  });
  return stdout.split('\n').slice(0, -1);
}

describe('H-72: the table', () => {
  it.each([24, 40, 60, 80, 120, 200])('fits %i columns and is aligned', async (columns) => {
    const lines = await table(columns);
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    const idAt = displayWidth(lines[0]!.slice(0, lines[0]!.lastIndexOf('ID')));
    for (const [at, { sessionId }] of CANDIDATES.entries()) {
      const line = lines[at + 1]!;
      const id = line.slice(line.lastIndexOf(sessionId.slice(0, 5)));
      expect(displayWidth(line) - displayWidth(id)).toBe(idAt);
    }
  });

  it('shows ids that can be told apart and typed back', async () => {
    const ids = (await table(200)).map((line) => line.split(/\s+/).at(-1));
    expect(ids).toEqual(['ID', 'session-0a1b2c3d-11', 'session-0a1b2cff-11', 'e\u0301-id', 'plain']);
  });

  it('H-50, H-54: marks subagents and forks, and what cannot be read', async () => {
    const { stdout } = await cli(['candidates'], {
      candidates: CANDIDATES,
      origins: ['root', 'fork', 'subagent', 'subagent'],
      stdout: new Sink({ isTTY: true, columns: 200 }),
      env: { NO_COLOR: '1' },
    });
    const lines = stdout.split('\n').filter((line) => !GROUPS.includes(line));
    expect(lines[1]).toMatch(/^请/);
    expect(lines[2]).toMatch(/^\[fork\] family/);
    expect(lines[3]).toMatch(/^\[subagent\] combining/);
    expect(lines[4]).toMatch(/^\[subagent, corrupt\] short/);
    expect((await cli(['candidates', '--json'], { candidates: CANDIDATES })).stdout).not.toContain('origin');
  });

  it('has two groups where some are of this workspace, and none otherwise', async () => {
    const lines = await wholeTable(200);
    expect([lines[1], lines[3], lines.length]).toEqual(['this workspace', 'elsewhere', 7]);
    expect(await wholeTable(200, CANDIDATES.slice(1))).toEqual(await table(200, CANDIDATES.slice(1)));
    expect((await wholeTable(200, CANDIDATES.slice(0, 1)))[1]).toBe('this workspace');
  });

  it('tells time and place for people', async () => {
    const lines = await table(200);
    expect(lines[1]).toMatch(/ {2}5 min ago {2,}session-/);
    expect(lines[2]).toMatch(/ {2}2026-10-1\d {2}~\/projects\/デスクトップ\/app /);
    expect(lines[3]).toMatch(/ {2}\? +- +e/);
    expect(lines[4]).toMatch(/^\[corrupt\] short .* 2026-11-30 /);
  });

  it('H-70, H-71: cleans titles, directories and ids before it cuts them', async () => {
    const evil = '\u001b]52;c;QQ\u0007\u009b2J\r\b\u202e\u200b\u2028\n';
    const lines = await table(80, [candidate(`id-${evil}`, { label: evil, cwd: `/x/${evil}` })]);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(lines[1]).toMatch(/^\\u001b\]52;c/);
    expect(lines[1]).toContain('(see --json)');
  });

  it('is empty for an empty list', async () => {
    expect(await table(80, [])).toEqual([]);
  });

  it('takes COLUMNS off a terminal, and has colour only where it is wanted', async () => {
    const of = async (flags: string[], env: Record<string, string>, isTTY = false): Promise<string> => {
      const stdout = new Sink({ isTTY });
      return (
        await cli(['candidates', '--format', 'table', ...flags], { candidates: CANDIDATES, env, stdout })
      ).stdout;
    };
    const narrow = await of([], { COLUMNS: '40' });
    for (const line of narrow.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(40);
    const colour = '\u001b[';
    expect(narrow).not.toContain(colour);
    expect(await of(['--color'], { NO_COLOR: '1' })).toContain(colour);
    expect(await of([], { FORCE_COLOR: '1' })).toContain(colour);
    expect(await of([], { FORCE_COLOR: '0' }, true)).not.toContain(colour);
    expect(await of([], {}, true)).toContain(colour);
    expect(await of([], { NO_COLOR: '1' }, true)).not.toContain(colour);
    expect(await of([], { TERM: 'dumb' }, true)).not.toContain(colour);
    expect(await of(['--no-color'], { FORCE_COLOR: '1' }, true)).not.toContain(colour);
  });
});

describe('width', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['漢字', 4],
    ['한', 2],
    ['e\u0301', 1],
    ['👨‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['1️⃣', 2],
    ['ﾊ', 1],
    ['Ａ', 2],
    ['…', 1],
  ])('of %s is %i', (text, width) => expect(displayWidth(text)).toBe(width));

  it('cuts between clusters', () => {
    expect(truncateEnd('ab👨‍👩‍👧cd', 4)).toBe('ab…');
    expect(truncateEnd('ab👨‍👩‍👧cd', 5)).toBe('ab👨‍👩‍👧…');
    expect(truncateEnd('abc', 3)).toBe('abc');
    expect(truncateEnd('abc', 0)).toBe('');
    expect(truncateStart('/a/漢字', 4)).toBe('…字');
  });
});
