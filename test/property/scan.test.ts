/** The quick row scan against the slow way: what `scanRow` proves is what `decodeRow` and the fold would make of it. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { KNOWN_TYPES, READ_TYPES } from '../../src/log/event-types.ts';
import { type ScannedRow, scanRow } from '../../src/log/row-scan.ts';
import { decodeRow } from '../../src/log/rows.ts';
import { readSession, type SessionReading } from '../../src/store/read-session.ts';
import { messageParts, messageText } from '../../src/surface/message.ts';
import { type ConversationItem, projectEvent } from '../../src/surface/projection.ts';
import { decodeSourceSeqs } from '../../src/surface/provenance.ts';
import { decoderRuns, inDecoderMemory } from '../support/decoder-memory.ts';
import { plainLog, zstdLog } from '../support/log-writer/container.ts';
import { randomConversation } from '../support/log-writer/conversation.ts';
import type { Format } from '../support/log-writer/log-script.ts';

/**
 * The result of a scan of `text`, which stands in a larger buffer between other bytes, as lines do: in memory of its
 * own, and the same in the decoder's.
 */
function scanned(text: string, version: number, around = ''): ScannedRow | undefined {
  const line = Buffer.from(text);
  const buffer = Buffer.concat([Buffer.from(`${around}\n`), line, Buffer.from(`\n${around}`)]);
  const start = Buffer.byteLength(around) + 1;
  const end = start + line.length;
  const row = copyOf(scanRow(buffer, start, end, version), start);
  const inPlace = scanRow(inDecoderMemory(buffer), start, end, version, decoderRuns);
  expect(copyOf(inPlace, start), text).toEqual(row);
  return row;
}

/** With the places counted from the start of the line. */
function copyOf(row: ScannedRow | undefined, start: number): ScannedRow | undefined {
  return row && { ...row, texts: row.texts.map((place) => place - start) };
}

/** What is wrong with taking the line for `row`; undefined where the slow way says the same. */
function wrongIn(row: ScannedRow, text: string, version: number): string | undefined {
  const decoded = decodeRow(text, row.seq, version);
  if (decoded.kind === 'bad') return `the row ${decoded.reason}`;
  if (decoded.kind === 'packed') {
    return row.kind === 'log-only' && row.count === decoded.count
      ? undefined
      : `it stands for ${decoded.count}`;
  }
  const { event } = decoded;
  if (row.count !== 1 || row.time !== event.time) return 'it has another time';
  if (row.kind === 'log-only') {
    const isLogOnly = KNOWN_TYPES.has(event.type) && !READ_TYPES.has(event.type);
    return isLogOnly && event.surfaceOp === undefined
      ? undefined
      : `it is ${event.type} with surfaceOp ${event.surfaceOp}`;
  }
  if (event.type !== row.kind) return `it is ${event.type}`;
  if (event.surfaceOp !== 'append') return 'it is not appended';
  if (messageParts(event) === undefined) return 'it has no content array';
  const sources = event.sourceEventSeqs;
  if (sources !== undefined && typeof decodeSourceSeqs(sources, event.seq) === 'string')
    return 'it cites wrongly';
  if (row.kind !== 'assistant/message') return row.texts.length === 0 ? undefined : 'it has texts';
  const bytes = Buffer.from(text);
  const texts: unknown[] = [];
  for (let at = 0; at < row.texts.length; at += 2) {
    texts.push(JSON.parse(bytes.toString('utf8', row.texts[at], row.texts[at + 1])));
  }
  const joined = texts.map(String).join('\n');
  return messageText(messageParts(event)!.content) === joined ? undefined : 'it has other texts';
}

const version = fc.constantFrom(0, 1, 2, 3, 4);
/** Weighted to what is nearly right. */
const number = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('0', '5', '17', '123456789012345') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('-0', '-5', '01', '1.0', '1e3', '1E+2', '.5', '1.', '-', '1e', '+1', 'NaN'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('9007199254740993', '1234567890123456', '1e400', '"5"', 'null', '[]'),
  },
);
const string = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('""', '"a"', '"call-1"', '"größer 😀"', '"\\"\\\\\\n"', '"\\u00e9\\ud83d"'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"\\x"', '"\\u12g4"', '"\\u12', '"\t"', '"\0"', '"a', '"\u0085\u2028"'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('5', 'null', '{}', '"append"', '"]}}"', '"},\\"surfaceOp\\":\\"append\\"}"'),
  },
);
const deep = (levels: number, closed = levels) => `${'['.repeat(levels)}${']'.repeat(closed)}`;
const value = fc.oneof(
  number,
  string,
  fc.constantFrom(
    'true',
    'false',
    'null',
    'tru',
    '{}',
    '[]',
    '[1,]',
    '{"a":1,}',
    '{"a"}',
    '{"":[{}]}',
    '[[],{}]',
  ),
  fc.constantFrom(
    deep(60),
    deep(63),
    deep(64),
    deep(65),
    deep(70),
    deep(70, 69),
    '{"a":'.repeat(70) + '}'.repeat(70),
  ),
);
const space = fc.constantFrom('', '', '', '', ' ', '\t', '\r', '\n', '\u00a0', '\ufeff');

/** An object of about these members: some missing, some twice, in another order, spelled in odd ways. */
function objectOf(members: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<string> {
  const entries = Object.entries(members).map(([key, of]) => of.map((text) => [key, text] as const));
  const extra = fc.tuple(fc.constantFrom(...Object.keys(members), 'later', '__proto__', ''), value);
  return fc
    .record({
      entries: fc.tuple(...entries),
      order: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat() }),
      drop: fc.oneof({ weight: 8, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(9) }),
      extras: fc.oneof(
        { weight: 6, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(extra, { maxLength: 2 }) },
      ),
      escaped: fc.oneof({ weight: 12, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(9) }),
      spaces: fc.oneof(
        { weight: 4, arbitrary: fc.constant(['', '', '']) },
        { weight: 1, arbitrary: fc.array(space, { minLength: 3, maxLength: 3 }) },
      ),
    })
    .map(({ entries: given, order, drop, extras, escaped, spaces: [a = '', b = '', c = ''] }) => {
      const all = [...given.filter((_entry, at) => at !== drop), ...extras];
      if (order !== undefined) all.unshift(...all.splice(order % Math.max(all.length, 1)));
      const members = all.map(([key, text], at) => `${c}${spell(key, at === escaped)}${a}:${b}${text}${c}`);
      return `{${members.join(',')}}`;
    });
}

function spell(key: string, isEscaped: boolean): string {
  if (!isEscaped || key === '') return JSON.stringify(key);
  return `"\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}"`;
}

const typed = (...types: string[]) => fc.constantFrom(...types.map((type) => JSON.stringify(type)));
const place = { turn: number, step: number };
const logOnlyTypes = [...KNOWN_TYPES].filter((type) => !READ_TYPES.has(type));
/** About a text block. */
const textBlock = objectOf({
  type: fc.oneof(
    fc.constantFrom('"text"', '"text"', '"text"', '"reasoning"', '"tool-call"', '"t\\u0065xt"'),
    value,
  ),
  text: fc.oneof({ weight: 3, arbitrary: string }, { weight: 1, arbitrary: value }),
});
const content = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom('[]', '[{"type":"text","text":"a"}]', '5', '{}', 'null', '"[]"', '[', '[1,]'),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.oneof({ weight: 3, arbitrary: textBlock }, { weight: 1, arbitrary: value }), {
        maxLength: 3,
      })
      .map((blocks) => `[${blocks.join(',')}]`),
  },
);
const message = objectOf({ role: string, source: value, content, id: string });
const append = fc.constantFrom(
  '"append"',
  '"append"',
  '"append"',
  '"apend"',
  '{"op":"replace","start":1,"end":1}',
  'null',
);
const sources = fc.constantFrom(
  '[]',
  '[0]',
  '[0,1,2]',
  '[0,3]',
  '[3,1]',
  '[1,1]',
  '[[0,2],3]',
  '[0,01]',
  '[4,99999]',
  '5',
  '[1.5]',
  '[-0]',
);
const gaps = fc.constantFrom(
  '[]',
  '[1]',
  '[1,-2]',
  '[1,2,3]',
  '[1.5]',
  '[1e2]',
  '[01]',
  '[9007199254740991,9]',
  '[,]',
  '5',
);
const texts = fc.constantFrom(
  '["a"]',
  '["a","b"]',
  '["a","]}}"]',
  '["a" ,"b"]',
  '[]',
  '["a",5]',
  '["\\u00e9","\\n","\\x"]',
  '["a","b","c","d"]',
);
const event = (types: fc.Arbitrary<string>, data: fc.Arbitrary<string>) =>
  objectOf({ type: types, seq: number, time: number, data });
const surfaceEvent = (types: fc.Arbitrary<string>, data: fc.Arbitrary<string>) =>
  fc.oneof(
    objectOf({ type: types, seq: number, time: number, data, surfaceOp: append }),
    objectOf({ type: types, seq: number, time: number, data, sourceEventSeqs: sources, surfaceOp: append }),
  );
const line = fc.oneof(
  event(typed(...logOnlyTypes, 'user/message', 'session/title', 'no/such', 'turn\\/end'), value),
  event(typed(...logOnlyTypes), objectOf({ turn: number, step: number, reason: value })),
  surfaceEvent(
    typed('tool/result', 'assistant/message', 'turn/start'),
    objectOf({ ...place, message, usage: value }),
  ),
  surfaceEvent(typed('user/message', 'assistant/message'), message),
  objectOf({
    type: typed('text-chunks', 'reasoning-chunks'),
    seq0: number,
    time0: number,
    data: objectOf({ ...place, index: number, dt: gaps, texts }),
  }),
  objectOf({
    type: typed('tool-call-chunks'),
    seq0: number,
    time0: number,
    data: objectOf({ ...place, index: number, dt: gaps, id: string, name: string, args: texts }),
  }),
);
/** Whole, cut, or with something behind it. */
const anyLine = fc
  .tuple(
    line,
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
    ),
    space,
  )
  .map(([text, share, end]) => `${text.slice(0, Math.ceil(text.length * share))}${end}`);
const around = fc.constantFrom(
  '',
  '"]}}',
  '}',
  '"append"}',
  '34"}},"surfaceOp":"append"}',
  '{"type":"turn/end","seq":5,"time":1,"data":{}}',
);

test('whatever the bytes: a row that is proven is that row', () => {
  let proven = 0;
  fc.assert(
    fc.property(anyLine, version, around, (text, format, beside) => {
      const row = scanned(text, format, beside);
      if (row === undefined) return;
      proven += 1;
      expect(wrongIn(row, text, format), text).toBe(undefined);
    }),
    { numRuns: 60_000 },
  );
  expect(proven).toBeGreaterThan(2000);
});

test('a second message without content does not hide behind the first', () => {
  for (const type of ['tool/result', 'assistant/message']) {
    const text = `{"type":"${type}","seq":1,"time":1,"surfaceOp":"append","data":{"message":{"content":[]},"message":{}}}`;
    expect(scanned(text, 4)).toBe(undefined);
  }
});

test('a text block that names its type or its text twice is not taken', () => {
  for (const block of [
    '{"type":"text","text":"a","text":5}',
    '{"type":"text","type":5,"text":"a"}',
    '{"type":"reasoning","text":"a","type":"text"}',
    '{"type":"t\\u0065xt","text":"a"}',
  ]) {
    const text = `{"type":"assistant/message","seq":1,"time":1,"data":{"message":{"content":[${block}]}},"surfaceOp":"append"}`;
    expect(JSON.parse(text)).toBeDefined();
    expect(scanned(text, 4), text).toBe(undefined);
  }
});

describe('rows of the harness’s own writers', () => {
  const long = 'x'.repeat(1100);
  const short = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"]}},"surfaceOp":"append"}', '\n', '"content":['),
  );
  const text = fc.oneof(
    short,
    short.map((ends) => ends + long + ends),
  );
  const block = fc.oneof(
    text.map((inner) => ({ type: 'text', text: inner })),
    text.map((inner) => ({
      type: 'tool-result',
      toolCallId: 'c',
      content: [{ type: 'text', text: inner }],
      isError: false,
    })),
    text.map((inner) => ({ type: 'tool-call', id: 'c', name: 'read', arguments: inner })),
  );
  const source = fc.oneof(
    fc.constant({ kind: 'model', provider: 'deepseek', model: 'm' }),
    text.map((callId) => ({ kind: 'tool', callId })),
  );
  const writtenMessage = fc.record({
    source,
    content: fc.array(block, { maxLength: 3 }),
    role: fc.constant('user'),
    id: text,
  });
  const count = fc.nat(100_000);
  const written = fc.oneof(
    fc.record({
      type: fc.constantFrom(...logOnlyTypes),
      data: fc.oneof(fc.dictionary(text, fc.jsonValue()), fc.record({ turn: count, text })),
    }),
    fc.record({
      type: fc.constantFrom('user/message'),
      data: writtenMessage,
      surfaceOp: fc.constant('append'),
    }),
    fc.record({
      type: fc.constantFrom('tool/result', 'assistant/message'),
      data: fc.record(
        { turn: count, step: count, message: writtenMessage, stream: fc.array(fc.jsonValue()) },
        { requiredKeys: ['turn', 'step', 'message'] },
      ),
      surfaceOp: fc.constant('append'),
    }),
  );

  test('events', () => {
    let taken = 0;
    fc.assert(
      fc.property(
        written,
        count,
        fc.integer({ min: 0, max: 2_000_000_000_000 }),
        version,
        (made, seq, time, format) => {
          const { type, data, ...rest } = made;
          const spelled = JSON.stringify({ type, seq, time, data, ...rest });
          const row = scanned(spelled, format);
          if (row === undefined) return;
          taken += 1;
          expect(wrongIn(row, spelled, format), spelled).toBe(undefined);
          expect(row).toMatchObject({
            kind: ['assistant/message', 'tool/result', 'user/message'].includes(type) ? type : 'log-only',
            seq,
          });
        },
      ),
      { numRuns: 5000 },
    );
    expect(taken).toBeGreaterThan(1000);
  });

  test('assistant messages that cite their chunks', () => {
    fc.assert(
      fc.property(
        writtenMessage,
        fc.uniqueArray(count, { maxLength: 30 }),
        fc.constantFrom(0, 1),
        (made, cited, format) => {
          const sourceEventSeqs = cited.sort((a, b) => a - b);
          const data = { turn: 1, step: 1, message: made };
          const row = {
            type: 'assistant/message',
            seq: 100_001,
            time: 5,
            data,
            sourceEventSeqs,
            surfaceOp: 'append',
          };
          const spelled = JSON.stringify(row);
          const proven = scanned(spelled, format);
          if (proven !== undefined) expect(wrongIn(proven, spelled, format), spelled).toBe(undefined);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('packed chunks', () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 20 }),
        fc.integer(),
        fc.constantFrom(0, 1),
        (all, gap, format) => {
          const data = {
            turn: 1,
            step: 1,
            index: 0,
            dt: all.slice(1).map((_text, at) => (gap % 5000) + at),
            texts: all,
          };
          const spelled = JSON.stringify({ type: 'text-chunks', seq0: 7, time0: 1_787_000_000_000, data });
          const row = scanned(spelled, format)!;
          expect(row).toMatchObject({ kind: 'log-only', seq: 7, count: all.length });
          expect(wrongIn(row, spelled, format)).toBe(undefined);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a message whose content is no array is not taken', () => {
    for (const type of ['tool/result', 'assistant/message']) {
      for (const wrong of ['5', '{}', 'null', '"[]"']) {
        const spelled = `{"type":"${type}","seq":1,"time":1,"data":{"turn":1,"step":1,"message":{"role":"user","id":"${long}","content":${wrong}}},"surfaceOp":"append"}`;
        expect(scanned(spelled, 4), spelled).toBe(undefined);
      }
    }
  });
});

describe('whole logs, folded with and without passing over', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-ref-scan-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const keep: SessionReading<ConversationItem | undefined>['keep'] =
    ({ version: format }) =>
    (stored, type, parts) =>
      projectEvent(stored.seq, type, parts, format);

  async function fold(path: string, reading: SessionReading<unknown>): Promise<unknown> {
    const isCompressed = path.endsWith('.zstd');
    const log = { path, isCompressed, nameVersion: undefined, place: undefined };
    try {
      const { facts, surface, ...rest } = await readSession(log, reading, undefined);
      return {
        ...rest,
        facts: facts.state,
        label: facts.subagentLabel,
        items: surface.filter((item) => item !== undefined),
      };
    } catch (error) {
      const { code, message: words } = error as { code?: string; message: string };
      if (code === undefined) throw error;
      return { code, words };
    }
  }

  async function expectSame(path: string): Promise<unknown> {
    const slow = await fold(path, { keep });
    const items = await fold(path, { keep, unread: { types: new Set(['tool/result']), value: undefined } });
    expect(items, path).toEqual(slow);
    const all = new Set(['tool/result', 'assistant/message', 'user/message'] as const);
    const facts = await fold(path, {
      keep: () => () => undefined,
      unread: { types: all, value: undefined },
    });
    const slowFacts = await fold(path, { keep: () => () => undefined });
    expect(facts, path).toEqual(slowFacts);
    return slow;
  }

  test('the whole corpus', async () => {
    const corpus = inject('corpus');
    const paths = readdirSync(corpus, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.jsonl(\.zstd)?$/.test(name) && name.includes('session'))
      .map((name) => join(corpus, name))
      .filter((path) => statSync(path).isFile());
    let sound = 0;
    for (const path of paths) if (!('code' in ((await expectSame(path)) as object))) sound += 1;
    expect(paths.length).toBeGreaterThan(400);
    expect(sound).toBeGreaterThan(300);
  });

  /** As the harness's own writers order the keys. */
  function inWritersOrder(row: string): string {
    const { type, data, surfaceOp, sourceEventSeqs, ...rest } = JSON.parse(row) as Record<string, unknown>;
    return JSON.stringify({ type, ...rest, data, sourceEventSeqs, surfaceOp });
  }

  test('random logs of all formats, in either order of keys', async () => {
    const spec = fc.record({
      format: fc.constantFrom<Format>(0, 1, 2, 3, 4),
      seed: fc.nat(),
      bytes: fc.integer({ min: 300, max: 20_000 }),
      isPacked: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(spec, fc.boolean(), fc.boolean(), async (conversation, isOrdered, isCompressed) => {
        const { script, title } = randomConversation(conversation);
        const [header, ...rows] = script.lines as [string, ...string[]];
        const lines = [header, ...(isOrdered ? rows.map(inWritersOrder) : rows)];
        const path = join(folder, `log.jsonl${isCompressed ? '.zstd' : ''}`);
        writeFileSync(path, isCompressed ? zstdLog(lines) : plainLog(lines));
        const folded = await expectSame(path);
        expect(folded).toMatchObject({ capturedThroughSeq: script.nextSeq - 1, diagnostics: [] });
        expect((folded as { facts: { title?: { title: string } } }).facts.title?.title).toBe(title);
      }),
      { numRuns: 250 },
    );
  });
});
