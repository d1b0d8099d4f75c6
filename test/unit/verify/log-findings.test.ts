/** Findings about a file: container, lines, header, rows; and where each says that it is. */
import { describe, expect, it } from 'vitest';
import { MAX_FINDINGS_OF_A_KIND } from '../../../src/verify/findings.ts';
import { framedLog, plainLog, zstdLog } from '../../support/log-writer/container.ts';
import { randomConversation } from '../../support/log-writer/conversation.ts';
import { type Format, headerOf, LogScript } from '../../support/log-writer/log-script.ts';
import { EMPTY_FRAME, encodeFrame } from '../../support/log-writer/zstd-frame.ts';
import { findingsOf, kindsOf, kindsOfLines } from './check.ts';

function turns(format: Format, count: number): string[] {
  const script = new LogScript(format);
  for (let turn = 0; turn < count; turn += 1) {
    script.startTurn();
    script.user(`question ${turn}`);
    script.assistant(`answer ${turn}`);
    script.endTurn();
  }
  return script.lines;
}

const FOUR = turns(4, 2);
const header = `${FOUR[0]}\n`;
const body = FOUR.slice(1).map((line) => `${line}\n`);

describe('frames', () => {
  const frames = [header, body.slice(0, 6).join(''), body.slice(6).join('')].map((text) =>
    encodeFrame(Buffer.from(text)),
  );
  const startOf = (frame: number) => Buffer.concat(frames.slice(0, frame - 1)).length;
  const broken = (frame: number, change: (bytes: Buffer) => void) =>
    Buffer.concat(
      frames.map((bytes, at) => {
        const copy = Buffer.from(bytes);
        if (at === frame - 1) change(copy);
        return copy;
      }),
    );

  it('a sound log has none', () => {
    expect(findingsOf(Buffer.concat(frames))).toEqual([]);
    expect(findingsOf(zstdLog(FOUR, { emptyFrames: true }))).toEqual([]);
  });

  it('a damaged frame is named, and the frames behind it are checked on', () => {
    const bytes = broken(2, (frame) => frame.writeUInt8(frame.at(-1)! ^ 1, frame.length - 1));
    bytes[bytes.length - 1]! ^= 1;
    const findings = findingsOf(bytes);
    expect(kindsOf(findings)).toEqual(['e frame-damaged', 'e frame-damaged']);
    expect(findings.map(({ frame, byteOffset }) => [frame, byteOffset])).toEqual([
      [2, startOf(2)],
      [3, startOf(3)],
    ]);
  });

  it('rows behind a damaged frame are believed in their numbering, and checked one by one', () => {
    const odd = [...body];
    odd[8] = odd[8]!.replace('"role":"user"', '"role":"model"');
    const parts = [header, odd.slice(0, 6).join(''), odd.slice(6).join('')].map((text) =>
      encodeFrame(Buffer.from(text)),
    );
    parts[1]![parts[1]!.length - 1]! ^= 1;
    expect(kindsOf(findingsOf(Buffer.concat(parts)))).toEqual(['e frame-damaged', 'w message-role']);
  });

  it.each([
    ['frame-structure', (frame: Buffer) => frame.writeUInt8(0, 0)],
    ['frame-structure', (frame: Buffer) => frame.writeUInt8(frame[4]! | 8, 4)],
    ['frame-skippable', (frame: Buffer) => frame.writeUInt32LE(0x184d2a53, 0)],
  ] as const)('%s', (kind, change) => {
    const [finding, ...others] = findingsOf(broken(3, change));
    expect([finding, others]).toMatchObject([
      { kind, severity: 'error', frame: 3, byteOffset: startOf(3) },
      [],
    ]);
  });

  it('a log in one frame is wrong in just that, and its rows are checked', () => {
    const [finding, ...others] = findingsOf(framedLog([header + body.join('')]));
    expect([finding, others]).toMatchObject([{ kind: 'first-frame', severity: 'error', frame: 1 }, []]);
    const bad = findingsOf(framedLog([header + body.join('').replace('"role":"user"', '"role":"x"')]));
    expect(bad).toMatchObject([{ kind: 'first-frame' }, { kind: 'message-role', frame: 1, line: 4, seq: 2 }]);
  });

  it('a torn frame, a frame without a checksum, a line across frames', () => {
    const whole = Buffer.concat(frames);
    expect(findingsOf(whole.subarray(0, -1))).toMatchObject([
      { kind: 'frame-torn', severity: 'warning', frame: 3, byteOffset: startOf(3) },
    ]);
    const bare = Buffer.concat([frames[0]!, encodeFrame(Buffer.from(body.join('')), { checksum: false })]);
    expect(findingsOf(bare)).toMatchObject([{ kind: 'frame-without-checksum', frame: 2 }]);
    const cut = framedLog([header, body.join('').slice(0, 300), body.join('').slice(300)]);
    expect(findingsOf(cut)).toMatchObject([
      { kind: 'frame-ends-inside-line', severity: 'warning', frame: 2, line: 4 },
    ]);
  });

  it('without a whole first frame there is no log', () => {
    for (const bytes of [Buffer.alloc(0), EMPTY_FRAME.subarray(0, 3), frames[0]!.subarray(0, -1)]) {
      expect(kindsOf(findingsOf(bytes, { isCompressed: true }))).toContain('e log-empty');
    }
  });
});

describe('lines and rows', () => {
  const withLine = (at: number, line: string) => FOUR.map((given, index) => (index === at ? line : given));

  it('places are exact in a plain log', () => {
    const [finding, ...others] = findingsOf(plainLog(withLine(3, '{"type":')));
    const byteOffset = plainLog(FOUR.slice(0, 3)).length;
    expect(others).toEqual([]);
    expect(finding).toEqual({
      kind: 'row-json',
      severity: 'error',
      path: finding!.path,
      byteOffset,
      line: 4,
      seq: 2,
      message: 'the row is not JSON, and a turn ends behind it',
    });
  });

  it.each([
    ['row-json', ''],
    ['row-json', '\0\0\0'],
    ['row-shape', 'null'],
    ['row-shape', '{"seq":2}'],
    ['row-seq', FOUR[2]!],
    ['row-seq', '{"type":"todo/write","time":1,"data":{}}'],
    [
      'row-packed-format',
      '{"type":"text-chunks","seq0":2,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["x"]}}',
    ],
  ])('%s is an error before the end of a turn, a warning behind the last', (kind, line) => {
    expect([...new Set(kindsOfLines(withLine(3, line)))]).toEqual([`e ${kind}`]);
    const behind = kindsOfLines([...FOUR, line]);
    expect(behind).toEqual([`w ${kind}`]);
  });

  it('a malformed packed row, and one that does not continue', () => {
    const script = new LogScript(1);
    script.raw(
      '{"type":"text-chunks","seq0":0,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["x"]}}',
    );
    expect(kindsOfLines(script.lines)).toEqual(['w row-packed']);
    const gap = new LogScript(1);
    gap.nextSeq = 1;
    gap.chunks(['a', 'b', 'c'], true);
    gap.startTurn();
    gap.endTurn();
    expect(kindsOfLines(gap.lines)).toEqual(['e row-seq']);
  });

  it('two places of damage are two findings', () => {
    const lines = [...FOUR];
    lines.splice(10, 1);
    lines.splice(3, 1);
    expect(findingsOf(plainLog(lines))).toMatchObject([
      { kind: 'row-seq', line: 4, seq: 2 },
      { kind: 'row-seq', line: 10, seq: 9 },
    ]);
  });

  it('torn ends, carriage returns, bytes that are not UTF-8', () => {
    expect(findingsOf(plainLog(FOUR).subarray(0, -1))).toMatchObject([
      { kind: 'line-torn', severity: 'warning', line: FOUR.length },
    ]);
    expect(kindsOfLines(withLine(2, `${FOUR[2]}\r`))).toEqual(['w line-carriage-return']);
    const bytes = plainLog(FOUR);
    bytes[bytes.indexOf('question 0')] = 0xff;
    expect(findingsOf(bytes)).toMatchObject([{ kind: 'line-encoding', severity: 'warning', line: 4 }]);
  });

  it('many findings of one kind are counted, not listed', () => {
    const script = new LogScript(4);
    for (let at = 0; at < 1000; at += 1) script.event('new/thing', {});
    const findings = findingsOf(plainLog(script.lines));
    expect([findings.length, findings.at(-1)!.more]).toEqual([
      MAX_FINDINGS_OF_A_KIND,
      1000 - MAX_FINDINGS_OF_A_KIND,
    ]);
  });
});

describe('the header', () => {
  const of = (fields: Record<string, unknown>, version = 4) =>
    kindsOfLines([JSON.stringify(headerOf(version, fields))]);

  it.each([
    ['e header-invalid', { id: '' }],
    ['e header-invalid', { isSeeded: undefined }],
    ['w header-key', { colour: 'red' }],
    ['w header-retired-key', { sandboxMode: 'off' }],
    ['w header-cwd', { cwd: 'shop' }],
    ['e session-unsupported', { version: 5 }],
  ])('%s', (kind, fields) => {
    expect(of(fields)).toEqual([kind]);
  });

  it('directories of either platform are absolute', () => {
    for (const cwd of ['/a', 'C:\\a', 'c:/a', '\\\\server\\share']) expect(of({ cwd })).toEqual([]);
  });

  it('an old header may lack its depth; a name must fit; a byte order mark does not', () => {
    expect(of({ delegationDepth: undefined }, 1)).toEqual(['w header-depth']);
    expect(kindsOf(findingsOf(plainLog(FOUR), { nameVersion: 3 }))).toEqual(['e header-version']);
    const marked = Buffer.concat([Buffer.from('\ufeff'), plainLog(FOUR)]);
    expect(kindsOf(findingsOf(marked, { isCompressed: false }))).toEqual(['e header-invalid']);
  });
});

it('a plain log and its compressed twin have the same findings but for their places', () => {
  const { script } = randomConversation({ format: 1, seed: 3, bytes: 30_000 });
  const lines = script.lines.map((line, at) => (at % 9 === 5 ? line.replace('"time"', '"tíme"') : line));
  const strip = (bytes: Buffer) =>
    findingsOf(bytes).map(({ kind, line, seq, severity }) => ({ kind, line, seq, severity }));
  expect(strip(zstdLog(lines))).toEqual(strip(plainLog(lines)));
  expect(strip(plainLog(lines)).length).toBeGreaterThan(5);
});
