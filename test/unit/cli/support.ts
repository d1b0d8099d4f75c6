import { Readable, Writable } from 'node:stream';
import type { Io } from '../../../src/cli/io.ts';
import { run } from '../../../src/cli/main.ts';
import { SessionLogError } from '../../../src/errors.ts';
import { formatSessionReferenceMention } from '../../../src/mention/mention.ts';
import type {
  Candidate,
  CandidateList,
  CandidateOptions,
  PrepareMessagesOptions,
  PrepareOptions,
  SessionStore,
  SessionStoreOptions,
  Skip,
} from '../../../src/store.ts';

export const NOW = Date.UTC(2026, 10, 30, 12);

/** A stream that keeps what it was given; `fail` makes every write fail with that system code. */
export class Sink extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly fail: string | undefined;
  readonly delayMs: number;

  constructor(options: { isTTY?: boolean; columns?: number; fail?: string; delayMs?: number } = {}) {
    super();
    this.isTTY = options.isTTY ?? false;
    this.columns = options.columns;
    this.fail = options.fail;
    this.delayMs = options.delayMs ?? 0;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.fail !== undefined) {
      done(Object.assign(new Error(`${this.fail}: no more`), { code: this.fail }));
      return;
    }
    this.text += chunk.toString('latin1');
    if (this.delayMs > 0) setTimeout(done, this.delayMs);
    else done();
  }

  /** All of it as UTF-8, whatever the borders of the chunks were. */
  get utf8(): string {
    return Buffer.from(this.text, 'latin1').toString();
  }
}

export interface Setup {
  candidates?: readonly Candidate[];
  origins?: CandidateList['origins'];
  total?: number;
  seen?: number;
  skipped?: readonly Skip[];
  /** Ids that are on disk, with their titles. */
  stored?: Readonly<Record<string, string | undefined>>;
  /** Called in place of the store's answer. */
  fail?: () => unknown;
  prepare?: SessionStore['prepare'];
  /** In place of the batch that passes everything on. */
  openBatch?: SessionStore['openBatch'];
  /** Called while a listing is being made. */
  listing?: (options: CandidateOptions) => void;
  /** The system's temporary directory; a test that names none must not need one. */
  tmpdir?: string;
  now?: () => number;
  /** In place of the fake store. */
  openStore?: Io['openStore'];
  env?: Record<string, string | undefined>;
  cwd?: () => string;
  stdin?: Readable;
  stdout?: Sink;
  stderr?: Sink;
  signal?: AbortSignal;
}

export interface Outcome {
  exit: number;
  stdout: string;
  stderr: string;
  asked: {
    roots?: readonly string[];
    store?: SessionStoreOptions;
    batch?: PrepareMessagesOptions;
    candidates?: CandidateOptions;
    prepare?: PrepareOptions;
    closed: boolean;
  };
}

export function candidate(sessionId: string, more: Partial<Candidate> = {}): Candidate {
  const label = more.label ?? `Title of ${sessionId}`;
  const displayTitle = more.displayTitle ?? label;
  return {
    sessionId,
    label,
    displayTitle,
    sameWorkspace: false,
    createdAt: NOW - 3 * 3_600_000,
    mention: formatSessionReferenceMention({ sessionId, label: displayTitle }),
    ...more,
  };
}

/** Runs a command line over a fake store whose root is a directory that exists. */
export async function cli(argv: readonly string[], setup: Setup = {}): Promise<Outcome> {
  const stdout = setup.stdout ?? new Sink();
  const stderr = setup.stderr ?? new Sink();
  const asked: Outcome['asked'] = { closed: false };
  const io: Io = {
    stdout,
    stderr,
    stdin: setup.stdin ?? failingInput(),
    env: { DSH_REF_ROOT: process.cwd(), ...setup.env },
    cwd: setup.cwd ?? (() => '/work/here'),
    homedir: () => '/home/me',
    tmpdir: () => setup.tmpdir ?? '/nowhere',
    platform: 'linux',
    now: setup.now ?? (() => NOW),
    ...(setup.signal ? { signal: setup.signal } : {}),
    openStore: async (options) => {
      asked.roots = options.roots ?? [];
      asked.store = options;
      if (setup.openStore !== undefined) return setup.openStore(options);
      return fakeStore(setup, asked);
    },
  };
  const exit = await run(argv, io);
  return { exit, stdout: stdout.utf8, stderr: stderr.utf8, asked };
}

/** Standard input that nobody may read. */
function failingInput(): Readable {
  return new Readable({
    read() {
      this.destroy(new Error('standard input was read'));
    },
  });
}

function fakeStore(setup: Setup, asked: Outcome['asked']): SessionStore {
  const { candidates = [], stored = {} } = setup;
  const answer = async <T>(value: T): Promise<T> => {
    await setup.fail?.();
    return value;
  };
  const notFound = (id: string): SessionLogError =>
    new SessionLogError('SESSION_LOG_NOT_FOUND', '/root', `no session ${JSON.stringify(id)}`);
  return {
    roots: asked.roots ?? [],
    listSessions: () => answer({ sessions: [], skipped: setup.skipped ?? [] }),
    listCandidates: (options = {}) => {
      asked.candidates = options;
      setup.listing?.(options);
      return answer({
        candidates,
        origins: setup.origins ?? candidates.map(() => 'root' as const),
        seen: setup.seen ?? candidates.length,
        total: setup.total ?? candidates.length,
        skipped: setup.skipped ?? [],
      });
    },
    readSurface: () => Promise.reject(new Error('not asked for here')),
    readConversation: () => Promise.reject(new Error('not asked for here')),
    readCandidate: async (id) => {
      if (!Object.hasOwn(stored, id)) throw notFound(id);
      const known = candidates.find(({ sessionId }) => sessionId === id);
      return answer(known ?? candidate(id, { label: stored[id] ?? id }));
    },
    prepare: async (options) => {
      asked.prepare = options;
      await setup.fail?.();
      return setup.prepare
        ? setup.prepare(options)
        : { content: [{ type: 'text', text: options.text ?? '' }] };
    },
    prepareMessages: () => Promise.reject(new Error('not asked for here')),
    openBatch: (options = {}) => {
      asked.batch = options;
      return setup.openBatch?.(options) ?? { prepare: async (message) => [message] };
    },
    resolveSessionId: async (given, options) => {
      const ids = Object.keys(stored);
      if (ids.includes(given)) return given;
      const matches =
        options?.prefix === true && given.length >= 4 ? ids.filter((id) => id.startsWith(given)) : [];
      if (matches.length === 1) return matches[0]!;
      if (matches.length === 0) throw notFound(given);
      throw new SessionLogError('SESSION_LOG_AMBIGUOUS', '', `${given} begins ${matches.join(', ')}`);
    },
    close: async () => {
      asked.closed = true;
    },
  };
}

/** The one line that an error is, split into sentence and code. */
export function errorLine(stderr: string): { sentence: string; code: string } {
  const match = /^dsh-ref: ([^\n]*) \[([A-Z_]+)\]\n$/.exec(stderr);
  if (!match) throw new Error(`not one error line: ${JSON.stringify(stderr)}`);
  return { sentence: match[1]!, code: match[2]! };
}
