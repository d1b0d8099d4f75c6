/** Exports against independent decoders, and what is refused or left out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { type ExportOptions, openExport, openSessionStore } from '../../../src/store.ts';
import { zstdLog } from '../../support/log-writer/container.ts';
import { randomConversation } from '../../support/log-writer/conversation.ts';
import { ALL_FORMATS, LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { logName, placeLog, writeLog } from '../../support/log-writer/write-root.ts';
import { decodeFrames } from './decode.ts';

const corpus = inject('corpus');

async function exported(options: ExportOptions): Promise<{ bytes: Buffer; leftOut: string[] }> {
  const opened = await openExport(options);
  try {
    const pieces: Uint8Array[] = [];
    for await (const piece of opened.chunks()) pieces.push(piece);
    return { bytes: Buffer.concat(pieces), leftOut: opened.leftOut.map(({ kind }) => kind) };
  } finally {
    opened.close();
  }
}

async function sessionsOf(root: string): Promise<readonly { sessionId: string; path: string }[]> {
  return (await openSessionStore({ roots: [root], index: false }).listSessions()).sessions;
}

function decoded(path: string): Buffer {
  const bytes = readFileSync(path);
  return path.endsWith('.zstd') ? decodeFrames(bytes) : bytes;
}

const linesOf = (bytes: Buffer): unknown[] =>
  bytes
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe('the lines as stored', () => {
  it.each([
    'basic-zstd',
    'basic-plain',
    'chunks-zstd-packed',
    'hostile',
    'unicode',
    'weird-ids',
    'big-message',
  ])('%s is byte-exact', async (name) => {
    const root = join(corpus, 'roots', name);
    for (const { sessionId, path } of await sessionsOf(root)) {
      const { bytes, leftOut } = await exported({ roots: [root], sessionId });
      expect([bytes.equals(decoded(path)), leftOut]).toEqual([true, []]);
    }
  });

  it('bytes that are no UTF-8 and carriage returns stay as they are', async () => {
    const root = scratch();
    const script = new LogScript(4);
    script.user('x');
    const bytes = Buffer.from(`${script.lines.join('\r\n')}\r\n`);
    bytes[bytes.indexOf('"x"') + 1] = 0xff;
    placeLog(root, { id: 's-1', cwd: '/home/ana/shop', name: logName(4, 'plain'), bytes });
    expect((await exported({ roots: [root], sessionId: 's-1' })).bytes.equals(bytes)).toBe(true);
  });
});

interface PackedRow {
  readonly type: string;
  readonly seq0?: number;
  readonly time0: number;
  readonly data: {
    readonly turn: number;
    readonly step: number;
    readonly index: number;
    readonly dt: readonly number[];
    readonly texts?: readonly string[];
    readonly args?: readonly string[];
    readonly id?: string;
    readonly name?: string;
  };
}

/** Section 4.4 of the format document, member by member. */
function slowlyUnpacked(stored: unknown): unknown[] {
  const row = stored as PackedRow;
  if (row.seq0 === undefined) return [row];
  const { turn, step, index, dt, texts, args, id, name } = row.data;
  const type = row.type.replace('-chunks', '-delta');
  const events: unknown[] = [];
  for (let k = 0; k <= dt.length; k += 1) {
    const time = dt.slice(0, k).reduce((sum, gap) => sum + gap, row.time0);
    const content = texts ? { text: texts[k] } : { id, argumentsDelta: args?.[k] };
    const named = name === undefined ? {} : { name };
    const data = { turn, step, chunk: { type, index, ...content, ...named } };
    events.push({ type: 'assistant/chunk', seq: row.seq0 + k, time, data });
  }
  return events;
}

describe('an event a line', () => {
  it.each(['chunks-zstd-packed', 'chunks-plain-packed'])(
    '%s is as a slow reading of the rule has it',
    async (name) => {
      const root = join(corpus, 'roots', name);
      let packed = 0;
      for (const { sessionId, path } of await sessionsOf(root)) {
        const rows = linesOf(decoded(path)).slice(1);
        const events = rows.flatMap(slowlyUnpacked);
        packed += events.length - rows.length;
        const { bytes } = await exported({ roots: [root], sessionId, events: true });
        expect(linesOf(bytes)).toEqual(events);
      }
      expect(packed).toBeGreaterThan(100);
    },
  );

  it.each(['chunks-zstd-unpacked', 'chunks-plain-unpacked'])(
    '%s is what is stored, without the header',
    async (name) => {
      const root = join(corpus, 'roots', name);
      for (const { sessionId, path } of await sessionsOf(root)) {
        const { bytes } = await exported({ roots: [root], sessionId, events: true });
        const stored = decoded(path);
        expect(bytes.equals(stored.subarray(stored.indexOf(10) + 1))).toBe(true);
      }
    },
  );

  it('every line has the seq of its place, and a time', async () => {
    for (const format of ALL_FORMATS) {
      const root = scratch();
      const { script } = randomConversation({ format, seed: 5, bytes: 20_000 });
      writeLog(root, { id: 's-1', cwd: '/home/ana/shop', format, lines: script.lines });
      const events = linesOf((await exported({ roots: [root], sessionId: 's-1', events: true })).bytes);
      expect(events.length).toBe(script.nextSeq);
      for (const [at, event] of events.entries()) {
        expect(event).toMatchObject({ seq: at, time: expect.any(Number), data: {} });
      }
    }
  });

  it('members of packed rows are as the format has them', async () => {
    const root = scratch();
    const script = new LogScript(0);
    script.raw(
      '{"type":"tool-call-chunks","seq0":0,"time0":100,"data":{"turn":1,"step":2,"index":3,"id":"c","name":"read","dt":[5,-2],"args":["a","b","c"]}}',
    );
    script.raw(
      '{"type":"reasoning-chunks","seq0":3,"time0":9,"data":{"turn":1,"step":2,"index":0,"dt":[],"texts":["hm"]}}',
    );
    writeLog(root, { id: 's-1', cwd: '/home/ana/shop', format: 0, lines: script.lines });
    const { bytes } = await exported({ roots: [root], sessionId: 's-1', events: true });
    const call = (text: string) => ({
      type: 'tool-call-delta',
      index: 3,
      id: 'c',
      name: 'read',
      argumentsDelta: text,
    });
    const event = (seq: number, time: number, chunk: object) => ({
      type: 'assistant/chunk',
      seq,
      time,
      data: { turn: 1, step: 2, chunk },
    });
    expect(linesOf(bytes)).toEqual([
      event(0, 100, call('a')),
      event(1, 105, call('b')),
      event(2, 103, call('c')),
      event(3, 9, { type: 'reasoning-delta', index: 0, text: 'hm' }),
    ]);
  });

  it('early shapes and rows that are no packed ones stay byte by byte', async () => {
    const root = scratch();
    const script = new LogScript(0);
    script.event(
      'steering/message',
      { turn: 1, source: { kind: 'user' }, content: [] },
      { surfaceOp: 'append' },
    );
    script.event('todo/write', { text: 'the word text-chunks" is no tag' });
    script.raw('{ "seq": 2,  "time": 3, "type": "text-chunks/no", "data": {} } ');
    writeLog(root, { id: 's-1', cwd: '/home/ana/shop', format: 0, lines: script.lines });
    const { bytes } = await exported({ roots: [root], sessionId: 's-1', events: true });
    expect(bytes.toString()).toBe(script.rows.map((row) => `${row}\n`).join(''));
  });
});

describe('ends and damage', () => {
  const place = { id: 's-1', cwd: '/home/ana/shop' };

  function talk(): LogScript {
    const script = new LogScript(4);
    for (const text of ['one', 'two']) {
      script.startTurn();
      script.user(text);
      script.endTurn();
    }
    return script;
  }

  it('a torn line, a torn frame and dropped rows are left out, and named', async () => {
    const { lines } = talk();
    const plain = scratch();
    const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    placeLog(plain, {
      ...place,
      name: logName(4, 'plain'),
      bytes: Buffer.concat([whole, Buffer.from('{"ty')]),
    });
    expect(await exported({ roots: [plain], sessionId: 's-1' })).toEqual({
      bytes: whole,
      leftOut: ['torn-line'],
    });

    const dropped = scratch();
    writeLog(dropped, {
      ...place,
      format: 4,
      lines: [...lines, 'x', '{"type":"todo/write","seq":8,"time":1,"data":{}}'],
    });
    expect(await exported({ roots: [dropped], sessionId: 's-1' })).toEqual({
      bytes: whole,
      leftOut: ['dropped-tail'],
    });

    const torn = scratch();
    const bytes = zstdLog(lines, { linesPerFrame: 5 });
    placeLog(torn, { ...place, name: logName(4, 'zstd'), bytes: bytes.subarray(0, -1) });
    const { bytes: written, leftOut } = await exported({ roots: [torn], sessionId: 's-1' });
    expect(leftOut).toEqual(['torn-frame']);
    expect(whole.subarray(0, written.length).equals(written) && written.at(-1) === 10).toBe(true);
  });

  it('a damaged log is refused before anything is given out', async () => {
    const root = scratch();
    const bytes = zstdLog(talk().lines, { linesPerFrame: 2 });
    bytes[bytes.length - 1]! ^= 1;
    placeLog(root, { ...place, name: logName(4, 'zstd'), bytes });
    await expect(openExport({ roots: [root], sessionId: 's-1' })).rejects.toMatchObject({
      code: 'SESSION_LOG_CORRUPT',
    });
    await expect(openExport({ roots: [root], sessionId: 'x' })).rejects.toMatchObject({
      code: 'SESSION_LOG_NOT_FOUND',
    });
  });

  it('reading goes on only as pieces are asked for', async () => {
    const root = scratch();
    const { script } = randomConversation({ format: 4, seed: 1, bytes: 3_000_000 });
    writeLog(root, { ...place, format: 4, lines: script.lines });
    const opened = await openExport({ roots: [root], sessionId: 's-1' });
    const chunks = opened.chunks();
    const first = await chunks.next();
    expect(first.value!.length).toBeLessThan(600_000);
    expect((await chunks.return(undefined)).done).toBe(true);
    expect((await chunks.next()).done).toBe(true);
    opened.close();
  });

  it('is cancelled by its signal, in both passes', async () => {
    const root = scratch();
    const { script } = randomConversation({ format: 4, seed: 1, bytes: 500_000 });
    writeLog(root, { ...place, format: 4, lines: script.lines });
    const cancelled = { code: 'SESSION_REFERENCE_CANCELLED' };
    await expect(
      openExport({ roots: [root], sessionId: 's-1', signal: AbortSignal.abort() }),
    ).rejects.toMatchObject(cancelled);
    const controller = new AbortController();
    const opened = await openExport({ roots: [root], sessionId: 's-1', signal: controller.signal });
    const chunks = opened.chunks();
    await chunks.next();
    controller.abort();
    await expect(chunks.next()).rejects.toMatchObject(cancelled);
    opened.close();
  });
});
