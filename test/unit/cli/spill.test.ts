import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderTranscript } from '../../../src/snapshot/transcript.ts';
import { cli, errorLine, Sink } from './support.ts';

const metadata = {
  sessionId: 'session-1',
  label: 'One\ntitle',
  cwd: '/work',
  capturedThroughSeq: 9,
  capturedFormatVersion: 4,
};
const messages = [
  { role: 'user', text: `say\n${'long '.repeat(40)}\u202e` },
  { role: 'assistant', text: 'done' },
] as const;
let directory: string;
let path: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dsh-ref-show-'));
  path = join(directory, 'one.txt');
  writeFileSync(path, renderTranscript(metadata, messages));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('spill show', () => {
  it('is Markdown with the exact texts', async () => {
    const { exit, stdout, stderr } = await cli(['spill', 'show', path]);
    expect([exit, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      '# One title\n\n- Session: session-1\n- Directory: /work\n- Log: format v4, events 0 to 9\n- Messages: 2\n' +
        `\n## User\n\n${messages[0].text}\n\n## Assistant\n\ndone\n`,
    );
  });

  it('is cleaned on a terminal', async () => {
    const { stdout } = await cli(['spill', 'show', path], { stdout: new Sink({ isTTY: true }) });
    expect(stdout).toContain('say\nlong long');
    expect(stdout).toContain('\\u202e');
  });

  it('--json is metadata and messages; a relative path counts from the working directory', async () => {
    const { stdout } = await cli(['spill', 'show', '--json', 'one.txt'], { cwd: () => directory });
    expect(JSON.parse(stdout)).toEqual({ metadata, messages });
  });

  it('a session without events or directory', async () => {
    const bare = { ...metadata, cwd: null, capturedThroughSeq: null };
    writeFileSync(join(directory, 'bare'), renderTranscript(bare, []));
    const { stdout } = await cli(['spill', 'show', join(directory, 'bare')]);
    expect(stdout).toContain('- Directory: none recorded\n- Log: format v4, no events\n- Messages: 0\n');
  });

  it('H-33: what is no transcript is exit 2, a pipe too', async () => {
    writeFileSync(join(directory, 'other'), '# Notes\n');
    writeFileSync(join(directory, 'bytes'), Buffer.from([0xff, 0xfe]));
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    for (const [name, words] of [
      ['other', 'is no transcript'],
      ['bytes', 'is not valid UTF-8'],
      ['pipe', 'is not a regular file'],
      ['.', 'is not a regular file'],
      ['missing', 'ENOENT'],
    ] as const) {
      const { exit, stdout, stderr } = await cli(['spill', 'show', join(directory, name)]);
      expect([exit, stdout]).toEqual([2, '']);
      const { sentence, code } = errorLine(stderr);
      expect(code).toBe('DSH_REF_INPUT_FAILED');
      expect(sentence).toContain(words);
    }
  });
});
