/** `pick` on a real terminal: python's `pty` gives the process one, while its standard streams are pipes. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const BIN = join(ROOT, 'bin', 'dsh-ref.js');
const LOGS = join(ROOT, 'fixtures', 'logs', 'basic-zstd');
const HOME = mkdtempSync(join(tmpdir(), 'dsh-ref-pick-'));
const ENV = { PATH: process.env.PATH, HOME, TERM: 'xterm-256color', DSH_REF_INDEX: 'off' };

/**
 * Runs argv on a terminal of its own with pipes as standard streams. Each step waits until its text has come to
 * the terminal since the step before, then sends keys, a signal, or a new size. Prints one JSON object.
 */
const DRIVER = `
import fcntl, json, os, pty, select, signal, struct, sys, termios, time
spec = json.loads(sys.argv[1])
size = lambda fd, s: fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', s[1], s[0], 0, 0))
pipes = [os.pipe() for _ in range(3)]
master, slave = pty.openpty()
size(slave, spec['size'])
before = termios.tcgetattr(slave)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd, (r, w) in enumerate(pipes): os.dup2(r if fd == 0 else w, fd)
    os.closerange(3, 100)
    os.execvpe(spec['argv'][0], spec['argv'], spec['env'])
for fd in (pipes[0][0], pipes[1][1], pipes[2][1]): os.close(fd)
got = {master: b'', pipes[1][0]: b'', pipes[2][0]: b''}
open_fds = {pipes[1][0], pipes[2][0]}
steps = list(spec['steps'])
seen = 0
raw = False
deadline = time.time() + spec['seconds']
def read_all(wait):
    ready = select.select([master, *open_fds], [], [], wait)[0]
    for fd in ready:
        chunk = os.read(fd, 65536)
        got[fd] += chunk
        if not chunk: open_fds.discard(fd)
    return ready
while open_fds and time.time() < deadline:
    read_all(0.05)
    if steps and steps[0]['wait'].encode() in got[master][seen:]:
        step = steps.pop(0)
        raw = raw or termios.tcgetattr(slave)[3] != before[3]
        seen = len(got[master])
        if 'keys' in step: os.write(master, step['keys'].encode())
        if 'signal' in step: os.kill(pid, getattr(signal, step['signal']))
        if 'size' in step: size(master, step['size'])
hung = bool(open_fds)
if hung: os.kill(pid, signal.SIGKILL)
status = os.waitpid(pid, 0)[1]
while read_all(0): pass
after = termios.tcgetattr(slave)
text = lambda fd: got[fd].decode('utf-8', 'replace')
print(json.dumps({'exit': os.waitstatus_to_exitcode(status), 'stdout': text(pipes[1][0]), 'stderr': text(pipes[2][0]),
  'screen': text(master), 'wasRaw': raw, 'isRestored': before == after, 'hung': hung, 'stepsLeft': len(steps)}))
`;

interface Step {
  readonly wait: string;
  readonly keys?: string;
  readonly signal?: 'SIGTERM' | 'SIGINT' | 'SIGCONT';
  readonly size?: readonly [columns: number, rows: number];
}

interface Outcome {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly screen: string;
  readonly wasRaw: boolean;
  readonly isRestored: boolean;
  readonly hung: boolean;
  readonly stepsLeft: number;
}

async function pick(
  args: readonly string[],
  steps: readonly Step[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  const argv = [process.execPath, BIN, 'pick', '--root', LOGS, ...args];
  const spec = JSON.stringify({ argv, env: { ...ENV, ...env }, steps, size: [100, 30], seconds: 30 });
  const child = spawn('python3', ['-c', DRIVER, spec], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  const outcome: Outcome = JSON.parse(text);
  expect(outcome).toMatchObject({ hung: false, stepsLeft: 0 });
  return outcome;
}

/** The screen was entered and left, and the terminal is as it was. */
function expectRestored({ screen, wasRaw, isRestored }: Outcome): void {
  expect(screen.split('\u001b[?1049h')).toHaveLength(2);
  for (const last of ['\u001b[?2004l', '\u001b[?7h', '\u001b[?25h']) expect(screen).toContain(last);
  expect(screen.endsWith('\u001b[?1049l')).toBe(true);
  expect({ wasRaw, isRestored }).toEqual({ wasRaw: true, isRestored: true });
}

const whyNot =
  spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0
    ? undefined
    : 'python3 with its pty module is needed for a terminal';
if (whyNot !== undefined) process.stderr.write(`skipped: pick on a terminal: ${whyNot}\n`);

afterAll(() => rmSync(HOME, { recursive: true, force: true }));

const SHOWN = 'Enter chooses';
describe.skipIf(whyNot !== undefined)('pick on a terminal', () => {
  it('types, moves, chooses: one mention on standard output', async () => {
    const outcome = await pick(
      [],
      [
        { wait: SHOWN, keys: 'into restart' },
        { wait: '1/10', keys: '\u0015proj/beta' },
        { wait: '5/10', keys: '\u001b[B\u001b[B\u001b[A' },
        { wait: '> ', keys: '\r' },
      ],
    );
    expect([outcome.exit, outcome.stderr]).toEqual([0, '']);
    expect(outcome.stdout).toMatch(/^@\[[^\n]+\]\(dsh-session:[\w-]+\)\n$/);
    expectRestored(outcome);
  });

  it('shows the last messages of the selected session', async () => {
    const outcome = await pick(
      ['session-1'],
      [
        { wait: 'assistant: ', keys: '' },
        { wait: '', keys: '\r' },
      ],
    );
    expect([outcome.exit, outcome.stdout]).toEqual([
      0,
      '@[compare token second thread](dsh-session:InNlc3Npb24tMSI)\n',
    ]);
  });

  it('prints an id or a URI, and does not ask where there is one session only', async () => {
    const id = await pick(['session-10', '--format', 'id'], [{ wait: SHOWN, keys: '\r' }]);
    expect([id.exit, id.stdout]).toEqual([0, 'session-10\n']);
    const uri = await pick(['session-10', '--select-1', '--format', 'uri'], []);
    expect([uri.exit, uri.stdout, uri.screen]).toEqual([0, 'dsh-session:InNlc3Npb24tMTAi\n', '']);
  });

  it.each([
    ['Esc', '\u001b'],
    ['Ctrl-C', '\u0003'],
    ['Ctrl-G', '\u0007'],
  ])('%s leaves: exit 130, nothing on standard output', async (_name, keys) => {
    const outcome = await pick([], [{ wait: SHOWN, keys }]);
    expect([outcome.exit, outcome.stdout]).toEqual([130, '']);
    expect(outcome.stderr).toBe('dsh-ref: nothing was chosen [SESSION_REFERENCE_CANCELLED]\n');
    expectRestored(outcome);
  });

  it('Enter where nothing matches stays', async () => {
    const outcome = await pick(
      [],
      [
        { wait: SHOWN, keys: 'qqqq' },
        { wait: 'no session matches', keys: '\r' },
        { wait: 'no session matches', keys: '\u001b' },
      ],
    );
    expect([outcome.exit, outcome.stdout]).toEqual([130, '']);
  });

  it('a paste is text, whatever keys it looks like', async () => {
    const outcome = await pick(
      [],
      [
        { wait: SHOWN, keys: '\u001b[200~budget\r\nlimit\u001b[201~' },
        { wait: 'budget limit', keys: '\r' },
      ],
    );
    expect([outcome.exit, outcome.stdout]).toEqual([
      0,
      '@[budget limit on branch](dsh-session:InNlc3Npb24tNyI)\n',
    ]);
  });

  it('draws anew for another size', async () => {
    const outcome = await pick(
      [],
      [
        { wait: SHOWN, size: [50, 8] },
        { wait: '10/10', size: [100, 30] },
        { wait: SHOWN, keys: '\u001b' },
      ],
    );
    expect(outcome.exit).toBe(130);
    expectRestored(outcome);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s gives the terminal back: exit %i', async (signal, exit) => {
    const outcome = await pick([], [{ wait: SHOWN, signal }]);
    expect([outcome.exit, outcome.stdout]).toEqual([exit, '']);
    expect(outcome.stderr).toContain(`cancelled by ${signal}`);
    expectRestored(outcome);
  });

  it('--timeout gives the terminal back: exit 124', async () => {
    const outcome = await pick(['--timeout', '5000'], [{ wait: SHOWN, keys: 'x' }]);
    expect([outcome.exit, outcome.stdout]).toEqual([124, '']);
    expectRestored(outcome);
  });

  it('has no colour where none is wanted', async () => {
    const outcome = await pick([], [{ wait: SHOWN, keys: '\r' }], { NO_COLOR: '1' });
    expect(outcome.screen).toContain('> ');
    expect(outcome.screen).not.toMatch(/\u001b\[\d*m/);
  });

  it('a dumb terminal is not drawn on', async () => {
    const outcome = await pick([], [], { TERM: 'dumb' });
    expect([outcome.exit, outcome.stdout, outcome.screen]).toEqual([2, '', '']);
    expect(outcome.stderr).toContain('candidates');
  });
});

describe('pick without a terminal', () => {
  it('is a usage error that names candidates', async () => {
    // Detached: a session of its own has no controlling terminal.
    const child = spawn(process.execPath, [BIN, 'pick', '--root', LOGS], { env: ENV, detached: true });
    const [stdout, stderr, exit] = await Promise.all([
      readAll(child.stdout),
      readAll(child.stderr),
      new Promise((done) => child.on('close', done)),
    ]);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^dsh-ref: [^\n]*terminal[^\n]*candidates[^\n]* \[DSH_REF_USAGE\]\n$/);
  });
});

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}
