import { describe, expect, it } from 'vitest';
import { SessionReferenceError } from '../../../src/errors.ts';
import { encodeSessionReferenceUri } from '../../../src/mention/uri.ts';
import type { Explanation, PrepareOptions } from '../../../src/store.ts';
import { cli, errorLine, Sink } from './support.ts';

const stored = { 'session-1': 'One', 'other-id': 'Other' };
const uri = encodeSessionReferenceUri('other-id');
const context = {
  source: { kind: 'session-reference', form: 'recall', version: 1, references: [] },
  content: [{ type: 'text', text: '## Referenced' }],
  role: 'user',
  id: 'm1',
} as never;

describe('prepare --reference', () => {
  it.each([
    ['other-id', { sessionId: 'other-id' }],
    ['othe', { sessionId: 'other-id' }],
    [uri, { sessionId: 'other-id' }],
    [`@[my [label\\]](${uri})`, { sessionId: 'other-id', label: 'my [label]' }],
    ['not-stored', { sessionId: 'not-stored' }],
  ])('H-45: takes %s', async (given, reference) => {
    const { exit, asked } = await cli(['prepare', 'a', 'b', '--reference', given], { stored });
    expect([exit, asked.prepare?.text, asked.prepare?.references]).toEqual([0, 'a b', [reference]]);
  });

  it('may be repeated, and come with a text from standard input or none at all', async () => {
    const two = ['--reference', 'session-1', '--reference', 'other-id'];
    const { asked, stdout } = await cli(['prepare', ...two], {
      stored,
      prepare: async ({ content = [] }) => ({ content, additionalContext: context }),
    });
    expect(asked.prepare).toMatchObject({
      content: [],
      references: [{ sessionId: 'session-1' }, { sessionId: 'other-id' }],
    });
    expect(asked.prepare).not.toHaveProperty('text');
    expect(stdout).toMatch(/^\{"content":\[\],"additionalContext":\{"source":/);
    const empty = await cli(['prepare', '', ...two], { stored });
    expect(empty.asked.prepare).toMatchObject({ text: '' });
  });

  it('without a text, --format text is the context alone', async () => {
    const { stdout } = await cli(['prepare', '--reference', 'session-1', '--format', 'text'], {
      stored,
      prepare: async () => ({ content: [], additionalContext: context }),
    });
    expect(stdout).toBe('## Referenced\n');
  });

  it.each([
    ['*', 3, 'SESSION_REFERENCE_INVALID_REFERENCE'],
    ['dsh-session:', 3, 'SESSION_REFERENCE_INVALID_REFERENCE'],
    ['sess', 4, 'SESSION_LOG_AMBIGUOUS'],
  ])('H-43: %s is never a guess', async (given, exit, code) => {
    const outcome = await cli(['prepare', '--reference', given], { stored: { sess1: '', sess2: '' } });
    expect([outcome.exit, outcome.stdout, errorLine(outcome.stderr).code]).toEqual([exit, '', code]);
  });
});

const EXPLANATION: Explanation = {
  budget: { bytes: 500, rule: 'session-log', contextWindow: 1000 },
  sources: [
    {
      sessionId: 'session-1',
      label: 'One \u001b[31m',
      formatVersion: 4,
      capturedThroughSeq: 9,
      compacted: true,
      originalMessages: 5,
      keptMessages: 3,
      droppedMessages: 2,
      cutMessages: 1,
      omittedBytes: 77,
      snapshotBytes: 499,
      fullSnapshot: { status: 'saved', locator: '/spill/x', bytes: 9, retrievalHint: 'Read.' },
    },
    {
      sessionId: 'session-2',
      label: 'Two',
      formatVersion: 4,
      capturedThroughSeq: null,
      compacted: false,
      originalMessages: 1,
      keptMessages: 1,
      droppedMessages: 0,
      cutMessages: 0,
      omittedBytes: 0,
      snapshotBytes: 99,
    },
  ],
};

describe('prepare --explain', () => {
  const prepare = async ({ onExplain }: PrepareOptions) => {
    onExplain?.(EXPLANATION);
    return { content: [] };
  };

  it('is NDJSON on standard error off a terminal, -q or not', async () => {
    for (const flags of [[], ['-q']]) {
      const { stdout, stderr } = await cli(['prepare', 'x', '--explain', ...flags], { prepare });
      expect(stdout).toBe('{"content":[]}\n');
      const rows = stderr.split('\n').slice(0, -1);
      expect(rows.map((row) => JSON.parse(row))).toEqual([
        { kind: 'budget', ...EXPLANATION.budget },
        {
          kind: 'source',
          ...EXPLANATION.sources[0],
          why: expect.stringMatching(/oldest .* 500 bytes; .*shortened/),
        },
        { kind: 'source', ...EXPLANATION.sources[1], why: 'all of it fits' },
      ]);
    }
  });

  it('is a table on a terminal, cleaned', async () => {
    const { stderr } = await cli(['prepare', 'x', '--explain'], {
      prepare,
      stderr: new Sink({ isTTY: true }),
    });
    const lines = stderr.split('\n');
    expect(lines[0]).toMatch(/^budget of each session: 500 bytes, by the context window of 1000 tokens/);
    expect(lines[1]).toMatch(/^SESSION +KEPT +DROPPED +CUT +OMITTED +BYTES +WHY$/);
    expect(lines[2]).toMatch(/^@One \\u001b\[31m {2}3 of 5 +2 +1 +77 +499 +the oldest/);
    expect(lines[3]).toBe('  full text: /spill/x');
    expect(lines[4]).toMatch(/^@Two +1 of 1 +0 +0 +0 +99 +all of it fits$/);
  });

  it('says that nothing is cited only to people', async () => {
    expect((await cli(['prepare', 'x', '--explain'])).stderr).toBe('');
    const stderr = new Sink({ isTTY: true });
    expect((await cli(['prepare', 'x', '--explain'], { stderr })).stderr).toBe('nothing is cited\n');
  });

  it('is not asked for without the option, and not told on failure', async () => {
    expect((await cli(['prepare', 'x'])).asked.prepare).not.toHaveProperty('onExplain');
    const { stderr } = await cli(['prepare', 'x', '--explain'], {
      prepare: async ({ onExplain }) => {
        onExplain?.(EXPLANATION);
        throw new SessionReferenceError('SESSION_REFERENCE_CANCELLED', 'the work was cancelled');
      },
    });
    expect(errorLine(stderr).code).toBe('SESSION_REFERENCE_CANCELLED');
  });
});

describe('where full texts go', () => {
  const prepared = (flags: string[], env: Record<string, string | undefined> = {}) =>
    cli(['prepare', 'x', '-v', ...flags], { env: { DSH_REF_ROOT: import.meta.dirname, ...env } });

  it('is a place by default, and none with --no-spill', async () => {
    expect((await prepared([])).asked.store?.spill).toBeDefined();
    expect((await prepared(['--no-spill'])).asked.store).not.toHaveProperty('spill');
    expect((await cli(['candidates'])).asked.store).not.toHaveProperty('spill');
  });

  it('H-36: is never inside a root', async () => {
    const inside = `${import.meta.dirname}/spill`;
    for (const outcome of [
      await prepared(['--spill-dir', inside]),
      await prepared([], { DSH_REF_SPILL_DIR: inside }),
    ]) {
      expect(outcome.asked.store).not.toHaveProperty('spill');
      expect(outcome.stderr).toContain('full texts are not kept: ');
    }
    const byDefault = await cli(['prepare', 'x'], { env: { XDG_CACHE_HOME: process.cwd() } });
    expect(byDefault.asked.store).not.toHaveProperty('spill');
    expect(byDefault.stderr).toBe('');
  });

  it('a failing place costs a notice for each reason, not the message', async () => {
    const { exit, stdout, stderr } = await cli(['prepare', 'x'], {
      prepare: async ({ onSaveFailed }) => {
        onSaveFailed?.('a', new Error('no room'));
        onSaveFailed?.('b', new Error('no room'));
        onSaveFailed?.('c', 'odd');
        return { content: [] };
      },
    });
    expect([exit, stdout]).toEqual([0, '{"content":[]}\n']);
    expect(stderr).toBe(
      'dsh-ref: the full text of 2 snapshots could not be kept (no room); the preview is complete all the same\n' +
        'dsh-ref: the full text of a snapshot could not be kept (odd); the preview is complete all the same\n',
    );
  });
});
