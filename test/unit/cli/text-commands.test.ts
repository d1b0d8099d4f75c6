import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { SessionLogError } from '../../../src/errors.ts';
import { formatSessionReferenceMention } from '../../../src/mention/mention.ts';
import { encodeSessionReferenceUri } from '../../../src/mention/uri.ts';
import { candidate, cli, errorLine, Sink } from './support.ts';

const input = (...chunks: (string | Uint8Array)[]): Readable =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('uri', () => {
  const ids = ['a', '', 'x y', '-q', '漢字', 'a\u2028b'];

  it('encodes and decodes, one a line, in order', async () => {
    const uris = (await cli(['uri', 'encode', '--', ...ids])).stdout.split('\n').slice(0, -1);
    expect(uris).toEqual(ids.map(encodeSessionReferenceUri));
    expect((await cli(['uri', 'decode', ...uris])).stdout).toBe(ids.map((id) => `${id}\n`).join(''));
    expect((await cli(['uri', 'decode', '-0', ...uris])).stdout).toBe(ids.map((id) => `${id}\0`).join(''));
  });

  it.each(['a\nb', 'a\u0000b', 'a\u0085', '\u001b[m', '\ud800'])('%j needs --json', async (id) => {
    const uri = encodeSessionReferenceUri(id);
    const { exit, stdout, stderr } = await cli(['uri', 'decode', encodeSessionReferenceUri('fine'), uri]);
    expect([exit, stdout, errorLine(stderr).code]).toEqual([2, '', 'DSH_REF_USAGE']);
    expect(stderr).toContain('--json');
    expect(JSON.parse((await cli(['uri', 'decode', '--json', uri])).stdout)).toBe(id);
  });

  it('-0 carries a line break, but no NUL', async () => {
    expect((await cli(['uri', 'decode', '-0', encodeSessionReferenceUri('a\nb')])).stdout).toBe('a\nb\0');
    expect((await cli(['uri', 'decode', '-0', encodeSessionReferenceUri('a\0b')])).exit).toBe(2);
    expect((await cli(['uri', 'decode', '-0', '--json', encodeSessionReferenceUri('a')])).exit).toBe(2);
  });

  it('a terminal is never sent what it cannot show', async () => {
    const uri = encodeSessionReferenceUri('a\u202eb');
    const decode = (...flags: string[]) =>
      cli(['uri', 'decode', uri, ...flags], { stdout: new Sink({ isTTY: true }) });
    expect(await decode()).toMatchObject({ exit: 2, stdout: '' });
    expect(await decode('-0')).toMatchObject({ exit: 2, stdout: '' });
    expect((await decode('--json')).stdout).toBe('"a\\u202eb"\n');
  });

  it('a malformed URI is exit 3 and prints nothing', async () => {
    const { exit, stdout, stderr } = await cli([
      'uri',
      'decode',
      encodeSessionReferenceUri('a'),
      'dsh-session:',
    ]);
    expect([exit, stdout, errorLine(stderr).code]).toEqual([3, '', 'SESSION_REFERENCE_INVALID_REFERENCE']);
  });
});

describe('mention', () => {
  const stored = { 'session-1': 'A [title]', 'session-2': undefined, 'other-id': 'Other' };
  const mention = (...argv: string[]) => cli(['mention', ...argv], { stored });

  it('takes an id, a beginning, a URI and a mention', async () => {
    const expected = `${formatSessionReferenceMention({ sessionId: 'other-id', label: 'Other' })}\n`;
    const uri = encodeSessionReferenceUri('other-id');
    for (const given of ['other-id', 'othe', uri, ` ${uri}\n`, `@[whatever](${uri})`]) {
      expect(await mention(given)).toMatchObject({ exit: 0, stdout: expected, stderr: '' });
    }
  });

  it('labels with --label, the title, or the id', async () => {
    expect((await mention('session-1', 'session-2')).stdout).toBe(
      '@[A [title\\]](dsh-session:InNlc3Npb24tMSI)\n@[session-2](dsh-session:InNlc3Npb24tMiI)\n',
    );
    expect((await mention('session-1', '--label', 'L')).stdout).toBe('@[L](dsh-session:InNlc3Npb24tMSI)\n');
  });

  it('uses the title that lists show, and the id of what cannot be folded', async () => {
    const candidates = [
      candidate('session-1', { label: 'Task', displayTitle: 'A helper' }),
      candidate('other-id', { unreadable: 'corrupt' }),
    ];
    const { exit, stdout, stderr } = await cli(['mention', 'session-1', 'other-id'], { stored, candidates });
    expect([exit, stdout]).toEqual([
      0,
      '@[A helper](dsh-session:InNlc3Npb24tMSI)\n@[other-id](dsh-session:Im90aGVyLWlkIg)\n',
    ]);
    expect(stderr).toContain('the title of "other-id" cannot be read (the log is corrupt); its id stands in');
  });

  it('of a session that is not stored is written, with a notice', async () => {
    const { exit, stdout, stderr } = await mention('nobody');
    expect([exit, stdout]).toEqual([0, '@[nobody](dsh-session:Im5vYm9keSI)\n']);
    expect(stderr).toContain('no session "nobody"');
    expect((await mention('-q', 'nobody')).stderr).toBe('');
  });

  it('of a session whose log is damaged keeps the id, with a notice', async () => {
    const fail = (): void => {
      throw new SessionLogError('SESSION_LOG_CORRUPT', '/r', 'frame 1 is damaged');
    };
    const { exit, stdout, stderr } = await cli(['mention', 'session-1'], { stored, fail });
    expect([exit, stdout]).toEqual([0, '@[session-1](dsh-session:InNlc3Npb24tMSI)\n']);
    expect(stderr).toContain('frame 1 is damaged');
  });

  it.each([
    ['', 3],
    ['  ', 3],
    ['*', 3],
    ['sess*', 3],
    ['dsh-session:', 3],
    ['@[x](dsh-session:!)', 3],
    ['@[x](dsh-session:ImEi) and more', 3],
    ['sess', 4],
    ['session-', 4],
  ])('H-43: %j is never a guess', async (given, exit) => {
    const outcome = await mention('other-id', given);
    expect([outcome.exit, outcome.stdout]).toEqual([exit, '']);
    const { sentence } = errorLine(outcome.stderr);
    if (exit === 4) expect(sentence).toMatch(/session-1, session-2/);
  });
});

describe('parse and prepare', () => {
  const cited = '@[a\\]b](dsh-session:ImEi)';

  it('join their arguments with spaces', async () => {
    expect((await cli(['parse', 'see', cited, 'now'])).stdout).toBe(
      '{"text":"see @a]b now","references":[{"sessionId":"a","label":"a]b"}]}\n',
    );
    expect((await cli(['parse', 'a', '-', 'b'])).stdout).toBe('{"text":"a - b","references":[]}\n');
    expect((await cli(['parse', ''])).stdout).toBe('{"text":"","references":[]}\n');
    expect((await cli(['prepare', 'a', 'b'])).asked.prepare?.text).toBe('a b');
  });

  it('read standard input for -, wherever the chunks are cut', async () => {
    const stdin = input('\ufeff', Buffer.from('é\n').subarray(0, 1), Buffer.from('é\n').subarray(1));
    expect((await cli(['parse', '-'], { stdin })).stdout).toBe('{"text":"é\\n","references":[]}\n');
    expect((await cli(['prepare', '-'], { stdin: input('x') })).asked.prepare?.text).toBe('x');
    expect((await cli(['parse', '-'], { stdin: input() })).stdout).toBe('{"text":"","references":[]}\n');
  });

  it('refuse input that is no UTF-8 or cannot be read', async () => {
    for (const stdin of [input(Uint8Array.of(0x61, 0xff)), undefined]) {
      const { exit, stdout, stderr } = await cli(['parse', '-'], stdin ? { stdin } : {});
      expect([exit, stdout, errorLine(stderr).code]).toEqual([2, '', 'DSH_REF_INPUT_FAILED']);
    }
  });

  it('parse fails whole at a malformed mention', async () => {
    const { exit, stdout } = await cli(['parse', `${cited} @[x](dsh-session:?)`]);
    expect([exit, stdout]).toEqual([3, '']);
  });

  it('prepare hands every option over', async () => {
    const flags = '--max-bytes 7 --context-window 8 --context-fraction .5 --max-references 2 --self me'.split(
      ' ',
    );
    expect((await cli(['prepare', 'x', ...flags])).asked.prepare).toMatchObject({
      text: 'x',
      maxReferenceBytes: 7,
      contextWindow: 8,
      referenceContextFraction: 0.5,
      maxReferences: 2,
      self: 'me',
    });
  });

  const content = [{ type: 'text', text: 'hi @a' }];
  const prepare = async () => ({
    content,
    additionalContext: {
      source: { kind: 'session-reference', form: 'recall', version: 1, references: [] },
      content: [{ type: 'text', text: '## Referenced\u0007\n[]' }],
      role: 'user',
      id: 'm1',
    } as never,
  });

  it('prepare prints JSON on one line, indented and safe on a terminal', async () => {
    expect((await cli(['prepare', 'x'])).stdout).toBe('{"content":[{"type":"text","text":"x"}]}\n');
    const { stdout } = await cli(['prepare', 'x'], { prepare, stdout: new Sink({ isTTY: true }) });
    expect(stdout.startsWith('{\n  "content": [\n')).toBe(true);
    expect(JSON.parse(stdout)).toEqual(await prepare());
  });

  it('prepare --format text is the message, an empty line, the context', async () => {
    const of = async (stdout: Sink) =>
      (await cli(['prepare', 'x', '--format', 'text'], { prepare, stdout })).stdout;
    expect(await of(new Sink())).toBe('hi @a\n\n## Referenced\u0007\n[]\n');
    expect(await of(new Sink({ isTTY: true }))).toBe('hi @a\n\n## Referenced\\u0007\n[]\n');
    expect((await cli(['prepare', 'x', '--format', 'text'])).stdout).toBe('x\n');
  });
});
