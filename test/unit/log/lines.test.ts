import { describe, expect, test } from 'vitest';
import { LineSplitter } from '../../../src/log/lines.ts';
import { framedLog, plainLog } from '../../support/log-writer/container.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { codeOf, readBytes } from '../../support/log-writer/read-back.ts';

/** The lines that a splitter gives for these chunks, and what is left over. */
function split(chunks: readonly (string | Uint8Array)[]): { lines: string[]; unfinished: number } {
  const lines: string[] = [];
  const splitter = new LineSplitter(
    (buffer, start, end) => lines.push(buffer.toString('utf8', start, end)),
    () => {
      throw new Error('too long');
    },
  );
  for (const chunk of chunks) splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return { lines, unfinished: splitter.unfinishedBytes };
}

describe('splitting', () => {
  test('at LF and nowhere else', () => {
    const text = 'a\r\nb\u2028c\u2029d\u0085e\u000bf\u000cg\n\n\rh\n';
    expect(split([text]).lines).toEqual(['a\r', 'b\u2028c\u2029d\u0085e\u000bf\u000cg', '', '\rh']);
  });

  test('the bytes behind the last LF wait', () => {
    expect(split(['ab\ncd'])).toEqual({ lines: ['ab'], unfinished: 2 });
    expect(split(['ab', 'cd', '\n'])).toEqual({ lines: ['abcd'], unfinished: 0 });
    expect(split(['', 'ab', '', '\n', ''])).toEqual({ lines: ['ab'], unfinished: 0 });
  });

  test('H-09: wherever the chunks are cut, inside a character too', () => {
    const bytes = Buffer.from('größer\n日本語 😀\n\n{"a":"\\n"}\nrest 😀');
    const whole = split([bytes]);
    expect(whole.lines.length).toBe(4);
    for (let first = 0; first <= bytes.length; first += 1) {
      for (let second = first; second <= bytes.length; second += 1) {
        const parts = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
        expect(split(parts)).toEqual(whole);
      }
    }
    expect(split([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
  });

  test('a long line in many chunks, and short ones behind it', () => {
    const long = 'x'.repeat(100_000);
    const chunks: string[] = [];
    for (let at = 0; at < 50; at += 1) chunks.push(long);
    const { lines } = split([...chunks, '\nnext\n', 'a', 'b\n']);
    expect(lines.map((line) => line.length)).toEqual([5_000_000, 4, 2]);
    expect(lines.slice(1)).toEqual(['next', 'ab']);
  });

  test('a chunk that is overwritten afterwards has been taken', () => {
    const buffer = Buffer.from('begin');
    const lines: string[] = [];
    const splitter = new LineSplitter(
      (bytes, start, end) => lines.push(bytes.toString('utf8', start, end)),
      () => {
        throw new Error('too long');
      },
    );
    splitter.push(buffer);
    buffer.fill('?');
    splitter.push(Buffer.from('ning\n'));
    expect(lines).toEqual(['beginning']);
  });
});

describe('H-11: lines of a log', () => {
  const script = new LogScript(4);
  script.user('one\u2028line\u2029only\u0085 ');
  script.assistant('a\r\nb');
  const plain = readBytes(plainLog(script.lines));

  test('U+2028 inside strings splits nothing', () => {
    expect(plain.events.length).toBe(2);
    expect(JSON.stringify(plain.events[0]!.data)).toContain('\u2028');
  });

  test('a CR before the LF is white space', () => {
    expect(readBytes(Buffer.from(script.lines.map((line) => `${line}\r\n`).join('')))).toEqual(plain);
    expect(readBytes(framedLog(script.lines.map((line) => `${line} \t\r\n`)))).toEqual(plain);
  });

  test('an empty line is a bad row, not something to skip', () => {
    const [header, ...rows] = script.lines;
    for (const blank of ['', ' ', '\r', '\t']) {
      const { events, kinds, diagnostics } = readBytes(plainLog([header!, rows[0]!, blank, rows[1]!]));
      expect([events.length, kinds]).toEqual([1, ['dropped-tail']]);
      expect(diagnostics[0]!.line).toBe(3);
    }
    const withEnd = plainLog([header!, '', '{"type":"turn/end","seq":0,"time":1,"data":{}}']);
    expect(codeOf(() => readBytes(withEnd))).toBe('SESSION_LOG_CORRUPT');
    expect(
      codeOf(() => readBytes(Buffer.concat([Buffer.from('\n'), plainLog(script.lines)]), 4, false)),
    ).toBe('SESSION_LOG_CORRUPT');
  });

  test('a tail of NULs is dropped, with or without a line feed behind it', () => {
    const bytes = plainLog(script.lines);
    for (const length of [1, 512, 4096, 200_000]) {
      const torn = readBytes(Buffer.concat([bytes, Buffer.alloc(length)]));
      expect([torn.events, torn.kinds]).toEqual([plain.events, ['torn-line']]);
      const ended = readBytes(Buffer.concat([bytes, Buffer.alloc(length), Buffer.from('\n')]));
      expect([ended.events, ended.kinds]).toEqual([plain.events, ['dropped-tail']]);
    }
    expect(codeOf(() => readBytes(Buffer.alloc(4096), undefined, false))).toBe('SESSION_LOG_EMPTY');
    expect(codeOf(() => readBytes(Buffer.alloc(4096), undefined, true))).toBe('SESSION_LOG_CORRUPT');
  });

  test('a byte order mark makes the header invalid', () => {
    const bytes = Buffer.concat([Buffer.from('\ufeff'), plainLog(script.lines)]);
    expect(codeOf(() => readBytes(bytes, undefined, false))).toBe('SESSION_LOG_CORRUPT');
    const [header, ...rows] = script.lines;
    expect(readBytes(plainLog([header!, `\ufeff${rows[0]}`])).events.length).toBe(0);
  });

  test('H-08: a header line of 300 KB works, and one of 5 MB', () => {
    for (const length of [300_000, 5_000_000]) {
      const wide = new LogScript(4, { cwd: `/${'d'.repeat(length)}` });
      wide.user('hello');
      for (const bytes of [plainLog(wide.lines), framedLog(wide.lines.map((line) => `${line}\n`))]) {
        expect(readBytes(bytes).header.cwd!.length).toBe(length + 1);
        expect(readBytes(bytes).events.length).toBe(1);
      }
    }
  });
});
