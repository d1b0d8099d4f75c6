import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPreviews, type Previews } from '../../../src/cli/pick/preview.ts';
import type { Conversation } from '../../../src/store.ts';

let asked: { id: string; signal: AbortSignal; answer: (texts: string[]) => void; fail: (e: Error) => void }[];
let changes: number;
let previews: Previews;

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  changes = 0;
  previews = createPreviews({
    read: (id, signal) =>
      new Promise((done, fail) => {
        const answer = (texts: string[]): void => done(conversation(texts));
        asked.push({ id, signal, answer, fail });
      }),
    onChange: () => changes++,
  });
});
afterEach(() => vi.useRealTimers());

function conversation(texts: readonly string[]): Conversation {
  const items = texts.map((text, seq) => ({ role: 'user' as const, text, checkpoint: seq === 0, seq }));
  return { items, diagnostics: [], capturedThroughSeq: 1, session: {} as Conversation['session'] };
}

const ids = (): string[] => asked.map(({ id }) => id);

describe('previews', () => {
  it('are read when the selection rests, not of sessions that are only passed', async () => {
    for (const id of ['a', 'b', 'c']) {
      previews.show(id);
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(ids()).toEqual([]);
    await vi.advanceTimersByTimeAsync(50);
    expect(ids()).toEqual(['c']);
    expect(previews.current()).toEqual({ kind: 'reading' });
  });

  it('are given up when the selection moves on, and a late answer changes nothing', async () => {
    previews.show('a');
    await vi.advanceTimersByTimeAsync(100);
    previews.show('b');
    expect(asked[0]!.signal.aborted).toBe(true);
    asked[0]!.answer(['late']);
    await vi.advanceTimersByTimeAsync(100);
    expect([previews.current(), changes]).toEqual([{ kind: 'reading' }, 0]);
    asked[1]!.answer(['first', 'second']);
    await vi.advanceTimersByTimeAsync(0);
    expect(previews.current()).toEqual({
      kind: 'messages',
      messages: [
        { who: 'checkpoint', text: 'first' },
        { who: 'user', text: 'second' },
      ],
    });
    expect(changes).toBe(1);
  });

  it('are remembered, no more of them than can be shown', async () => {
    previews.show('a');
    await vi.advanceTimersByTimeAsync(100);
    asked[0]!.answer(Array.from({ length: 500 }, () => 'x'.repeat(100_000)));
    await vi.advanceTimersByTimeAsync(0);
    previews.show(undefined);
    expect(previews.current()).toEqual({ kind: 'nothing' });
    previews.show('a');
    await vi.advanceTimersByTimeAsync(100);
    expect(ids()).toEqual(['a']);
    const preview = previews.current();
    if (preview.kind !== 'messages') throw new Error(preview.kind);
    expect([preview.messages.length, preview.messages[0]!.text.length]).toEqual([40, 4000]);
  });

  it('tell a fault, and end with the choice', async () => {
    previews.show('a');
    await vi.advanceTimersByTimeAsync(100);
    asked[0]!.fail(new Error('damaged'));
    await vi.advanceTimersByTimeAsync(0);
    expect(previews.current()).toEqual({ kind: 'fault', message: 'damaged' });
    previews.show('b');
    previews.stop();
    await vi.advanceTimersByTimeAsync(100);
    expect(ids()).toEqual(['a']);
  });
});
