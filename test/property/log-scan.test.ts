import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogBytes } from '../../src/log/bytes.ts';
import { readSession } from '../../src/store/read-session.ts';
import { plainLog } from '../support/log-writer/container.ts';
import { randomConversation } from '../support/log-writer/conversation.ts';
import { type Format, LogScript } from '../support/log-writer/log-script.ts';
import { withLogBytes } from '../support/log-writer/read-back.ts';

/** What a log gives when every row is read, or when rows of no interest are passed over. */
async function fold(path: string, isQuick: boolean): Promise<unknown> {
  const log = { path, isCompressed: false, nameVersion: undefined, place: undefined };
  const keep = () => (event: { seq: number; type: string; data: unknown }, type: string, message: unknown) =>
    type === 'tool/result' ? 'tool result' : JSON.stringify([event.seq, type, message]);
  const reading = isQuick ? { keep, unread: { value: 'tool result' } } : { keep };
  try {
    const { facts, ...folded } = await readSession(log, reading, undefined);
    const { title, subagentLabel, contextWindow } = facts;
    return { ...folded, title, subagentLabel, contextWindow };
  } catch (error) {
    const { code, message, seq, line } = error as Error & { code?: string; seq?: number; line?: number };
    if (code === undefined) throw error;
    return { code, message, seq, line };
  }
}

async function expectSame(bytes: Buffer): Promise<void> {
  const pending = withLogBytes(bytes, (open: LogBytes) => {
    // Both readings open the file before it is gone.
    return [fold(open.path, true), fold(open.path, false)] as const;
  });
  const [quick, full] = await Promise.all(pending);
  expect(quick).toEqual(full);
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
  (line) => line.replace(/\}\}$/, ',"message":{}}}'),
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

test.each([0, 1, 2, 3, 4] as const)(
  'v%i: every edit of every row, read the quick way and in full',
  async (format) => {
    const script = sampleScript(format);
    const header = script.lines[0]!;
    for (const edit of edits) {
      for (const [at, row] of script.rows.entries()) {
        const edited = edit(row);
        if (edited === row) continue;
        await expectSame(plainLog([header, ...script.rows.with(at, edited)]));
      }
    }
  },
);

test('random edits of random logs, read the quick way and in full', async () => {
  const spec = fc.record({
    format: fc.constantFrom<Format>(0, 1, 2, 3, 4),
    seed: fc.nat(),
    bytes: fc.integer({ min: 300, max: 3000 }),
    isPacked: fc.boolean(),
  });
  const byteEdits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 2 });
  const lineEdits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...edits)), { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(spec, lineEdits, byteEdits, async (conversation, lines, bytes) => {
      const { script } = randomConversation(conversation);
      for (const [place, edit] of lines) {
        const at = place % script.rows.length;
        script.rows[at] = edit(script.rows[at]!);
      }
      const log = plainLog(script.lines);
      const headerEnd = log.indexOf(10) + 1;
      for (const [place, byte] of bytes) log[headerEnd + (place % (log.length - headerEnd))] = byte;
      await expectSame(log);
    }),
    { numRuns: 1200 },
  );
});
