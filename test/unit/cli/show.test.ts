import { describe, expect, it } from 'vitest';
import { CancelReason } from '../../../src/cli/exit.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { writeLog } from '../../support/log-writer/write-root.ts';
import { cli, NOW, type Setup, Sink } from './support.ts';

function setupWith(script: LogScript): Setup {
  const root = scratch();
  writeLog(root, { id: 's-1', cwd: '/home/ana/shop', format: script.format, lines: script.lines });
  return { env: { DSH_REF_ROOT: root, PAGER: '' }, stored: { 's-1': undefined } };
}

function talk(): LogScript {
  const script = new LogScript(4, { createdAt: NOW - 3_600_000 });
  script.title('Fix the build');
  script.user('first');
  script.user('an injected one', { source: { kind: 'skill-catalog' } });
  script.compact('in short', 1, 1, [1]);
  script.toolRound('c', 'output');
  script.assistant('done\n', { blocks: [{ type: 'reasoning', text: 'hm' }] });
  return script;
}

describe('show', () => {
  it('is Markdown with the facts, what is left out, and the messages', async () => {
    const script = talk();
    const { exit, stdout, stderr } = await cli(['show', 's-1'], setupWith(script));
    expect([exit, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      `# Fix the build

- Session: s-1
- Directory: /home/ana/shop
- Created: 2026-11-30T11:00:00.000Z
- Last message: ${new Date(script.time).toISOString()}
- Log: format v4, events 0 to 10
- Messages: 2, 1 of them a checkpoint
- Left out: 1 tool result, 1 tool call, 1 reasoning block, 1 injected message (1 skill-catalog), 1 message without text, 1 shadowed event

## User · checkpoint, the summary of a compaction (seq 5)

in short

## Assistant (seq 10)

done
`,
    );
  });

  it('--json is the items, and what is left out a notice', async () => {
    const { stdout, stderr } = await cli(['show', 's-1', '--json'], setupWith(talk()));
    expect(JSON.parse(stdout)).toEqual([
      { role: 'user', text: 'in short', checkpoint: true, seq: 5 },
      { role: 'assistant', text: 'done\n', checkpoint: false, seq: 10 },
    ]);
    expect(stderr).toMatch(/^dsh-ref: left out: 1 tool result, [^\n]*\n$/);
    expect((await cli(['show', 's-1', '--json', '-q'], setupWith(new LogScript(4)))).stdout).toBe('[]\n');
  });

  it('says that nothing is left out, and who the parent is', async () => {
    const script = new LogScript(4, { parentSession: 'p-1', origin: 'subagent', cwd: '/home/ana/shop' });
    script.user('x');
    const { stdout } = await cli(['show', 's-1'], setupWith(script));
    expect(stdout).toContain('\n- Subagent of: p-1\n');
    expect(stdout).toContain('\n- Left out: nothing\n');
  });

  it('text is exact in a pipe', async () => {
    const script = new LogScript(4);
    script.user('a\u001b[31mb\r\nc\u202e');
    const { stdout } = await cli(['show', 's-1'], setupWith(script));
    expect(stdout).toContain('\n\na\u001b[31mb\r\nc\u202e\n');
  });

  it('H-70: nothing from the log reaches a terminal uncleaned, line breaks stay', async () => {
    const script = new LogScript(4);
    script.title('t\u001b]52;c;x\u0007\nu');
    script.user('a\u001b[31mb\n\tc\u202e\u009b');
    const { stdout } = await cli(['show', 's-1'], {
      ...setupWith(script),
      stdout: new Sink({ isTTY: true }),
    });
    const bare = stdout.replaceAll(/\u001b\[(?:1|2|22|32|39)m/g, '');
    expect(bare).toContain('a\\u001b[31mb\n\tc\\u202e\\u009b\n');
    expect(bare).toContain('# t\\u001b]52;c;x\\u0007\\nu\n');
    expect(bare).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).toContain('\u001b[1m');
  });

  it('times are local and relative on a terminal', async () => {
    const { stdout } = await cli(['show', 's-1', '--no-color'], {
      ...setupWith(talk()),
      stdout: new Sink({ isTTY: true }),
    });
    expect(stdout).toMatch(/\n- Created: 2026-\d\d-\d\d \d\d:00 \(1 h ago\)\n/);
  });

  it('a damaged end is told of', async () => {
    const script = talk();
    script.raw('half');
    const { stderr } = await cli(['show', 's-1', '-v'], setupWith(script));
    expect(stderr).toContain(
      'dsh-ref: the log of "s-1" has oddities (dropped-tail, damage-in-whole-frame); dsh-ref verify names each\n',
    );
    expect(stderr).toContain('dsh-ref: dropped-tail: line 13');
  });

  it.each([
    [['show'], 2],
    [['show', 'nobody'], 4],
    [['show', '*'], 3],
  ])('%j exits %i', async (argv, exit) => {
    const outcome = await cli(argv, setupWith(talk()));
    expect([outcome.exit, outcome.stdout]).toEqual([exit, '']);
  });
});

describe('the pager', () => {
  const onTerminal = (PAGER: string | undefined, ...flags: string[]) => {
    const setup = setupWith(talk());
    return cli(['show', 's-1', '--no-color', ...flags], {
      ...setup,
      env: { ...setup.env, PAGER, PATH: process.env.PATH },
      stdout: new Sink({ isTTY: true }),
    });
  };

  it('gets the text, with the settings of git', async () => {
    const { exit, stdout } = await onTerminal('echo "LESS is $LESS"; sed s/^/paged:/');
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^LESS is FRX\npaged:# Fix the build\n/);
    expect(stdout).toMatch(/paged:done\n$/);
  });

  it('is not used when it is empty, cat, or not wanted', async () => {
    for (const outcome of [
      await onTerminal(''),
      await onTerminal('cat'),
      await onTerminal('sed s/^/paged:/', '--no-pager'),
    ]) {
      expect(outcome.stdout).toMatch(/^# Fix the build\n/);
    }
    expect((await onTerminal('sed s/^/paged:/', '--timeout', '60000')).stdout).toMatch(/^# Fix/);
    expect((await onTerminal('sed s/^/paged:/', '--json')).stdout).toMatch(/^\[/);
  });

  it('one that is not there does not hide the text, one that is left early is fine', async () => {
    expect((await onTerminal('exit 127')).stdout).toMatch(/^# Fix the build\n/);
    const early = await onTerminal('exit 0');
    expect([early.exit, early.stdout]).toEqual([0, '']);
  });

  it('ends with the program', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new CancelReason('SIGINT', 'cancelled by SIGINT')), 300);
    const setup = setupWith(talk());
    const { exit } = await cli(['show', 's-1'], {
      ...setup,
      env: { ...setup.env, PAGER: 'exec sleep 600', PATH: process.env.PATH },
      stdout: new Sink({ isTTY: true }),
      signal: controller.signal,
    });
    expect(exit).toBe(130);
  });
});
