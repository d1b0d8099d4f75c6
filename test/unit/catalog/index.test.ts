/** The index as files and between processes: private, optional, and never more than a way to save work. */
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { countIndexed, indexFiles } from '../../../src/catalog/index-files.ts';
import { openSessionStore } from '../../../src/index.ts';
import { plainLog, zstdLog } from '../../support/log-writer/container.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { Prng } from '../../support/log-writer/prng.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { placeLog, writeRoot } from '../../support/log-writer/write-root.ts';
import { encodeFrame } from '../../support/log-writer/zstd-frame.ts';
import { treeState } from '../../support/tree-state.ts';

const MINUTE_MS = 60_000;
/** Far enough ahead that rows are kept at once, not so far that a temporary file looks left behind. */
const clock = () => Date.now() + 5 * MINUTE_MS;

interface Place {
  readonly root: string;
  readonly indexDir: string;
  readonly paths: readonly string[];
}

function place(count = 3): Place {
  const folder = scratch();
  const root = join(folder, 'root');
  const sessions = Array.from({ length: count }, (_none, at) => ({
    id: `s-${at}`,
    cwd: `/p/${at % 2}`,
    bytes: 500,
    encoding: at % 3 === 0 ? ('plain' as const) : ('zstd' as const),
  }));
  return { root, indexDir: join(folder, 'cache', 'index'), paths: writeRoot(root, { sessions }) };
}

async function list({ root, indexDir }: Pick<Place, 'root' | 'indexDir'>, now = clock): Promise<string> {
  const store = openSessionStore({ roots: [root], indexDir, clock: now });
  return JSON.stringify(await store.listCandidates({ query: '', limit: 1000 }));
}

async function listWithout(root: string): Promise<string> {
  const store = openSessionStore({ roots: [root], index: false });
  return JSON.stringify(await store.listCandidates({ query: '', limit: 1000 }));
}

const filesIn = (directory: string) => readdirSync(directory).map((name) => join(directory, name));

describe('the files', () => {
  test('are for nobody else, in a directory for nobody else', async () => {
    const at = place();
    await list(at);
    expect(statSync(at.indexDir).mode & 0o777).toBe(0o700);
    const files = filesIn(at.indexDir);
    expect(files.length).toBe(2);
    for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('are one for each project, whatever its name, and one for a pile', async () => {
    const folder = scratch();
    const root = join(folder, 'root');
    const at = { root, indexDir: join(folder, 'index') };
    const long = `/${'long/'.repeat(60)}`;
    const cwds = ['/p/a b', '/p/~ü', undefined, long, `${long}too`];
    writeRoot(root, { sessions: cwds.map((cwd, number) => ({ id: `s-${number}`, cwd, bytes: 300 })) });
    writeFileSync(join(root, 'pile.jsonl'), plainLog(new LogScript(4, { id: 'pile', cwd: '/p' }).lines));
    const expected = await listWithout(root);
    for (let time = 0; time < 2; time += 1) expect(await list(at)).toBe(expected);
    // Two long directories have a project directory in common.
    expect(readdirSync(root).length).toBe(4 + 1);
    expect(indexFiles(at.indexDir).length).toBe(4 + 1);
    expect(countIndexed(at.indexDir)).toBe(6);
  });

  test.each(['plain', 'zstd'] as const)('hold no text of a message (%s logs)', async (encoding) => {
    const at = place(0);
    mkdirSync(at.root, { recursive: true });
    const marker = 'Zq7'.repeat(20);
    const script = new LogScript(4, { id: 'm', cwd: '/p/0' });
    script.title('A title may be there');
    script.system(marker);
    script.toolRound('call-1', marker);
    script.assistant(marker);
    script.user(marker);
    const bytes = encoding === 'plain' ? plainLog(script.lines) : zstdLog(script.lines, { blocks: 'raw' });
    const name = `session.v4.jsonl${encoding === 'zstd' ? '.zstd' : ''}`;
    placeLog(at.root, { id: 'm', cwd: '/p/0', name, bytes });
    await list(at);
    const stored = filesIn(at.indexDir).map((file) => readFileSync(file, 'utf8'));
    expect(stored.join('')).toContain('A title may be there');
    // As it is, or as bytes in any spelling of a string.
    const spellings = stored.flatMap((text) => [
      text,
      ...(text.match(/[A-Za-z0-9+/=_-]{8,}/g) ?? []).flatMap((word) => [
        Buffer.from(word, 'base64').toString('latin1'),
        Buffer.from(word, 'hex').toString('latin1'),
      ]),
    ]);
    expect(spellings.filter((text) => /Zq7|q7Z/.test(text))).toEqual([]);
  });

  test('of many projects are one, and one for each that has changed since, until these are many', async () => {
    const folder = scratch();
    const at = { root: join(folder, 'root'), indexDir: join(folder, 'index') };
    const sessions = Array.from({ length: 40 }, (_none, number) => ({
      id: `s-${number}`,
      cwd: `/p/${number}`,
      bytes: 300,
      encoding: 'plain' as const,
    }));
    const paths = writeRoot(at.root, { sessions });
    const names = () => readdirSync(at.indexDir).map((name) => name.slice(16));
    await list(at);
    expect(names()).toEqual(['+all.index']);
    expect(countIndexed(at.indexDir)).toBe(40);
    let most = 0;
    for (const [number, path] of paths.entries()) {
      appendFileSync(path, `${JSON.stringify({ type: 'x/y', seq: 99 })}`);
      expect(await list(at)).toBe(await listWithout(at.root));
      most = Math.max(most, names().length);
      expect(names()).toContain('+all.index');
      if (number === 2) expect(names()).toHaveLength(1 + 3);
      expect(countIndexed(at.indexDir)).toBe(40);
    }
    expect(most).toBe(1 + 16);
    // Without the one file the others still count, and the other way round.
    for (const name of readdirSync(at.indexDir)) {
      if (name.includes('+all') === most % 2 > 0) rmSync(join(at.indexDir, name));
      expect(await list(at)).toBe(await listWithout(at.root));
    }
  });

  test('forget projects that are gone, wherever they stood', async () => {
    const folder = scratch();
    const at = { root: join(folder, 'root'), indexDir: join(folder, 'index') };
    const sessions = Array.from({ length: 20 }, (_none, number) => ({
      id: `s-${number}`,
      cwd: `/p/${number}`,
      bytes: 300,
    }));
    const paths = writeRoot(at.root, { sessions });
    await list(at);
    appendFileSync(paths[3]!, 'torn');
    await list(at);
    const text = () =>
      filesIn(at.indexDir)
        .map((file) => readFileSync(file, 'latin1'))
        .join('');
    expect(text()).toContain('"s-3"');
    expect(text()).toContain('"s-7"');
    for (const number of [3, 7]) rmSync(join(at.root, `--p-${number}--`), { recursive: true });
    expect(await list(at)).toBe(await listWithout(at.root));
    expect(text()).not.toContain('"s-3"');
    expect(text()).not.toContain('"s-7"');
    expect(text()).toContain('"s-8"');
    rmSync(join(at.root, '--p-8--', 's-8'), { recursive: true });
    await list(at);
    expect(text()).not.toContain('"s-8"');
  });

  test('forget sessions that are gone', async () => {
    const at = place(6);
    const before = await list(at);
    expect(before).toContain('s-5');
    rmSync(join(at.root, '--p-1--', 's-5'), { recursive: true });
    await list(at);
    expect(
      filesIn(at.indexDir)
        .map((file) => readFileSync(file, 'utf8'))
        .join(''),
    ).not.toContain('s-5');
  });
});

describe('what another could have put there is not used', () => {
  /** An index whose titles are lies that the logs do not tell. */
  async function poisoned(): Promise<Place & { readonly files: readonly string[] }> {
    const at = place();
    await list(at);
    const files = filesIn(at.indexDir);
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replaceAll('"title":{"title":"', '"title":{"title":"poison '));
    }
    return { ...at, files };
  }

  test('a file that others may write', async () => {
    const at = await poisoned();
    for (const file of at.files) chmodSync(file, 0o620);
    expect(await list(at)).toBe(await listWithout(at.root));
  });

  test('a link in place of a file; what it points to stays as it is', async () => {
    const at = await poisoned();
    const elsewhere = join(at.root, '..', 'elsewhere');
    mkdirSync(elsewhere);
    const contents = at.files.map((file, n) => {
      const target = join(elsewhere, String(n));
      linkSync(file, target);
      const content = readFileSync(file);
      rmSync(file);
      symlinkSync(target, file);
      return { target, content };
    });
    expect(await list(at)).toBe(await listWithout(at.root));
    for (const { target, content } of contents) expect(readFileSync(target).equals(content)).toBe(true);
  });

  test('a directory that others may write', async () => {
    const at = place();
    mkdirSync(at.indexDir, { recursive: true });
    chmodSync(at.indexDir, 0o770);
    expect(await list(at)).toBe(await listWithout(at.root));
    expect(readdirSync(at.indexDir)).toEqual([]);
  });

  test('a pipe in place of a file does not block', async () => {
    const at = await poisoned();
    for (const file of at.files) {
      rmSync(file);
      execFileSync('mkfifo', [file]);
    }
    const { child, ended } = start('process.stdout.write(await list());', at);
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    expect(await ended).toBe(await listWithout(at.root));
    clearTimeout(timer);
  });
});

describe('places that cannot be used cost nothing but time', () => {
  test('a directory inside a root, whatever links lead there: nothing is written in it', async () => {
    const { root } = place();
    const link = join(dirname(root), 'link');
    symlinkSync(root, link);
    const before = treeState(root);
    for (const indexDir of [root, join(root, 'cache', 'index'), join(link, 'index')]) {
      expect(await list({ root, indexDir })).toBe(await listWithout(root));
      expect(await list({ root: link, indexDir })).toBe(await listWithout(link));
    }
    expect(treeState(root)).toEqual(before);
  });

  test('a file where the directory is due, and below it', async () => {
    const at = place();
    const file = join(at.root, '..', 'file');
    writeFileSync(file, 'mine');
    const expected = await listWithout(at.root);
    expect(await list({ root: at.root, indexDir: file })).toBe(expected);
    expect(await list({ root: at.root, indexDir: join(file, 'below') })).toBe(expected);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('a directory in place of a shard', async () => {
    const at = place();
    await list(at);
    for (const file of filesIn(at.indexDir)) {
      rmSync(file);
      mkdirSync(file);
    }
    expect(await list(at)).toBe(await listWithout(at.root));
  });

  test('odd things that are named like left-behind files', async () => {
    const at = place();
    mkdirSync(join(at.indexDir, 'directory.tmp'), { recursive: true });
    utimesSync(join(at.indexDir, 'directory.tmp'), 1, 1);
    symlinkSync('loop.tmp', join(at.indexDir, 'loop.tmp'));
    chmodSync(at.indexDir, 0o700);
    expect(await list(at)).toBe(await listWithout(at.root));
  });

  test('files of others are left alone, however old', async () => {
    const at = place();
    mkdirSync(at.indexDir, { recursive: true, mode: 0o700 });
    const foreign = join(at.indexDir, 'draft.tmp');
    writeFileSync(foreign, 'mine');
    utimesSync(foreign, 1, 1);
    await list(at);
    expect(existsSync(foreign)).toBe(true);
  });
});

describe('freshness', () => {
  /** Two titles of one length, so that only the time of the change tells the logs apart. */
  const logOf = (title: string) => {
    const script = new LogScript(4, { id: 'f', cwd: '/p/0' });
    script.title(title);
    return plainLog(script.lines);
  };
  const writeLog = (root: string, title: string) =>
    placeLog(root, { id: 'f', cwd: '/p/0', name: 'session.v4.jsonl', bytes: logOf(title) });

  test('a change within the same tick of the file system is seen, since young rows are not kept', async () => {
    const root = join(scratch(), 'root');
    writeLog(root, 'One');
    const [honest, hasty] = [Date.now, clock].map((now) => openSessionStore({ roots: [root], clock: now }));
    const label = async (store: typeof honest) => (await store!.listCandidates()).candidates[0]!.label;
    let missed = 0;
    let ticks = 0;
    for (let attempt = 0; attempt < 60; attempt += 1) {
      const title = attempt % 2 === 0 ? 'Two' : 'One';
      await Promise.all([label(honest), label(hasty)]);
      const before = statSync(join(root, '--p-0--/f/session.v4.jsonl'), { bigint: true }).ctimeNs;
      writeLog(root, title);
      const after = statSync(join(root, '--p-0--/f/session.v4.jsonl'), { bigint: true }).ctimeNs;
      if (before === after) ticks += 1;
      expect(await label(honest)).toBe(title);
      if ((await label(hasty)) !== title) missed += 1;
    }
    // Where the file system tells all times apart, haste is harmless.
    expect(missed).toBe(ticks);
  });

  test('nothing young is written down', async () => {
    const at = place();
    await list(at, Date.now);
    expect(existsSync(at.indexDir)).toBe(false);
    await new Promise((done) => setTimeout(done, 200));
    await list(at, Date.now);
    expect(readdirSync(at.indexDir).length).toBe(2);
  });
});

describe('what a listing meets on its way', () => {
  test('roots inside one another, and a log that grows between the two looks', async () => {
    const { root, paths } = place(1);
    const roots = [root, dirname(dirname(paths[0]!))];
    for (let step = 1; step <= 12; step += 1) {
      const store = openSessionStore({ roots, clock });
      await store.listCandidates();
      let asked = 0;
      const signal = {
        get aborted() {
          asked += 1;
          if (asked === step) appendFileSync(paths[0]!, ' ');
          return false;
        },
        addEventListener() {},
        removeEventListener() {},
      } as unknown as AbortSignal;
      const { candidates, skipped } = await store.listCandidates({ signal });
      expect([step, candidates.length, skipped]).toEqual([step, 1, []]);
    }
  });

  test('a log that was a link, and leads in a circle now', async () => {
    const at = place(1);
    const [path] = at.paths as [string];
    const elsewhere = scratch();
    renameSync(path, join(elsewhere, 'log'));
    symlinkSync(join(elsewhere, 'log'), path);
    expect(await list(at)).toBe(await listWithout(at.root));
    rmSync(join(elsewhere, 'log'));
    symlinkSync(join(elsewhere, 'log'), join(elsewhere, 'log'));
    const expected = await listWithout(at.root);
    expect(JSON.parse(expected)).toMatchObject({ candidates: [], skipped: [{ path, kind: 'unreadable' }] });
    expect(await list(at)).toBe(expected);
    // It still claims its id.
    const twin = join(at.root, '--p-9--', 's-0', basename(path));
    mkdirSync(dirname(twin), { recursive: true });
    writeFileSync(twin, plainLog(new LogScript(4, { id: 's-0', cwd: '/p/9' }).lines));
    expect(await list(at)).toBe(await listWithout(at.root));
  });

  test('two logs of one id, one of them in a directory of another name, which links make the right one', async () => {
    const { root, indexDir } = { root: scratch(), indexDir: join(scratch(), 'index') };
    const place = (directory: string, cwd: string) => {
      mkdirSync(join(root, directory), { recursive: true });
      const log = plainLog(new LogScript(4, { id: 'B', cwd }).lines);
      writeFileSync(join(root, directory, 'session.v4.jsonl'), log);
    };
    place('--p-a--/A', '/p/b');
    place('--p-c--/B', '/p/c');
    const aside = scratch();
    symlinkSync(aside, join(root, '--p-b--'));
    symlinkSync(join(root, '--p-a--/A'), join(aside, 'B'));
    const expected = await listWithout(root);
    expect(JSON.parse(expected)).toMatchObject({
      candidates: [],
      skipped: [{ kind: 'ambiguous' }, { kind: 'stray' }, { kind: 'ambiguous' }],
    });
    const staying = openSessionStore({ roots: [root], clock });
    for (let time = 1; time <= 3; time += 1) {
      expect([time, await list({ root, indexDir })]).toEqual([time, expected]);
      expect([time, JSON.stringify(await staying.listCandidates({ limit: 1000 }))]).toEqual([time, expected]);
    }
  });

  test('rows of which only headers are known, in a file that another has replaced by now', async () => {
    const at = place(5);
    const expected = JSON.parse(await listWithout(at.root));
    const open = () => openSessionStore({ roots: [at.root], indexDir: at.indexDir, clock });
    await open().listCandidates({ limit: 1 });
    const staying = open();
    await staying.listCandidates({ limit: 1 });
    await open().listCandidates({ limit: 2 });
    expect(await staying.listCandidates({ query: 's-' })).toEqual(expected);
    expect(await staying.listCandidates()).toEqual(expected);
    expect(await open().listSessions()).toMatchObject({ skipped: [] });
  });
});

const LIBRARY = pathToFileURL(join(import.meta.dirname, '../../../dist/index.js')).href;

/** A process that lists, with the built library; prints what `body` writes. */
function start(body: string, { root, indexDir }: Place) {
  const code = `
    import { utimesSync } from 'node:fs';
    import { openSessionStore } from ${JSON.stringify(LIBRARY)};
    const clock = () => Date.now() + ${5 * MINUTE_MS};
    const open = () => openSessionStore({ roots: [${JSON.stringify(root)}], indexDir: ${JSON.stringify(indexDir)}, clock });
    const list = async () => JSON.stringify(await open().listCandidates({ query: '', limit: 1000 }));
    ${body}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<string>((done) => child.on('close', () => done(text)));
  const begun = new Promise<void>((done) => child.stdout.once('data', () => done()));
  return { child, ended, begun };
}

describe('H-38: several processes', () => {
  test('ten that start together give the right answers and leave a sound index', async () => {
    const at = place(40);
    const expected = await listWithout(at.root);
    const processes = Array.from({ length: 10 }, () => start('process.stdout.write(await list());', at));
    const outputs = await Promise.all(processes.map(({ ended }) => ended));
    expect(outputs.map((output) => output === expected)).toEqual(outputs.map(() => true));
    expect(readdirSync(at.indexDir).filter((name) => !name.endsWith('.index'))).toEqual([]);
    expect(await list(at)).toBe(expected);
  });

  test('ten that start together where few titles are known yet give the right answers', async () => {
    const at = place(40);
    const store = openSessionStore({ roots: [at.root], indexDir: at.indexDir, clock });
    await store.listCandidates({ limit: 1 });
    const expected = await listWithout(at.root);
    const body = `
      const store = open();
      await store.listCandidates({ limit: 5 });
      process.stdout.write(JSON.stringify(await store.listCandidates({ limit: 1000 })));`;
    const processes = Array.from({ length: 10 }, () => start(body, at));
    const outputs = await Promise.all(processes.map(({ ended }) => ended));
    expect(outputs.map((output) => output === expected)).toEqual(outputs.map(() => true));
  });

  test('one that is killed while it writes leaves no damage, and nothing for long', async () => {
    const at = place(40);
    const random = new Prng(5);
    const always = `
      for (let round = 1; ; round += 1) {
        utimesSync(${JSON.stringify(at.paths[0])}, round, round);
        await list();
        if (round === 3) process.stdout.write('begun');
      }`;
    for (let kill = 0; kill < 12; kill += 1) {
      const { child, begun, ended } = start(always, at);
      await begun;
      await new Promise((done) => setTimeout(done, random.int(0, 25)));
      child.kill('SIGKILL');
      await ended;
      expect(await list(at)).toBe(await listWithout(at.root));
    }
    // One that was killed in the middle, for certain.
    const [shard] = readdirSync(at.indexDir).filter((name) => name.endsWith('.index'));
    writeFileSync(join(at.indexDir, `${shard}.0123456789ab.tmp`), '{"format"');
    utimesSync(at.paths[0]!, 7, 7);
    await list(at, () => Date.now() + 30 * MINUTE_MS);
    expect(readdirSync(at.indexDir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  }, 120_000);
});

describe('logs that an earlier fold cannot be gone on from', () => {
  test('a torn frame held a title, and was cut off', async () => {
    const at = place(0);
    const script = new LogScript(4, { id: 'a', cwd: '/p/0' });
    script.title('first');
    const sound = zstdLog(script.lines);
    const path = placeLog(at.root, { id: 'a', cwd: '/p/0', name: 'session.v4.jsonl.zstd', bytes: sound });
    const torn = new LogScript(4, { id: 'a', cwd: '/p/0' });
    torn.title('first');
    torn.title('torn');
    torn.user('x'.repeat(4000));
    const rows = (of: LogScript) => Buffer.from(`${of.rows.slice(1).join('\n')}\n`);
    appendFileSync(path, encodeFrame(rows(torn), { blocks: 'raw', blockBytes: 500 }).subarray(0, 3000));
    expect(await list(at)).toContain('"label":"torn"');
    script.user('y'.repeat(9000));
    await pastTheTick();
    writeFileSync(path, Buffer.concat([sound, encodeFrame(rows(script), { blocks: 'raw' })]));
    expect(await list(at)).toBe(await listWithout(at.root));
  });

  test('a plain log written anew in its place, longer, with a row that ends at the same byte', async () => {
    const at = place(0);
    const script = (title: string) => {
      const made = new LogScript(4, { id: 'a', cwd: '/p/0' });
      made.title(title);
      made.user('the same words stand here');
      return made;
    };
    const log = { id: 'a', cwd: '/p/0', name: 'session.v4.jsonl' };
    placeLog(at.root, { ...log, bytes: plainLog(script('One').lines) });
    await list(at);
    await pastTheTick();
    const longer = script('Two');
    longer.user('and more');
    placeLog(at.root, { ...log, bytes: plainLog(longer.lines) });
    expect(await list(at)).toBe(await listWithout(at.root));
  });
});

/** The file system's clock goes in steps. */
function pastTheTick(): Promise<void> {
  return new Promise((done) => setTimeout(done, 30));
}

test.each([
  ['titles', 1, 1],
  ['headers, but for one', 3, 1],
])('an index of %s with any one bit flipped gives the answers of none', async (_what, count, limit) => {
  const at = place(count);
  await openSessionStore({ roots: [at.root], indexDir: at.indexDir, clock }).listCandidates({ limit });
  const expected = await listWithout(at.root);
  const files = filesIn(at.indexDir).map((path) => ({ path, sound: readFileSync(path) }));
  const wrong: string[] = [];
  const random = new Prng(3);
  for (const { path, sound } of files) {
    for (let byte = 0; byte < sound.length; byte += 1) {
      // Of one session every bit; of more one in each byte.
      const bits = count === 1 ? [0, 1, 2, 3, 4, 5, 6, 7] : [random.int(0, 7)];
      for (const bit of bits) {
        const flipped = Buffer.from(sound);
        flipped[byte]! ^= 1 << bit;
        writeFileSync(path, flipped, { mode: 0o600 });
        const answer = await list(at).catch(String);
        if (answer !== expected) wrong.push(`bit ${bit} of byte ${byte}: ${answer.slice(0, 60)}`);
      }
    }
    writeFileSync(path, sound, { mode: 0o600 });
  }
  expect(wrong).toEqual([]);
});
