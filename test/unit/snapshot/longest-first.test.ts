import { expect, test } from 'vitest';
import { createLongestFirst } from '../../../src/snapshot/longest-first.ts';

test('always names the longest, the first among equals', () => {
  const lengths = [5, 9, 2, 9, 7, 0, 9];
  const longest = createLongestFirst(lengths);
  const order: number[] = [];
  for (let turn = 0; turn < 60; turn++) {
    const want = lengths.indexOf(Math.max(...lengths));
    const at = longest.first()!;
    expect(at).toBe(want);
    order.push(at);
    lengths[at] = Math.max(0, lengths[at]! - 1 - (turn % 3));
    longest.settle();
  }
  expect(order.slice(0, 3)).toEqual([1, 3, 6]);
});

test('one entry, and none', () => {
  const lengths = [3];
  const longest = createLongestFirst(lengths);
  lengths[0] = 1;
  longest.settle();
  expect(longest.first()).toBe(0);
  const none = createLongestFirst([]);
  none.settle();
  expect(none.first()).toBeUndefined();
});
