/**
 * Rows that nobody needs are passed over in quick ways (`row-scan.ts` and its like). Whatever those are, the answers
 * must be those of reading every row in full, as `readSurface` does (format document, 2.4; contract, 6.11).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { openSessionStore, type SessionStore } from '../../src/index.ts';
import { messageParts, surfaceTypeOf } from '../../src/surface/message.ts';
import { projectEvent } from '../../src/surface/projection.ts';
import { cutContents, framedLog, plainLog, zstdLog } from '../support/log-writer/container.ts';
import { randomConversation } from '../support/log-writer/conversation.ts';
import { type Format, LogScript } from '../support/log-writer/log-script.ts';
import { logName, placeLog } from '../support/log-writer/write-root.ts';

const root = mkdtempSync(join(tmpdir(), 'dsh-ref-scan-'));
afterAll(() => rmSync(root, { recursive: true }));

type Encoding = 'plain' | 'zstd';

/** What every row says: surface, projected; title; or the failure. */
async function readInFull(store: SessionStore): Promise<unknown> {
  const { session, events, ...rest } = await store.readSurface('s-1');
  const items = events.map((event) =>
    projectEvent(event.seq, surfaceTypeOf(event), messageParts(event)!, session.version),
  );
  return { ...rest, session, items: items.filter((item) => item !== undefined) };
}

async function answerOf(reading: Promise<unknown>): Promise<unknown> {
  try {
    return await reading;
  } catch (error) {
    const { code, message, seq, line } = error as Error & { code?: string; seq?: number; line?: number };
    if (code === undefined) throw error;
    return { code, message, seq, line };
  }
}

/** Expects the quick answers to be the full ones; gives the code of the failure, if any. */
async function expectSame(format: Format, bytes: Buffer, encoding: Encoding): Promise<string | undefined> {
  rmSync(join(root, '--home-ana-shop--'), { recursive: true, force: true });
  placeLog(root, { id: 's-1', cwd: '/home/ana/shop', name: logName(format, encoding), bytes });
  const store = openSessionStore({ roots: [root], index: false });
  const full = (await answerOf(readInFull(store))) as { title?: string; code?: string };
  expect(await answerOf(store.readConversation('s-1'))).toEqual(full);
  const [candidate] = (await store.listCandidates()).candidates;
  const listed =
    full.code === undefined ? { label: full.title ?? 's-1' } : { label: 's-1', unreadable: 'corrupt' };
  expect(candidate).toMatchObject(listed);
  return full.code;
}

/** Ways in which a line can be spelled otherwise, or broken. */
const edits: ((line: string) => string)[] = [
  (line) => line.replaceAll(':', ' : '),
  (line) => line.replaceAll(',', ' ,\t'),
  (line) => `  ${line} \r`,
  (line) => line.replace('"type"', '"\\u0074ype"'),
  (line) => line.replace('tool/result', 'tool\\/result'),
  (line) => line.replace('"message"', '"mess\\u0061ge"'),
  (line) => line.replace('"content"', '"conten\\u0074"'),
  (line) => line.replace('"content":', '"content":5,"content":'),
  (line) => line.replace('"content":[', '"content":{},"other":['),
  (line) => line.replace(/"content":\[.*?\]/, '"content":[],$&'),
  (line) => line.replace('"message":{', '"message":{},"message":{'),
  (line) => line.replace('"data":', '"data":null,"data":'),
  (line) => line.replace(/("data":.*)\}$/, '$1,"data":{}}'),
  (line) => line.replace(/"type":"[^"]*"/, '$&,"type":"user/message"'),
  (line) => line.replace(/"seq":(\d+)/, '"seq":$1.0'),
  (line) => line.replace(/"seq":(\d+)/, '"seq":$1e0'),
  (line) => line.replace(/"seq":(\d+)/, '"seq":0$1'),
  (line) => line.replace(/"seq":(\d+)/, '"seq":-$1'),
  (line) => line.replace(/"seq0?":(\d+)/, '"seq":$1,$&'),
  (line) => line.replace(/"time":\d+/, '"time":1.5'),
  (line) => line.replace(/"time":\d+/, '"time":-0'),
  (line) => line.replace(/"time":\d+/, '"time":12345678901234567890'),
  (line) => line.replace(/"time":\d+,/, ''),
  (line) => line.replace('"surfaceOp":"append"', '"surfaceOp":"apend"'),
  (line) => line.replace('"surfaceOp":"append",', ''),
  (line) => line.replace('"data":', '"surfaceOp":"append","data":'),
  (line) => line.replace('"data":', '"ignorable":true,"data":'),
  (line) => line.replace('"data":', '"sourceEventSeqs":[0],"data":'),
  (line) => line.replace('"data":', '"sourceEventSeqs":[],"data":'),
  (line) => line.replace('"data":', '"later":1,"data":'),
  (line) => line.replace(/"sourceEventSeqs":\[[^\]]*\]/, '"sourceEventSeqs":[0,99999]'),
  (line) => line.replace(/"sourceEventSeqs":\[(\d+)/, '"sourceEventSeqs":[$1,$1'),
  (line) => line.replace(/"dt":\[\d/, '"dt":[-'),
  (line) => line.replace(/"dt":\[(\d+)/, '"dt":[$1.5'),
  (line) => line.replace('"dt":[', '"dt":[1,'),
  (line) => line.replace('"texts":["', '"texts":[5,"'),
  (line) => line.replace('"texts":', '"args":'),
  (line) => line.replace('"index":0', '"index":"0"'),
  (line) => line.replace('"index":0', '"index":0,"index":0'),
  (line) => line.replace('"text":"', '"text":"\\x'),
  (line) => line.replace('"text":"', '"text":"\\u12g4'),
  (line) => line.replace('"text":"', '"text":"\\ud83d'),
  (line) => line.replace('"text":"', '"text":"\u0007'),
  (line) => line.replace('"role":', '"more":[1e5,-0.5,true,false,null,{"":[]},[[]]],"role":'),
  (line) => line.replace('"role":', '"more":[01],"role":'),
  (line) => line.replace('"role":', '"more":[1.],"role":'),
  (line) => line.replace('"role":', '"more":[.5],"role":'),
  (line) => line.replace('"role":', '"more":[1e],"role":'),
  (line) => line.replace('"role":', '"more":[-],"role":'),
  (line) => line.replace('"role":', '"more":[1,],"role":'),
  (line) => line.replace('"role":', '"more":{"a":1,},"role":'),
  (line) => line.replace('"role":', '"more":{"a"},"role":'),
  (line) => line.replace('"role":', '"more":[tru],"role":'),
  (line) => line.replace('"role":', '"more":[NaN],"role":'),
  (line) => line.replace('"role":', `"more":${'['.repeat(70)}${']'.repeat(70)},"role":`),
  (line) => line.replace('"role":', `"more":${'['.repeat(70)}${']'.repeat(69)},"role":`),
  (line) => line.slice(0, -1),
  (line) => `${line}}`,
  (line) => `${line}{}`,
  (line) => `[${line}]`,
  (line) => `\ufeff${line}`,
  (line) => line.replace('turn/start', 'turn/begin'),
  (line) => line.replace('tool/result', 'turn/end'),
];

/** One log that has a row of every sort that the quick way knows. */
function sampleScript(format: Format): LogScript {
  const script = new LogScript(format);
  script.startTurn();
  script.user('question');
  if (format <= 1) {
    script.chunks(['Hel', 'lo', ' you'], true);
    script.chunks(['one', 'two'], false);
    script.assistant('Hello you', { sourceEventSeqs: [3, 4, 5] });
  }
  script.assistant('answer');
  script.toolRound('call-1', 'output');
  script.title('title');
  script.contextWindow(1000);
  script.endTurn();
  return script;
}

/** The edits one after the other on every row, in one log each. */
async function editEverything(format: Format, encoding: Encoding): Promise<void> {
  const script = sampleScript(format);
  const header = script.lines[0]!;
  let refused = 0;
  const different: string[] = [];
  for (const edit of edits) {
    for (const [at, row] of script.rows.entries()) {
      const edited = edit(row);
      if (edited === row) continue;
      const lines = [header, ...script.rows.with(at, edited)];
      const bytes = encoding === 'plain' ? plainLog(lines) : zstdLog(lines, { linesPerFrame: 5 });
      try {
        if ((await expectSame(format, bytes, encoding)) !== undefined) refused += 1;
      } catch (error) {
        different.push(`${edited} ${String(error).slice(0, 200)}`);
      }
    }
  }
  expect(different).toEqual([]);
  expect(refused).toBeGreaterThan(20);
}

describe.each([1, 3, 4] as const)('v%i: every edit of every row, read quickly and in full', (format) => {
  test('plain', () => editEverything(format, 'plain'));
  test('compressed', () => editEverything(format, 'zstd'));
});

test.each(['plain', 'zstd'] as const)(
  'a second, empty message hides the first, in a %s log',
  async (encoding) => {
    const script = sampleScript(4);
    const at = script.rows.findIndex((row) => row.includes('"tool/result"'));
    const lines = script.lines.with(at + 1, script.rows[at]!.replace(/\}\}$/, '},"message":{}}}'.slice(1)));
    const code = await expectSame(4, encoding === 'plain' ? plainLog(lines) : zstdLog(lines), encoding);
    expect(code).toBe('SESSION_LOG_CORRUPT');
  },
);

const spec = fc.record({
  format: fc.constantFrom<Format>(0, 1, 2, 3, 4),
  seed: fc.nat(),
  bytes: fc.integer({ min: 300, max: 3000 }),
  isPacked: fc.boolean(),
});
const lineEdits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...edits)), { maxLength: 2 });
const byteEdits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 2 });

test.each(['plain', 'zstd'] as const)(
  'random edits of random logs, %s, read quickly and in full',
  async (encoding) => {
    await fc.assert(
      fc.asyncProperty(
        spec,
        lineEdits,
        byteEdits,
        fc.array(fc.nat(5000)),
        async (given, lines, bytes, borders) => {
          const { script } = randomConversation(given);
          for (const [place, edit] of lines) {
            const at = place % script.rows.length;
            script.rows[at] = edit(script.rows[at]!);
          }
          const log = plainLog(script.lines);
          const headerEnd = log.indexOf(10) + 1;
          for (const [place, byte] of bytes) log[headerEnd + (place % (log.length - headerEnd))] = byte;
          await expectSame(
            given.format,
            encoding === 'plain' ? log : framedLog(cutContents(log, borders)),
            encoding,
          );
        },
      ),
      { numRuns: 300 },
    );
  },
);
