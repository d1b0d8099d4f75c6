/** An index never changes an answer: every history of a root, listed with an index of every sort and without one. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CandidateOptions, openSessionStore, type SessionStore } from '../../src/index.ts';
import { plainLog, zstdLog } from '../support/log-writer/container.ts';
import { type Format, LogScript } from '../support/log-writer/log-script.ts';
import { Prng } from '../support/log-writer/prng.ts';
import { type Encoding, logName, placeLog } from '../support/log-writer/write-root.ts';
import { encodeFrame, type FrameOptions } from '../support/log-writer/zstd-frame.ts';

/** A log as its writer knows it. */
interface Session {
  readonly id: string;
  readonly cwd: string | undefined;
  readonly script: LogScript;
  readonly encoding: Encoding;
  readonly path: string;
  /** Bytes that are not a torn tail. */
  soundBytes: number;
}

const CWDS = ['/p/a', '/p/a', '/p/b', undefined];
const FRAMES: readonly FrameOptions[] = [
  {},
  { checksum: false },
  { blocks: 'raw', blockBytes: 200 },
  { blocks: 'raw', blockBytes: 90 },
];

/** A root that lives: writers write, people move things about, disks fail. */
class History {
  readonly root: string;
  readonly #random: Prng;
  readonly #sessions: Session[] = [];
  readonly #moved: { readonly from: string; readonly to: string }[] = [];
  #count = 0;

  constructor(root: string, seed: number) {
    this.root = root;
    this.#random = new Prng(seed);
    mkdirSync(root, { recursive: true });
  }

  add(): void {
    this.#count += 1;
    const id = `s-${this.#count}`;
    const cwd = this.#random.pick(CWDS);
    this.#write(id, cwd, this.#random.pick<Format>([0, 1, 2, 3, 4]), this.#random.pick(['plain', 'zstd']));
  }

  /** The log comes with the first append; here it comes to stay away, or as another session's. */
  emptyDirectory(): void {
    this.#count += 1;
    mkdirSync(dirname(this.#pathOf(`s-${this.#count + 1}`)), { recursive: true });
  }

  /** A log that lies in the directory of another session, and one that lies loose. */
  strayLog(): void {
    this.#change(({ path }) => {
      if (path.includes('pile')) return;
      this.#count += 1;
      const stray = this.#random.chance(0.5)
        ? join(dirname(dirname(path)), `loose-${this.#count}.jsonl`)
        : join(dirname(dirname(path)), `other-${this.#count}`, basename(path));
      mkdirSync(dirname(stray), { recursive: true });
      cpSync(path, stray);
    });
  }

  link(): void {
    this.#change(({ path }) => {
      this.#count += 1;
      symlinkSync(dirname(path), join(dirname(dirname(path)), `link-${this.#count}`));
    });
  }

  /** A log in a directory of another name, which links make the right one, mostly of an id that another has. */
  throughLinks(): void {
    this.#change(({ id, path }) => {
      if (path.includes('pile')) return;
      this.#count += 1;
      const script = new LogScript(4, {
        id: this.#random.chance(0.7) ? id : `s-${this.#count}`,
        cwd: '/p/l',
      });
      this.#addRows(script);
      const directory = join(dirname(dirname(path)), `aside-${this.#count}`);
      mkdirSync(directory);
      writeFileSync(join(directory, 'session.v4.jsonl'), plainLog(script.lines));
      const links = join(dirname(this.root), 'links');
      mkdirSync(links, { recursive: true });
      linkAnew(links, join(this.root, '--p-l--'));
      linkAnew(directory, join(links, String(script.header.id)));
    });
  }

  addToPile(): void {
    this.#count += 1;
    const script = new LogScript(4, { id: `pile-${this.#count}`, cwd: '/p/a' });
    this.#addRows(script);
    const path = join(this.root, 'pile', `${this.#count}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    this.#keep(
      { id: `pile-${this.#count}`, cwd: '/p/a', script, encoding: 'plain', path },
      plainLog(script.lines),
    );
  }

  /** The writer cuts what was torn and goes on. */
  grow(): void {
    this.#change((session) => {
      truncateSync(session.path, session.soundBytes);
      const bytes = this.#moreBytes(session);
      appendFileSync(session.path, bytes);
      session.soundBytes += bytes.length;
    });
  }

  /** Rows that get lost again: their seqs are given to others later. */
  tear(): void {
    this.#change((session) => {
      truncateSync(session.path, session.soundBytes);
      const { script } = session;
      const { nextSeq, time, turn } = script;
      const bytes = this.#moreBytes(session);
      script.rows.splice(script.rows.length - this.#lastRows);
      Object.assign(script, { nextSeq, time, turn });
      appendFileSync(session.path, bytes.subarray(0, this.#random.int(1, bytes.length - 1)));
    });
  }

  migrate(): void {
    this.#change((session) => {
      const { id, cwd, script, encoding } = session;
      if (script.format === 4 || session.path.includes('pile')) return;
      this.#forget(session);
      this.#write(id, cwd, (script.format + 1) as Format, encoding);
    });
  }

  newerThanKnown(): void {
    this.#change(({ path }) => writeFileSync(join(dirname(path), 'session.v5.jsonl'), '{}\n'));
  }

  twin(): void {
    this.#change(({ path, script }) => {
      if (path.includes('pile')) return;
      const other = path.endsWith('.zstd') ? path.slice(0, -5) : `${path}.zstd`;
      writeFileSync(other, path.endsWith('.zstd') ? plainLog(script.lines) : zstdLog(script.lines));
    });
  }

  removeNewest(): void {
    this.#change((session) => {
      rmSync(session.path);
      this.#forget(session);
    });
  }

  removeDirectory(): void {
    this.#change((session) => {
      rmSync(dirname(session.path), { recursive: true });
      this.#forget(session);
    });
  }

  moveDirectory(): void {
    this.#change(({ path }) => {
      const from = this.#random.chance(0.7) ? dirname(path) : dirname(dirname(path));
      const to = join(dirname(from), this.#random.chance(0.5) ? `${basename(from)}x` : '--moved--');
      if (existsSync(to) || from === this.root) return;
      renameSync(from, to);
      this.#moved.push({ from, to });
    });
  }

  moveBack(): void {
    const last = this.#moved.pop();
    if (last !== undefined && existsSync(last.to) && !existsSync(last.from)) renameSync(last.to, last.from);
  }

  oldTimes(): void {
    this.#change(({ path }) => {
      utimesSync(path, 1000, this.#random.int(1000, 1003));
      utimesSync(dirname(path), 1000, 1000);
    });
  }

  /** Other content of the same size, with the modification time put back. */
  sameSizeAndTime(): void {
    this.#change(({ path, script, encoding }) => {
      const { atime, mtime } = statSync(path);
      const lines = script.lines.map((line) =>
        line.replaceAll('Title', this.#random.pick(['Teddy', 'Tiger'])),
      );
      const bytes = encoding === 'plain' ? plainLog(lines) : zstdLog(lines, { blocks: 'raw' });
      writeFileSync(path, bytes);
      utimesSync(path, atime, mtime);
    });
  }

  rewriteInPlace(): void {
    this.#change((session) => {
      const { path, id, cwd, encoding, script } = session;
      const other = new LogScript(script.format, { id, cwd, createdAt: script.header.createdAt });
      while (other.rows.join('').length < script.rows.join('').length + 200) this.#addRows(other);
      writeFileSync(path, encoding === 'plain' ? plainLog(other.lines) : zstdLog(other.lines));
      this.#forget(session);
    });
  }

  damage(): void {
    this.#change(({ path }) => {
      const bytes = readFileSync(path);
      bytes[this.#random.int(0, bytes.length - 1)]! ^= 1 << this.#random.int(0, 7);
      writeFileSync(path, bytes);
    });
  }

  cutAnywhere(): void {
    this.#change((session) => {
      truncateSync(session.path, this.#random.int(0, statSync(session.path).size));
      this.#forget(session);
    });
  }

  #lastChanged: Session | undefined;

  /** Much of what goes wrong goes wrong when one log is changed twice in a row. */
  #change(change: (session: Session) => void): void {
    const there = this.#sessions.filter(({ path }) => existsSync(path));
    if (there.length === 0) return;
    const last = this.#lastChanged;
    const session =
      last !== undefined && there.includes(last) && this.#random.chance(0.6)
        ? last
        : this.#random.pick(there);
    this.#lastChanged = session;
    change(session);
  }

  #pathOf(id: string): string {
    const cwd = this.#random.pick(CWDS);
    return join(
      this.root,
      cwd === undefined ? '_no-cwd' : `--${cwd.slice(1).replaceAll('/', '-')}--`,
      id,
      'log',
    );
  }

  #write(id: string, cwd: string | undefined, format: Format, encoding: Encoding): void {
    const origin = this.#random.chance(0.3) ? { origin: 'subagent' } : {};
    const script = new LogScript(format, { id, cwd, createdAt: this.#random.int(1, 5), ...origin });
    this.#addRows(script);
    const bytes =
      encoding === 'plain' ? plainLog(script.lines) : zstdLog(script.lines, this.#random.pick(FRAMES));
    const path = placeLog(this.root, { id, cwd, name: logName(format, encoding), bytes });
    this.#keep({ id, cwd, script, encoding, path }, bytes);
  }

  #keep(session: Omit<Session, 'soundBytes'>, bytes: Buffer): void {
    if (!existsSync(session.path)) writeFileSync(session.path, bytes);
    this.#sessions.push({ ...session, soundBytes: bytes.length });
  }

  #forget(session: Session): void {
    this.#sessions.splice(this.#sessions.indexOf(session), 1);
  }

  #lastRows = 0;

  #moreBytes({ script, encoding }: Session): Buffer {
    const before = script.rows.length;
    this.#addRows(script);
    const rows = script.rows.slice(before);
    this.#lastRows = rows.length;
    const bytes = Buffer.from(rows.map((row) => `${row}\n`).join(''));
    return encoding === 'plain' ? bytes : encodeFrame(bytes, this.#random.pick(FRAMES));
  }

  #addRows(script: LogScript): void {
    const random = this.#random;
    for (let rows = random.int(1, 4); rows > 0; rows -= 1) {
      const kind = random.int(0, 5);
      if (kind <= 1) script.title(random.chance(0.9) ? `Title ${random.text(8)}` : '  ');
      else if (kind === 2) script.user(random.text(random.int(1, 600)));
      else if (kind === 3) script.descriptor({ label: `Label ${random.text(5)}` });
      else if (kind === 4) script.toolRound(`call-${script.nextSeq}`, random.text(40));
      else this.#replaceLast(script);
    }
  }

  /** What a fold that goes on cannot know the beginning of. */
  #replaceLast(script: LogScript): void {
    const seq = script.user('question');
    script.compact('summary', seq, seq, [seq]);
  }
}

function linkAnew(target: string, path: string): void {
  rmSync(path, { force: true });
  symlinkSync(target, path);
}

type Operation =
  | 'add'
  | 'emptyDirectory'
  | 'strayLog'
  | 'link'
  | 'throughLinks'
  | 'addToPile'
  | 'grow'
  | 'tear'
  | 'migrate'
  | 'newerThanKnown'
  | 'twin'
  | 'removeNewest'
  | 'removeDirectory'
  | 'moveDirectory'
  | 'moveBack'
  | 'oldTimes'
  | 'sameSizeAndTime'
  | 'rewriteInPlace'
  | 'damage'
  | 'cutAnywhere';

const APPENDING: readonly Operation[] = ['add', 'grow', 'grow', 'grow', 'addToPile', 'migrate'];
const STRAYING: readonly Operation[] = [
  'add',
  'emptyDirectory',
  'strayLog',
  'link',
  'throughLinks',
  'grow',
  'removeDirectory',
];
const KILLED: readonly Operation[] = ['tear', 'grow', 'tear', 'grow', 'migrate'];
const REPLACING: readonly Operation[] = [
  'add',
  'grow',
  'removeNewest',
  'removeDirectory',
  'moveDirectory',
  'moveBack',
  'oldTimes',
  'sameSizeAndTime',
  'rewriteInPlace',
];
const FAILING: readonly Operation[] = ['add', 'grow', 'newerThanKnown', 'twin', 'damage', 'cutAnywhere'];

const QUESTIONS: readonly CandidateOptions[] = [
  // Of most sessions only the header is read for it.
  { limit: 1 },
  {},
  { query: 'titl', limit: 1000 },
  { query: 'la', limit: 3 },
  { cwd: '/p/a', limit: 2 },
  { cwd: '/p/b', here: true, topLevel: true, query: 't' },
];

async function answers(store: SessionStore): Promise<string> {
  const all: unknown[] = [];
  for (const question of QUESTIONS) all.push(await store.listCandidates(question));
  all.push(await store.listSessions());
  return JSON.stringify(all, null, 1);
}

/** Rows are kept at once, but nothing that is looked at lies in this future. */
const clock = () => Date.now() + 5 * 60_000;

/** Waits until a change of a file gets another time than one of before. */
function tick(probe: string): void {
  writeFileSync(probe, '');
  const before = statSync(probe, { bigint: true }).ctimeNs;
  while (statSync(probe, { bigint: true }).ctimeNs === before) writeFileSync(probe, '');
}

/** Each makes of the index in `directory` one that is no longer what was written. */
const DAMAGES: readonly ((files: readonly string[], random: Prng) => void)[] = [
  (files, random) => truncateSync(random.pick(files), random.int(0, 200)),
  (files, random) =>
    writeFileSync(random.pick(files), random.pick(['', '{}', '[]', 'null', '5', '\0'.repeat(99)])),
  (files) => {
    // Each shard in the place of another.
    const contents = files.map((file) => readFileSync(file));
    for (const [at, file] of files.entries()) writeFileSync(file, contents[(at + 1) % files.length]!);
  },
  (files, random) => {
    const file = random.pick(files);
    const bytes = readFileSync(file);
    bytes[random.int(0, bytes.length - 1)]! ^= 1 << random.int(0, 7);
    writeFileSync(file, bytes);
  },
  (files, random) => {
    const file = random.pick(files);
    const bytes = readFileSync(file);
    bytes.fill(0, random.int(0, bytes.length - 1));
    writeFileSync(file, bytes);
  },
];

function damaged(index: string, random: Prng): void {
  const files = readdirSync(index).map((name) => join(index, name));
  if (files.length > 0) random.pick(DAMAGES)(files, random);
}

test.each([
  ['writers that append', 10, APPENDING],
  ['writers that are killed and go on', 50, KILLED],
  ['people who move and replace files', 15, REPLACING],
  ['strays', 15, STRAYING],
  ['disks that fail', 15, FAILING],
  ['all of them', 10, [...APPENDING, ...KILLED, ...REPLACING, ...STRAYING, ...FAILING]],
] as const)(
  'H-37: an index gives the answers of none after every step of %s',
  async (_who, numRuns, kinds) => {
    const steps = fc.array(fc.constantFrom(...kinds), { minLength: 4, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (operations, seed) => {
        const folder = mkdtempSync(join(realpathSync(tmpdir()), 'dsh-ref-index-'));
        try {
          await live(folder, operations, seed);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }),
      { numRuns },
    );
  },
  240_000,
);

/** The root, and inside of it a project, a session or a pile that is a root as well. */
function nestedRoots(root: string, random: Prng): string[] {
  const inside = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (inside.length === 0) return [root];
  return random.chance(0.7) ? [root, random.pick(inside)] : [random.pick(inside), root];
}

async function live(folder: string, operations: readonly Operation[], seed: number): Promise<void> {
  const history = new History(join(folder, 'root'), seed);
  const random = new Prng(seed + 1);
  const index = join(folder, 'index');
  const stale = join(folder, 'stale');
  const broken = join(folder, 'broken');
  const untitled = join(folder, 'untitled');
  const copied = join(folder, 'copied');
  const ofNested = join(folder, 'nested');
  const roots = [history.root];
  const staying = openSessionStore({ roots, clock });
  const stayingOnDisk = openSessionStore({ roots, clock, indexDir: index });
  for (const operation of ['add', ...operations] as const) {
    history[operation]();
    tick(join(folder, 'probe'));
    const expected = await answers(openSessionStore({ roots, index: false }));
    expect(await answers(staying), 'a store that stays').toBe(expected);
    expect(await answers(openSessionStore({ roots, clock, indexDir: stale })), 'an index of before').toBe(
      expected,
    );
    expect(await answers(stayingOnDisk), 'a store that stays, with files').toBe(expected);
    expect(await answers(openSessionStore({ roots, clock, indexDir: index })), 'a warm index').toBe(expected);
    const nested = { roots: nestedRoots(history.root, random), clock };
    const expectedOfNested = await answers(openSessionStore({ ...nested, index: false }));
    for (const which of ['an index of other roots', 'a warm index']) {
      const found = await answers(openSessionStore({ ...nested, indexDir: ofNested }));
      expect(found, `${which}, roots inside one another`).toBe(expectedOfNested);
    }
    rmSync(broken, { recursive: true, force: true });
    cpSync(index, broken, { recursive: true });
    damaged(broken, random);
    expect(await answers(openSessionStore({ roots, clock, indexDir: broken })), 'a damaged index').toBe(
      expected,
    );
    await openSessionStore({ roots, clock, indexDir: untitled }).listCandidates({ limit: 1 });
    const ofFewTitles = async (): Promise<SessionStore> => {
      rmSync(copied, { recursive: true, force: true });
      cpSync(untitled, copied, { recursive: true });
      return openSessionStore({ roots, clock, indexDir: copied });
    };
    expect(await answers(await ofFewTitles()), 'an index of few titles').toBe(expected);
    const overtaken = await ofFewTitles();
    await overtaken.listCandidates({ limit: 1 });
    await openSessionStore({ roots, clock, indexDir: copied }).listCandidates({ limit: 2 });
    expect(await answers(overtaken), 'an index of few titles that another replaces').toBe(expected);
    const damagedOne = await ofFewTitles();
    damaged(copied, random);
    expect(await answers(damagedOne), 'a damaged index of few titles').toBe(expected);
    if (!random.chance(0.5)) continue;
    rmSync(stale, { recursive: true, force: true });
    cpSync(index, stale, { recursive: true });
  }
}
