import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { type PickFlags, run } from '../../../src/cli/commands/pick.ts';
import type { CommonOptions } from '../../../src/cli/common.ts';
import { CancelReason } from '../../../src/cli/exit.ts';
import type { Io } from '../../../src/cli/io.ts';
import { perform } from '../../../src/cli/perform.ts';
import type { Frame, Size } from '../../../src/cli/pick/frame.ts';
import type { Key } from '../../../src/cli/pick/keys.ts';
import type { Terminal, TerminalEvents } from '../../../src/cli/pick/terminal.ts';
import type { Candidate, Conversation, SessionStore } from '../../../src/store.ts';
import { candidate, errorLine, NOW, Sink } from './support.ts';

class FakeTerminal implements Terminal {
  frame: Frame | undefined;
  events: TerminalEvents | undefined;
  isOpen = false;
  stops = 0;
  columns = 80;
  rows = 24;

  start(events: TerminalEvents): void {
    this.isOpen = true;
    this.events = events;
  }
  size(): Size {
    return { columns: this.columns, rows: this.rows };
  }
  draw(frame: Frame): void {
    this.frame = frame;
  }
  stop(): void {
    if (this.isOpen) this.stops++;
    this.isOpen = false;
  }

  press(text: string | undefined, key: Key = {}): void {
    this.events?.onKey(text, key);
  }
  async shows(text: string): Promise<void> {
    await vi.waitFor(() => expect(this.frame?.lines.join('\n')).toContain(text));
  }
}

const SESSIONS = [
  candidate('one', { label: 'The login fix' }),
  candidate('two', { label: 'Budget limits' }),
  candidate('three', { label: 'Line\nbreak' }),
];

interface Setup {
  flags?: PickFlags;
  query?: string;
  candidates?: readonly Candidate[];
  read?: SessionStore['readConversation'];
  common?: CommonOptions;
  env?: Record<string, string>;
  signal?: AbortSignal;
}

type Outcome = Record<'stdout' | 'stderr', string> & { exit: number };

function conversation(...texts: string[]): Conversation {
  const items = texts.map((text, seq) => ({ role: 'user' as const, text, checkpoint: false, seq }));
  return { items, diagnostics: [], capturedThroughSeq: 1, session: {} as Conversation['session'] };
}

const listed: Parameters<SessionStore['listCandidates']>[0][] = [];

async function pick(terminal: Terminal | undefined, setup: Setup = {}): Promise<Outcome> {
  const { candidates = SESSIONS } = setup;
  const [stdout, stderr] = [new Sink(), new Sink()];
  const store = {
    roots: ['/'],
    listCandidates: async (options: Parameters<SessionStore['listCandidates']>[0]) => {
      listed.push(options);
      const total = candidates.length;
      return { candidates, origins: candidates.map(() => 'root'), total, seen: 7, skipped: [] };
    },
    readConversation: setup.read ?? (async () => conversation('hello')),
    close: async () => undefined,
  } as unknown as SessionStore;
  const io: Io = {
    stdout,
    stderr,
    get stdin(): Io['stdin'] {
      throw new Error('standard input was touched');
    },
    env: { NO_COLOR: '1', ...setup.env },
    cwd: () => '/work/here',
    homedir: () => '/home/me',
    tmpdir: () => '/nowhere',
    platform: 'linux',
    now: () => NOW,
    ...(setup.signal === undefined ? {} : { signal: setup.signal }),
    openStore: async () => store,
  };
  const common = { root: ['/'], index: false, ...setup.common };
  const exit = await perform(io, 'text', (task) =>
    run(setup.query ?? '', setup.flags ?? {}, { task, common }, () => terminal),
  );
  return { exit, stdout: stdout.utf8, stderr: stderr.utf8 };
}

const ENTER: [string, Key] = ['\r', { name: 'return' }];
const DOWN: [undefined, Key] = [undefined, { name: 'down' }];

describe('pick', () => {
  it('prints what was chosen, on one line', async () => {
    for (const [format, line] of [
      ['mention', '@[Line break](dsh-session:InRocmVlIg)\n'],
      ['id', 'three\n'],
      ['uri', 'dsh-session:InRocmVlIg\n'],
    ] as const) {
      const terminal = new FakeTerminal();
      const picking = pick(terminal, { flags: { format } });
      await terminal.shows('pick>');
      terminal.press(...DOWN);
      terminal.press(...DOWN);
      terminal.press(...ENTER);
      expect(await picking).toEqual({ exit: 0, stdout: line, stderr: '' });
      expect([terminal.isOpen, terminal.stops]).toEqual([false, 1]);
    }
  });

  it('asks for all sessions, narrowed by the options', async () => {
    await pick(new FakeTerminal(), { flags: { here: true, topLevel: true, select1: true }, query: 'budget' });
    expect(listed.at(-1)).toMatchObject({
      limit: Number.MAX_SAFE_INTEGER,
      here: true,
      topLevel: true,
      cwd: '/work/here',
    });
  });

  it('--select-1 asks only where there is a choice', async () => {
    const silent = new FakeTerminal();
    const one = await pick(silent, { flags: { select1: true }, query: 'budget' });
    expect(one.stdout).toMatch(/^@\[Budget limits\]/);
    expect(silent.frame).toBeUndefined();
    const terminal = new FakeTerminal();
    const picking = pick(terminal, { flags: { select1: true }, query: 'i' });
    await terminal.shows('pick>');
    terminal.press(undefined, { name: 'escape', meta: true });
    expect((await picking).exit).toBe(130);
  });

  it('Enter with nothing selected stays', async () => {
    const terminal = new FakeTerminal();
    const picking = pick(terminal, { query: 'zzz' });
    await terminal.shows('no session matches');
    terminal.press(...ENTER);
    await delay(20);
    expect(terminal.isOpen).toBe(true);
    terminal.press('\u0015', { name: 'u', ctrl: true });
    terminal.press(...ENTER);
    expect((await picking).stdout).toMatch(/^@\[The login fix\]/);
  });

  it('without a terminal is a usage error, before anything is read', async () => {
    for (const [terminal, env] of [
      [undefined, {}],
      [new FakeTerminal(), { TERM: 'dumb' }],
    ] as const) {
      listed.length = 0;
      const { exit, stdout, stderr } = await pick(terminal, { env });
      expect([exit, stdout, errorLine(stderr).code]).toEqual([2, '', 'DSH_REF_USAGE']);
      expect(stderr).toContain('dsh-ref candidates');
      expect(listed).toEqual([]);
    }
  });

  it('H-88: with nothing to choose from says where it looked, exit 4', async () => {
    const terminal = new FakeTerminal();
    const { exit, stdout, stderr } = await pick(terminal, { candidates: [] });
    expect([exit, stdout, errorLine(stderr).code]).toEqual([4, '', 'SESSION_LOG_NOT_FOUND']);
    expect(stderr).toContain('under / (given by --root); 7 seen, 0 skipped');
    expect(terminal.frame).toBeUndefined();
  });
});

describe('every end gives the terminal back', () => {
  it('a signal, at once', async () => {
    const terminal = new FakeTerminal();
    const controller = new AbortController();
    const picking = pick(terminal, { signal: controller.signal });
    await terminal.shows('pick>');
    controller.abort(new CancelReason('SIGTERM', 'cancelled by SIGTERM'));
    expect(terminal.isOpen).toBe(false);
    expect(await picking).toMatchObject({ exit: 143, stdout: '' });
  });

  it('a fault of ours', async () => {
    const terminal = new FakeTerminal();
    const picking = pick(terminal);
    await terminal.shows('pick>');
    terminal.size = () => {
      throw new TypeError('broken');
    };
    terminal.press(...DOWN);
    expect((await picking).exit).toBe(1);
    expect(terminal.isOpen).toBe(false);
  });

  it('the end of the terminal', async () => {
    for (const [error, exit] of [
      [undefined, 130],
      [new Error('EIO'), 2],
    ] as const) {
      const terminal = new FakeTerminal();
      const picking = pick(terminal);
      await terminal.shows('pick>');
      terminal.events?.onEnd(error);
      expect(await picking).toMatchObject({ exit, stdout: '' });
      expect(terminal.isOpen).toBe(false);
    }
  });
});

describe('the preview', () => {
  it('follows the selection; a session whose log is bad can be chosen all the same', async () => {
    const terminal = new FakeTerminal();
    const read: SessionStore['readConversation'] = async (id) => {
      if (id === 'two') throw new Error('damaged \u001b[2J');
      return conversation(`talk of ${id}`);
    };
    const picking = pick(terminal, { read });
    await terminal.shows('reading …');
    await terminal.shows('user: talk of one');
    terminal.press(...DOWN);
    await terminal.shows('cannot be read: damaged \\u001b[2J');
    terminal.press(...ENTER);
    expect((await picking).exit).toBe(0);
  });

  it('is not read where it is not shown', async () => {
    const terminal = new FakeTerminal();
    terminal.rows = 8;
    const read = vi.fn<SessionStore['readConversation']>(async () => conversation('hello'));
    const picking = pick(terminal, { read });
    await terminal.shows('pick>');
    await delay(120);
    expect(read).not.toHaveBeenCalled();
    terminal.rows = 24;
    terminal.events?.onRedraw();
    await terminal.shows('user: hello');
    terminal.press(...ENTER);
    await picking;
  });
});
