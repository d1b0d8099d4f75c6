/** The full text of every session of the shipped corpus, written as a transcript and read back: exactly the same. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { openSessionStore } from '../../src/index.ts';
import { parseTranscript, renderTranscript } from '../../src/snapshot/transcript.ts';

const corpus = inject('corpus');
const roots = ['roots', 'generations/roots', 'public/roots'].flatMap((folder) =>
  readdirSync(join(corpus, folder))
    .filter((name) => name !== 'damaged')
    .map((name) => join(folder, name)),
);

it.each(roots)('%s', async (root) => {
  const store = openSessionStore({ roots: [join(corpus, root)], index: false });
  const { sessions } = await store.listSessions();
  for (const { sessionId, header } of sessions) {
    const conversation = await store.readConversation(sessionId).catch(() => undefined);
    if (conversation === undefined) continue;
    const { capturedThroughSeq, items } = conversation;
    const metadata = {
      sessionId,
      label: conversation.title ?? sessionId,
      cwd: header.cwd ?? null,
      capturedThroughSeq,
      capturedFormatVersion: header.version,
    };
    // As a file has it: a lone surrogate stands there as an escape, so nothing is lost in UTF-8.
    const text = Buffer.from(renderTranscript(metadata, items)).toString();
    expect(text.split('\n').every((line) => line.length <= 386 || line.includes('untrusted'))).toBe(true);
    expect(parseTranscript(text)).toEqual({
      metadata,
      messages: items.map(({ role, text: original }) => ({ role, text: original })),
    });
  }
});
