import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { elementTexts } from '../../../src/cli/json-elements.ts';
import { SessionReferenceError } from '../../../src/errors.ts';
import type { SessionStore } from '../../../src/store.ts';
import { cli, errorLine, Sink } from './support.ts';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dsh-ref-messages-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const CONTEXT = { source: { kind: 'session-reference' }, content: [], role: 'user', id: 'c' } as never;

/** Cites where the id of the message says so. */
const openBatch: SessionStore['openBatch'] = (options) => ({
  prepare: async (message, name) => {
    if (message.id === 'bad')
      throw new SessionReferenceError('SESSION_REFERENCE_READ_FAILED', `${name}: gone`);
    if (message.id !== 'cites') return [message];
    options?.onExplain?.({ budget: { bytes: 1, rule: 'default' }, sources: [] });
    return [{ ...message, content: [] }, CONTEXT];
  },
});

const line = (id: string, more = ''): string =>
  `{"source":{"kind":"user"},"content":[], "id":"${id}"${more}}`;
const context = JSON.stringify(CONTEXT);
const cited = '{"source":{"kind":"user"},"content":[],"id":"cites"}';

async function batch(input: string | Buffer, flags: string[] = [], stdout = new Sink(), chunk = 7) {
  const bytes = Buffer.from(input);
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += chunk) pieces.push(bytes.subarray(from, from + chunk));
  const stdin = Readable.from(pieces);
  return cli(['prepare', '--messages', '-', ...flags], { stdin, openBatch, stdout, tmpdir: directory });
}

const LINES = ['--format', 'ndjson'];

describe('prepare --messages with a message a line', () => {
  it('gives an array, as it does for one', async () => {
    expect((await batch(`${line('a')}\n${line('cites')}\n`)).stdout).toBe(
      `[${line('a')},${cited},${context}]\n`,
    );
    expect((await batch('')).stdout).toBe('[]\n');
  });

  it('passes lines on byte by byte, and puts contexts behind', async () => {
    const odd = line('a', ',"n":1.0,"big":12345678901234567890,"\\u0061":"\\/é"\r');
    const input = `${odd}\n\n${line('cites')}\n \t\n${line('b')}`;
    for (const chunk of [1, 7, 100_000]) {
      const { exit, stdout, stderr } = await batch(input, LINES, new Sink(), chunk);
      expect([exit, stderr]).toEqual([0, '']);
      expect(stdout).toBe(`${odd}\n${cited}\n${context}\n${line('b')}\n`);
    }
  });

  it('accepts a byte order mark, and no message at all', async () => {
    expect((await batch(`\ufeff${line('a')}\n`, LINES, new Sink(), 1)).stdout).toBe(`${line('a')}\n`);
    for (const input of ['', '\n\n', '\ufeff', ' ']) {
      expect(await batch(input, LINES)).toMatchObject({ exit: 0, stdout: '', stderr: '' });
    }
  });

  it('reads a file, too', async () => {
    const path = join(directory, 'in.ndjson');
    writeFileSync(path, `${line('a')}\n`);
    const { stdout } = await cli(['prepare', '--messages', path, ...LINES], { openBatch, tmpdir: directory });
    expect(stdout).toBe(`${line('a')}\n`);
    rmSync(path);
  });

  it('hands the settings over', async () => {
    const flags = '--max-bytes 7 --context-window 8 --context-fraction .5 --max-references 2 --self me'.split(
      ' ',
    );
    const { asked } = await cli(['prepare', '--messages', '-', ...flags], { stdin: Readable.from([]) });
    expect(asked.batch).toMatchObject({
      maxReferenceBytes: 7,
      contextWindow: 8,
      referenceContextFraction: 0.5,
      maxReferences: 2,
      self: 'me',
      signal: expect.any(AbortSignal),
    });
  });

  it('--explain names the message', async () => {
    const { stderr } = await batch(`${line('a')}\n${line('cites')}\n`, ['--explain']);
    expect(JSON.parse(stderr)).toEqual({ kind: 'budget', message: 'line 2', bytes: 1, rule: 'default' });
  });

  it('is cleaned on a terminal', async () => {
    const { stdout } = await batch(line('\u202e'), LINES, new Sink({ isTTY: true }));
    expect(stdout).toBe(`${line('\\u202e')}\n`);
  });
});

describe('prepare --messages with an array', () => {
  it('gives an array on one line, with what is passed on as it was spelled', async () => {
    const { stdout } = await batch(
      ` [\n  ${line('a', ', "n" : 1.0 , "s": "x  \\" ]"')},\n${line('cites')} ]\n`,
    );
    const passed = '{"source":{"kind":"user"},"content":[],"id":"a","n":1.0,"s":"x  \\" ]"}';
    expect(stdout).toBe(`[${passed},${cited},${context}]\n`);
    expect((await batch('[ ]')).stdout).toBe('[]\n');
  });

  it('is indented and safe on a terminal', async () => {
    const { stdout } = await batch(`[${line('\u202e')},${line('cites')}]`, [], new Sink({ isTTY: true }));
    expect(stdout).toMatch(/^\[\n {2}\{\n {4}"source": \{\n/);
    expect(stdout).toMatch(/\n {2}\}\n\]\n$/);
    expect(stdout).not.toContain('\u202e');
    expect(JSON.parse(stdout)).toHaveLength(3);
    expect((await batch('[]', [], new Sink({ isTTY: true }))).stdout).toBe('[]\n');
  });

  it.each([
    ['[]', []],
    [' [ ] ', []],
    ['[1]', ['1']],
    ['[ null , "a,]" , -1.50e3 ]', ['null', '"a,]"', '-1.50e3']],
    ['[[1, [2]] , {"a" : {"b": []}}, []]', ['[1,[2]]', '{"a":{"b":[]}}', '[]']],
    ['["\\\\", "\\"", ""]', ['"\\\\"', '"\\""', '""']],
  ])('the elements of %s', (json, texts) => expect(elementTexts(json)).toEqual(texts));
});

describe('a batch that is none', () => {
  const good = line('a');
  const cases: [string, string | Buffer, object, string][] = [
    ['no JSON on a line', `${good}\n{oops\n`, { line: 2 }, 'line 2 is not JSON'],
    ['null', `${good}\n\nnull\n`, { line: 3 }, 'line 3 is no message: it is not an object'],
    ['a number', '1\n', { line: 1 }, 'line 1 is no message'],
    ['no source', '{"content":[]}', { line: 1 }, 'source is not an object with a string kind'],
    ['a source without kind', '{"source":{},"content":[]}', { line: 1 }, 'string kind'],
    ['a kind that is no text', '{"source":{"kind":1},"content":[]}', { line: 1 }, 'string kind'],
    ['no content', '{"source":{"kind":"user"}}', { line: 1 }, 'content is not an array'],
    [
      'content that is a text',
      '{"source":{"kind":"x"},"content":"x"}',
      { line: 1 },
      'content is not an array',
    ],
    ['a block that is null', '{"source":{"kind":"x"},"content":[null]}', { line: 1 }, 'content[0]'],
    [
      'a block without type',
      `[${good},{"source":{"kind":"x"},"content":[{"type":"t"},{}]}]`,
      { index: 1 },
      'messages[1] is no message: content[1]',
    ],
    ['an array with null', `[${good},null]`, { index: 1 }, 'messages[1] is no message: it is not an object'],
    ['an array cut off', `[${good},`, {}, 'the input is not JSON'],
    ['text behind an array', `[${good}]\n${good}`, {}, 'the input is not JSON'],
    [
      'bytes that are no UTF-8',
      Buffer.from([...Buffer.from(`${good}\n`), 0xff]),
      { line: 2 },
      'line 2 is not valid UTF-8',
    ],
    [
      'such bytes in an array',
      Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]),
      {},
      'the input is not valid UTF-8',
    ],
  ];

  it.each(cases)('%s is exit 2 with nothing on standard output', async (_what, input, details, words) => {
    const outcome = await batch(input);
    expect([outcome.exit, outcome.stdout, outcome.asked.closed]).toEqual([2, '', true]);
    const { sentence, code } = errorLine(outcome.stderr);
    expect(code).toBe('DSH_REF_INPUT_FAILED');
    expect(sentence).toContain(words);
    const json = await batch(input, ['--error-format', 'json']);
    expect(JSON.parse(json.stderr).error.details).toEqual(details);
  });

  it('a failing message fails all of it, and is named', async () => {
    const outcome = await batch(`${good}\n${line('cites')}\n${line('bad')}\n`, ['--explain']);
    expect([outcome.exit, outcome.stdout]).toEqual([4, '']);
    expect(errorLine(outcome.stderr).sentence).toBe('line 3: gone');
  });

  it('a file that cannot be read is exit 2', async () => {
    for (const path of ['/nowhere/at/all', directory]) {
      const outcome = await cli(['prepare', '--messages', path], { openBatch });
      expect([outcome.exit, outcome.stdout, errorLine(outcome.stderr).code]).toEqual([
        2,
        '',
        'DSH_REF_INPUT_FAILED',
      ]);
    }
  });
});

describe('a large batch', () => {
  it('waits in a file without a name, and stays out of the roots', async () => {
    const long = line('a', `,"text":"${'x'.repeat(100_000)}"`);
    const lines = Array.from({ length: 120 }, () => `${long}\n`);
    for (const root of [process.cwd(), tmpdir()]) {
      const { exit, stdout } = await cli(['prepare', '--messages', '-', '--root', root, ...LINES], {
        stdin: Readable.from(lines),
        openBatch,
        tmpdir: directory,
      });
      expect([exit, stdout === lines.join('')]).toEqual([0, true]);
      expect(readdirSync(directory)).toEqual([]);
    }
  });
});
