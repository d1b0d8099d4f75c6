import { describe, expect, it } from 'vitest';
import { CancelReason } from '../../../src/cli/exit.ts';
import { candidate, cli, Sink } from './support.ts';

const ONE = [candidate('session-1')];

/** A clock that moves by `stepMs` whenever it is looked at. */
function steppingClock(stepMs: number): () => number {
  let nowMs = 0;
  return () => {
    nowMs += stepMs;
    return nowMs;
  };
}

const listing = ({ onProgress }: { onProgress?: (done: number, total: number) => void }): void => {
  for (let done = 1; done <= 4; done += 1) onProgress?.(done, 4);
};

describe('progress', () => {
  it('is one line, rewritten, and gone before the notices', async () => {
    const stderr = new Sink({ isTTY: true });
    await cli(['candidates'], { candidates: ONE, total: 9, listing, stderr, now: steppingClock(300) });
    const [line, ...rest] = stderr.utf8.split('\r\u001b[K').slice(1);
    expect(line).toBe('dsh-ref: 2 of 4 sessions read');
    expect(rest.at(-1)).toMatch(/^dsh-ref: 1 of 9 sessions shown[^\n]*\n$/);
    expect(stderr.utf8.split('\n')).toHaveLength(2);
  });

  it.each([
    ['within half a second', [], { stderr: new Sink({ isTTY: true }), now: steppingClock(50) }],
    ['off a terminal', [], { stderr: new Sink(), now: steppingClock(300) }],
    ['with -q', ['-q'], { stderr: new Sink({ isTTY: true }), now: steppingClock(300) }],
    [
      'on a dumb terminal',
      [],
      { stderr: new Sink({ isTTY: true }), now: steppingClock(300), env: { TERM: 'dumb' } },
    ],
  ])('is not shown %s', async (_when, flags, setup) => {
    const { stderr, exit } = await cli(['candidates', ...flags], { candidates: ONE, listing, ...setup });
    expect([exit, stderr]).toEqual([0, '']);
  });

  it('is gone before a cancellation is told, and never comes back', async () => {
    const controller = new AbortController();
    const stderr = new Sink({ isTTY: true });
    const outcome = await cli(['candidates'], {
      listing: ({ onProgress }) => {
        onProgress?.(1, 4);
        controller.abort(new CancelReason('SIGINT', 'cancelled by SIGINT'));
        onProgress?.(2, 4);
      },
      stderr,
      signal: controller.signal,
      now: steppingClock(600),
    });
    expect(outcome.exit).toBe(130);
    expect(stderr.utf8).toBe(
      '\r\u001b[Kdsh-ref: 1 of 4 sessions read\r\u001b[Kdsh-ref: cancelled by SIGINT [SESSION_REFERENCE_CANCELLED]\n',
    );
  });
});
