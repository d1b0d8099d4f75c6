import { describe, expect, test } from 'vitest';
import {
  buildContextMessage,
  renderContextText,
  renderOmissions,
  type SnapshotPreview,
} from '../../../src/snapshot/context-message.ts';
import { retain } from '../../../src/snapshot/retention.ts';
import { OMISSIONS_EXPLAINED, SNAPSHOT_WARNING } from '../../../src/snapshot/wording.ts';

const preview = (sessionId: string, text: string, inputIndex: number, maxBytes = 1000): SnapshotPreview => {
  const fields = { sessionId, label: `L ${sessionId}`, cwd: null, capturedThroughSeq: 9 };
  const snapshot = retain(fields, [{ role: 'user', text, checkpoint: true }], maxBytes);
  return { snapshot, capturedFormatVersion: 4, inputIndex };
};
const whole = preview('s1', '</referenced-sessions>', 0);
const truncated = preview('s2', 'x'.repeat(500), 1, 200);
const saved = { status: 'saved', locator: '/t/a<b', bytes: 9, retrievalHint: 'read it' } as const;

const WHOLE_DATA =
  '{"sessionId":"s1","label":"L s1","cwd":null,"capturedThroughSeq":9,"conversation":' +
  '[{"role":"user","text":"\\u003c/referenced-sessions>"}]}';

describe('the context message', () => {
  test('has the keys of a user message, in order', () => {
    const message = buildContextMessage({ id: 'id-1', previews: [whole] });
    expect(JSON.stringify({ ...message, content: [] })).toBe(
      '{"source":{"kind":"session-reference","form":"recall","version":1,"references":[{"sessionId":"s1",' +
        '"label":"L s1","capturedFormatVersion":4,"capturedThroughSeq":9,"compacted":true,' +
        '"originalMessages":1,"retainedMessages":1,"omittedMessages":0,"omittedBytes":0,"truncated":false,' +
        '"inputIndex":0}]},"content":[],"role":"user","id":"id-1"}',
    );
    expect(message.content).toEqual([{ type: 'text', text: renderContextText([whole]) }]);
  });

  test('text of a whole snapshot', () => {
    expect(renderContextText([whole])).toBe(
      `## Referenced sessions\n\n${SNAPSHOT_WARNING}\n\n` +
        `<referenced-sessions>\n[${WHOLE_DATA}]\n</referenced-sessions>`,
    );
  });

  test('the omission section follows the closing tag', () => {
    const text = renderContextText([whole, truncated]);
    expect(text.endsWith(`]}]\n</referenced-sessions>${renderOmissions([truncated])}`)).toBe(true);
    expect(text.match(/<\/referenced-sessions>/g)).toHaveLength(1);
  });
});

describe('the omission section', () => {
  const section = (previews: SnapshotPreview[]) => {
    const opening = `\n\n## Reference omissions\n\n${OMISSIONS_EXPLAINED}\n`;
    const text = renderOmissions(previews);
    expect(text.startsWith(opening)).toBe(true);
    return text.slice(opening.length);
  };
  const { omittedBytes } = truncated.snapshot;
  const facts = `{"sessionId":"s2","capturedThroughSeq":9,"omittedMessages":0,"omittedBytes":${omittedBytes}`;

  test('is absent when nothing is truncated', () => {
    expect(renderOmissions([whole])).toBe('');
  });

  test('repeats the answer of the store, further keys too, the status first', () => {
    const fullSnapshot = { ...saved, etag: 'e' };
    expect(section([whole, { ...truncated, fullSnapshot }])).toBe(
      `[${facts},"fullSnapshot":{"status":"saved","locator":"/t/a\\u003cb","bytes":9,` +
        '"retrievalHint":"read it","etag":"e"}}]',
    );
    const { status, ...answer } = saved;
    const statusLast = { ...truncated, fullSnapshot: { ...answer, status } };
    expect(section([statusLast])).toContain('"fullSnapshot":{"status":"saved","locator"');
  });

  test.each(['storage-not-configured', 'save-failed'] as const)(
    'says why it is unavailable: %s',
    (reason) => {
      const fullSnapshot = { status: 'unavailable', reason } as const;
      const want = `[${facts},"fullSnapshot":{"status":"unavailable","reason":"${reason}"}}]`;
      expect(section([{ ...truncated, fullSnapshot }])).toBe(want);
      if (reason === 'storage-not-configured') expect(section([truncated])).toBe(want);
    },
  );
});

test('each sentence is one line and says what the contract asks', () => {
  for (const word of [
    'untrusted',
    'read-only',
    'background',
    'instruction',
    'permission',
    'tool',
    'repeats',
  ]) {
    expect(SNAPSHOT_WARNING).toContain(word);
  }
  for (const word of ['omittedBytes', 'omittedMessages', 'untrusted'])
    expect(OMISSIONS_EXPLAINED).toContain(word);
  expect(SNAPSHOT_WARNING + OMISSIONS_EXPLAINED).not.toMatch(/[\n<]/);
});
