import { describe, expect, test } from 'vitest';
import { parseTranscript, renderTranscript } from '../../../src/snapshot/transcript.ts';
import {
  FRAGMENTS_EXPLAINED,
  FRAGMENTS_JOINED,
  SNAPSHOT_WARNING,
  TRANSCRIPT_INTRODUCTION,
} from '../../../src/snapshot/wording.ts';

const metadata = {
  sessionId: 'session-7d0f',
  label: 'Release plan',
  cwd: '/srv/app',
  capturedThroughSeq: 9,
  capturedFormatVersion: 4,
};
const messages = [
  { role: 'user', text: 'Plan the <release>\nplease' },
  {
    role: 'assistant',
    text: 'Step 1: freeze. Step 2: tag. Step 3: announce it everywhere, then rest 😀 well.',
  },
] as const;

// The example of the spill document, section 8. Its second fragment shows the cut after 64 code points.
const EXAMPLE = `## Referenced session — full projected snapshot

${TRANSCRIPT_INTRODUCTION}
${SNAPSHOT_WARNING}

{
  "sessionId": "session-7d0f",
  "label": "Release plan",
  "cwd": "/srv/app",
  "capturedThroughSeq": 9,
  "capturedFormatVersion": 4
}

${FRAGMENTS_EXPLAINED}
${FRAGMENTS_JOINED}

### Message 1: user

"Plan the <release>\\nplease"

### Message 2: assistant

"Step 1: freeze. Step 2: tag. Step 3: announce it everywhere, the"
"n rest 😀 well."
`;

const fragmentsOf = (text: string) =>
  renderTranscript(metadata, [{ role: 'user', text }])
    .split('\n')
    .filter((line) => line.startsWith('"'));

describe('writing', () => {
  test('the worked example', () => {
    expect(renderTranscript(metadata, messages)).toBe(EXAMPLE);
  });

  test('fragments count code points: pairs stay whole, a lone surrogate is one', () => {
    expect(fragmentsOf('😀'.repeat(65))).toEqual([`"${'😀'.repeat(64)}"`, '"😀"']);
    expect(fragmentsOf(`${'a'.repeat(63)}😀b`)).toEqual([`"${'a'.repeat(63)}😀"`, '"b"']);
    expect(fragmentsOf(`${'a'.repeat(63)}\ud83d\ud83d\ude00`)).toEqual([
      `"${'a'.repeat(63)}\\ud83d"`,
      '"😀"',
    ]);
    expect(fragmentsOf('\u0000'.repeat(64))[0]).toHaveLength(386);
    expect(fragmentsOf('a\u2028b<c')).toEqual(['"a\u2028b<c"']);
  });
});

describe('reading back', () => {
  test('the worked example, and a session without messages', () => {
    expect(parseTranscript(EXAMPLE)).toEqual({ metadata, messages });
    const bare = { ...metadata, cwd: null, capturedThroughSeq: null };
    expect(parseTranscript(renderTranscript(bare, []))).toEqual({ metadata: bare, messages: [] });
  });

  test('other sentences in the places of ours', () => {
    const foreign = EXAMPLE.replace(SNAPSHOT_WARNING, 'Beware.').replace(FRAGMENTS_JOINED, 'Join them.');
    expect(parseTranscript(foreign)).toEqual({ metadata, messages });
  });

  test.each<[what: string, text: string]>([
    ['nothing', ''],
    ['another text', '# Notes\n\nhello\n'],
    ['the heading alone', '## Referenced session — full projected snapshot\n'],
    ['no line feed at the end', EXAMPLE.slice(0, -1)],
    ['a file that was cut inside a fragment', `${EXAMPLE.slice(0, -6)}\n`],
    ['metadata that are not JSON', EXAMPLE.replace('"cwd": ', 'cwd: ')],
    ['metadata without a version', EXAMPLE.replace('"capturedFormatVersion": 4', '"other": 4')],
    ['a seq that is a string', EXAMPLE.replace(': 9', ': "9"')],
    ['a wrong number', EXAMPLE.replace('Message 2', 'Message 3')],
    ['a wrong role', EXAMPLE.replace('2: assistant', '2: tool')],
    ['a fragment that is no string', EXAMPLE.replace('"n rest 😀 well."', '17')],
    ['a stray line', `${EXAMPLE}\nmore\n`],
  ])('%s is not a transcript', (_, text) => {
    expect(parseTranscript(text)).toBeUndefined();
  });
});
