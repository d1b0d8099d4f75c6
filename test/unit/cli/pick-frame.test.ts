import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../../src/cli/output/width.ts';
import type { Choice } from '../../../src/cli/pick/choices.ts';
import { frameOf, partsOf, type Size, type Style, type View } from '../../../src/cli/pick/frame.ts';
import { type Preview, previewLines } from '../../../src/cli/pick/preview.ts';
import { wrapText } from '../../../src/cli/pick/wrap.ts';
import { candidate, NOW } from './support.ts';

const EVIL = '\u001b]52;c;QQ\u0007\u009b2J\r\b\u202e\u200b\u2028\n';
const same = (text: string): string => text;
const PLAIN: Style = { heading: same, faint: same, here: same, fault: same, selected: same };

const CHOICES: Choice[] = [
  {
    candidate: candidate('one', { label: 'The login fix', cwd: '/home/me/app', createdAt: NOW - 3_600_000 }),
    origin: 'root',
  },
  {
    candidate: candidate('two', { label: '请帮我重构登录模块并补充单元测试以及文档'.repeat(3) }),
    origin: 'subagent',
  },
  { candidate: candidate('three', { label: EVIL, cwd: `/x/${EVIL}` }), origin: 'fork' },
  {
    candidate: candidate('four', { label: 'family 👨‍👩‍👧‍👦 🇩🇪', sameWorkspace: true, unreadable: 'corrupt' }),
    origin: 'root',
  },
  ...Array.from({ length: 40 }, (_, at) => ({ candidate: candidate(`more-${at}`), origin: 'root' as const })),
];

const MESSAGES: Preview = {
  kind: 'messages',
  messages: [
    { who: 'checkpoint', text: 'What was before' },
    { who: 'user', text: 'Please fix the login.\n\n\tThen test it.' },
    { who: 'assistant', text: '登录模块'.repeat(200) },
    { who: 'user', text: `Thanks ${EVIL}` },
  ],
};

function viewOf(
  more: { query?: string; at?: number; choices?: readonly Choice[]; preview?: Preview } = {},
): View {
  const { query = '', at = 0, choices = CHOICES, preview = MESSAGES } = more;
  return {
    state: { query, at, found: { choices, total: choices.length } },
    preview,
    choiceCount: CHOICES.length,
    viewer: { nowMs: NOW, home: '/home/me' },
  };
}

const linesOf = (view: View, columns: number, rows: number): readonly string[] =>
  frameOf(view, { columns, rows }, PLAIN).lines;

describe('H-72: the screen', () => {
  const sizes: Size[] = [1, 5, 10, 20, 40, 80, 200].flatMap((columns) =>
    [1, 2, 5, 11, 12, 13, 24, 60].map((rows) => ({ columns, rows })),
  );

  it.each(sizes)('fits $columns columns and $rows rows', ({ columns, rows }) => {
    for (const query of ['', 'login', '登录'.repeat(100), EVIL]) {
      for (const at of [0, 20, CHOICES.length - 1]) {
        const { lines, cursorColumn } = frameOf(viewOf({ query, at }), { columns, rows }, PLAIN);
        expect(lines).toHaveLength(rows);
        for (const line of lines) {
          expect(displayWidth(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e\u200b]/u);
        }
        expect(cursorColumn).toBeLessThanOrEqual(columns);
      }
    }
  });

  it('has title, place and time in columns', () => {
    const lines = linesOf(viewOf(), 80, 24);
    expect(lines[0]).toMatch(/^pick> +44\/44$/);
    expect(lines[1]).toMatch(/^> The login fix {2,}~\/app {2,}1 h ago *$/);
    expect(lines[2]).toMatch(/^ {2}\[subagent\] 请帮我/);
    expect(lines[3]).toMatch(/^ {2}\[fork\] \\u001b\]52/);
    expect(lines[4]).toMatch(/^ {2}\[corrupt\] family 👨‍👩‍👧‍👦 🇩🇪 +here +3 h ago *$/);
    const placeAt = lines.slice(1, 5).map((line) => displayWidth(line.slice(0, line.lastIndexOf(' h ago'))));
    expect(new Set(placeAt).size).toBe(1);
    for (const line of lines.slice(1, 5)) expect(displayWidth(line)).toBe(80);
  });

  it('leaves out place and time where room is short', () => {
    expect(linesOf(viewOf(), 40, 24)[1]).toMatch(/^> The login fix +1 h ago *$/);
    expect(linesOf(viewOf(), 30, 24)[1]).toMatch(/^> The login fix *$/);
  });

  it('marks one row, and only it, in the middle of a longer list', () => {
    const style: Style = { ...PLAIN, selected: (text) => `<${text}>` };
    for (const at of [0, 3, 20, 43]) {
      const { lines } = frameOf(viewOf({ at }), { columns: 80, rows: 24 }, style);
      const marked = lines.filter((line) => line.startsWith('<> '));
      expect(marked).toHaveLength(1);
      if (at > 3) expect(marked[0]).toContain(`more-${at - 4}`);
    }
  });

  it('shows the preview only where there is room, and does not move while one types', () => {
    expect(partsOf({ columns: 80, rows: 11 }, 44)).toEqual({ listRows: 10, previewRows: 0 });
    expect(partsOf({ columns: 80, rows: 12 }, 44)).toEqual({ listRows: 5, previewRows: 4 });
    expect(partsOf({ columns: 80, rows: 24 }, 2)).toEqual({ listRows: 3, previewRows: 18 });
    expect(linesOf(viewOf(), 80, 11).join('\n')).not.toContain('user: ');
    const few = linesOf(viewOf({ choices: CHOICES.slice(0, 1) }), 80, 24);
    expect(few.findIndex((line) => line.startsWith('──'))).toBe(
      linesOf(viewOf(), 80, 24).findIndex((line) => line.startsWith('──')),
    );
  });

  it('says that nothing matches', () => {
    const lines = linesOf(viewOf({ query: 'zzz', choices: [], preview: { kind: 'nothing' } }), 80, 24);
    expect(lines[0]).toMatch(/^pick> zzz +0\/44$/);
    expect(lines[1]).toBe('  no session matches');
  });

  it('shows the end of a long query, with the cursor behind it', () => {
    const { lines, cursorColumn } = frameOf(
      viewOf({ query: `${'x'.repeat(90)}登录` }),
      { columns: 40, rows: 5 },
      PLAIN,
    );
    expect(lines[0]).toMatch(/^pick> …x+登录 {2,}44\/44$/);
    expect(cursorColumn).toBe(displayWidth(lines[0]!.slice(0, lines[0]!.indexOf('录') + 1)));
  });
});

describe('the preview', () => {
  const texts = (preview: Preview, width: number, height: number): string[] =>
    previewLines(preview, width, height).map(({ text }) => text);

  it('has the newest messages last, each cut short', () => {
    const lines = texts(MESSAGES, 80, 6);
    expect(lines.slice(0, 3)).toEqual([
      'checkpoint: What was before',
      'user: Please fix the login.',
      '  Then test it.',
    ]);
    expect(lines[3]).toMatch(/^assistant: 登录模块/);
    expect(lines[4]).toMatch(/^模块登录.*…$/);
    expect(lines[5]).toMatch(/^user: Thanks \\u001b]52/);
    expect(lines).toHaveLength(6);
    expect(texts(MESSAGES, 80, 3)).toEqual(lines.slice(3));
  });

  it('gives a lone message all the room', () => {
    const messages = [{ who: 'user' as const, text: 'word '.repeat(200) }];
    expect(texts({ kind: 'messages', messages }, 40, 9)).toHaveLength(9);
  });

  it('says what is the matter', () => {
    expect(texts({ kind: 'reading' }, 40, 9)).toEqual(['reading …']);
    expect(texts({ kind: 'nothing' }, 40, 9)).toEqual([]);
    expect(texts({ kind: 'messages', messages: [] }, 40, 9)).toEqual(['no messages']);
    const fault = texts({ kind: 'fault', message: `bad ${EVIL}` }, 80, 9).join(' ');
    expect(fault).toMatch(/^cannot be read: bad \\u001b/);
  });
});

describe('wrapping', () => {
  it.each<[string, number, number, string[]]>([
    ['one two three', 8, 9, ['one two', 'three']],
    ['one two three', 3, 9, ['one', 'two', 'thr', 'ee']],
    ['登录模块 a', 5, 9, ['登录', '模块 ', 'a'].map((line) => line.trimEnd())],
    ['a\n\n\tb', 8, 9, ['a', '  b']],
    ['one two three', 5, 1, ['one …']],
    ['one two three', 3, 1, ['on…']],
    ['漢字', 1, 9, ['漢', '字']],
    ['', 8, 9, []],
    ['x', 0, 9, []],
  ])('%j in %i columns, %i lines', (text, width, maxLines, lines) => {
    expect(wrapText(text, width, maxLines)).toEqual(lines);
  });
});
