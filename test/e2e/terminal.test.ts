/** The program on a real pseudo-terminal: widths, colour, hostile titles, Ctrl-C. Needs python3 for its pty module. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { BASIC_ROOT, PROGRAM } from '../support/run-program.ts';

const DRIVER = `
import fcntl, os, pty, select, struct, sys, termios, time
columns, keys_after, keys = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3].encode().decode('unicode_escape').encode('latin1')
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[4], sys.argv[4:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
start, sent, out = time.time(), False, b''
while time.time() - start < 30:
    if not sent and time.time() - start > keys_after:
        os.write(fd, keys); sent = True
    if select.select([fd], [], [], 0.05)[0]:
        try: data = os.read(fd, 65536)
        except OSError: break
        if not data: break
        out += data
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(out)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
`;

const hasPython = spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0;
if (!hasPython) process.stderr.write('skipped: terminal tests need python3 with its pty module\n');

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'dsh-ref-terminal-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface TerminalRun {
  readonly columns?: number;
  readonly env?: Record<string, string>;
  readonly keys?: string;
  readonly keysAfter?: number;
}

function onTerminal(
  args: readonly string[],
  options: TerminalRun = {},
): { status: number | null; screen: string } {
  const { columns = 80, env = {}, keys = '', keysAfter = 60 } = options;
  const driver = ['-c', DRIVER, String(columns), String(keysAfter), keys, process.execPath, PROGRAM, ...args];
  const { status, stdout } = spawnSync('python3', driver, {
    env: { HOME: home, PATH: process.env.PATH, TERM: 'xterm-256color', ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, screen: stdout.toString('utf8') };
}

const COLOUR = /\x1b\[[0-9;]*m/g;

describe.runIf(hasPython)('candidates on a terminal', () => {
  it.each([40, 80, 200])('fits %i columns', (columns) => {
    const { status, screen } = onTerminal(['candidates', '--root', BASIC_ROOT, '--no-color'], { columns });
    expect(status).toBe(0);
    const lines = screen.split('\r\n').filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines.slice(0, 11)) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it('has colour on a terminal, and none where that is not wanted', () => {
    const args = ['candidates', '--root', BASIC_ROOT];
    expect(onTerminal(args).screen).toMatch(COLOUR);
    expect(onTerminal(args, { env: { NO_COLOR: '1' } }).screen).not.toMatch(COLOUR);
    expect(onTerminal([...args, '--no-color']).screen).not.toMatch(COLOUR);
  });

  it.each(['hostile', 'titles', 'weird-ids'])('shows nothing unclean of the root %s (H-70, H-71)', (name) => {
    const args = ['candidates', '--root', join(inject('corpus'), 'roots', name), '--limit', '100'];
    const text = onTerminal(args, { columns: 120 }).screen.replaceAll(COLOUR, '');
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200e\u200f\u200b]/u);
  });
});

describe.runIf(hasPython)('Ctrl-C ends a command with 130', () => {
  it.each([
    ['prepare -', ['prepare', '-', '--root', BASIC_ROOT]],
    ['parse -', ['parse', '-']],
    ['prepare --messages -', ['prepare', '--messages', '-', '--root', BASIC_ROOT]],
    ['pick', ['pick', '--root', BASIC_ROOT]],
  ])('%s', (_name, args) => {
    const { status, screen } = onTerminal(args, { keys: '\\x03', keysAfter: 2 });
    expect(status).toBe(130);
    expect(screen).toContain('[SESSION_REFERENCE_CANCELLED]');
  });
});
