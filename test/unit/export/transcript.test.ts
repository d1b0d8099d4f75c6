/** The conversation beside what it leaves out. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { openSessionStore, readTranscript } from '../../../src/store.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { writeLog } from '../../support/log-writer/write-root.ts';

async function transcriptOf(script: LogScript) {
  const root = scratch();
  writeLog(root, { id: 's-1', cwd: '/home/ana/shop', format: script.format, lines: script.lines });
  return readTranscript({ roots: [root], sessionId: 's-1' });
}

const NOTHING = {
  toolResults: 0,
  toolCalls: 0,
  reasoning: 0,
  attachments: 0,
  otherBlocks: 0,
  injected: {},
  instructions: 0,
  withoutText: 0,
  shadowed: 0,
};

describe('what is left out', () => {
  it('nothing of plain talk', async () => {
    const script = new LogScript(4);
    script.user('a');
    script.assistant('b');
    const { items, leftOut, lastMessageAt, capturedThroughSeq } = await transcriptOf(script);
    expect(items.map(({ seq, role }) => [seq, role])).toEqual([
      [0, 'user'],
      [1, 'assistant'],
    ]);
    expect([leftOut, lastMessageAt, capturedThroughSeq]).toEqual([NOTHING, script.time, 1]);
  });

  it('tool rounds, reasoning, attachments, empty messages, instructions', async () => {
    const script = new LogScript(4);
    const image = { type: 'image', attachment: { attachmentId: 'sha256:0' } };
    script.system('rules');
    script.developer('more rules');
    script.user('', { source: { kind: 'user' } });
    script.toolRound('c1', 'out');
    script.toolRound('c2', 'out');
    script.assistant('b', { blocks: [{ type: 'reasoning', text: 'r' }, image, { type: 'odd' }] });
    const { items, leftOut } = await transcriptOf(script);
    expect(items.map(({ text }) => text)).toEqual(['b']);
    expect(leftOut).toEqual({
      ...NOTHING,
      toolResults: 2,
      toolCalls: 2,
      reasoning: 1,
      attachments: 1,
      otherBlocks: 1,
      instructions: 2,
      withoutText: 3,
    });
  });

  it('injected messages by who wrote them, the most frequent first', async () => {
    const script = new LogScript(3);
    for (const plugin of ['b', 'a', 'b']) script.user('x', { source: { kind: 'plugin', plugin } });
    script.user('x', { source: { kind: 'goal' } });
    script.user('x', { source: {} });
    const { items, leftOut } = await transcriptOf(script);
    expect(items).toEqual([]);
    expect(Object.entries(leftOut.injected)).toEqual([
      ['plugin:b', 2],
      ['goal', 1],
      ['plugin:a', 1],
      ['unknown', 1],
    ]);
  });

  it.each([0, 2, 4] as const)('shadowed events of a compaction in v%i', async (format) => {
    const script = new LogScript(format);
    script.user('a');
    script.assistant('b');
    script.user('c');
    script.compact('in short', 0, 2, [0, 1, 2]);
    script.user('d');
    const { items, leftOut } = await transcriptOf(script);
    expect(items.map(({ text, checkpoint }) => [text, checkpoint])).toEqual([
      ['in short', true],
      ['d', false],
    ]);
    expect(leftOut).toEqual({ ...NOTHING, shadowed: 3 });
  });

  it('pruned tool output shadows a result, and is counted once', async () => {
    const script = new LogScript(4);
    const seq = script.toolRound('c', 'long');
    const data = JSON.parse(script.rows.at(-1)!).data;
    script.prune(seq, { ...data, message: { ...data.message, content: [{ type: 'text', text: '…' }] } });
    const { leftOut } = await transcriptOf(script);
    expect(leftOut).toEqual({ ...NOTHING, toolResults: 1, toolCalls: 1, withoutText: 1, shadowed: 1 });
  });
});

describe('the whole corpus', () => {
  const corpus = inject('corpus');
  const roots = ['roots', 'generations/roots', 'public/roots'].flatMap((folder) =>
    readdirSync(join(corpus, folder)).map((name) => join(folder, name)),
  );

  it.each(roots.filter((root) => !root.endsWith('damaged')))(
    '%s: items as readConversation has them',
    async (name) => {
      const root = join(corpus, name);
      const store = openSessionStore({ roots: [root], index: false });
      for (const { sessionId } of (await store.listSessions()).sessions) {
        const [conversation, transcript, surface] = await Promise.all([
          store.readConversation(sessionId).catch(String),
          readTranscript({ roots: [root], sessionId }).catch(String),
          store.readSurface(sessionId).catch(String),
        ]);
        if (
          typeof conversation === 'string' ||
          typeof transcript === 'string' ||
          typeof surface === 'string'
        ) {
          expect(transcript).toBe(conversation);
          continue;
        }
        const { items, capturedThroughSeq, title } = transcript;
        expect({ items, capturedThroughSeq, title }).toEqual({
          items: conversation.items,
          capturedThroughSeq: conversation.capturedThroughSeq,
          title: conversation.title,
        });
        // Every event of the surface is an item or is counted.
        const { toolResults, instructions, withoutText, injected } = transcript.leftOut;
        const injectedCount = Object.values(injected).reduce((sum, count) => sum + count, 0);
        expect(items.length + toolResults + instructions + withoutText + injectedCount).toBe(
          surface.events.length,
        );
      }
    },
  );
});
