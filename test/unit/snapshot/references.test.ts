import { describe, expect, test } from 'vitest';
import { normaliseReferences } from '../../../src/snapshot/references.ts';

const options = { self: 'me', maxReferences: 3 };
const cite = (...ids: string[]) => ids.map((sessionId) => ({ sessionId }));

test('the first mention of a session stays, with its label; positions count the distinct ones', () => {
  const references = [
    { sessionId: 'a', label: 'first' },
    { sessionId: 'a', label: 'second' },
    { sessionId: 'b', label: undefined },
    { sessionId: 'a' },
    { sessionId: '', label: '' },
  ];
  expect(normaliseReferences(references, options)).toEqual([
    { sessionId: 'a', label: 'first', inputIndex: 0 },
    { sessionId: 'b', label: 'b', inputIndex: 1 },
    { sessionId: '', label: '', inputIndex: 2 },
  ]);
  expect(normaliseReferences([], options)).toEqual([]);
});

describe('refused', () => {
  test.each([
    ['INVALID_REFERENCE', [null]],
    ['INVALID_REFERENCE', ['text']],
    ['INVALID_REFERENCE', [5]],
    ['INVALID_REFERENCE', [[]]],
    ['INVALID_REFERENCE', [undefined]],
    ['INVALID_REFERENCE', [{}]],
    ['INVALID_REFERENCE', [{ label: 'no id' }]],
    ['INVALID_REFERENCE', [{ sessionId: 5 }]],
    ['INVALID_REFERENCE', [{ sessionId: 'a', label: null }]],
    ['INVALID_REFERENCE', [{ sessionId: 'a', label: 5 }]],
    ['INVALID_REFERENCE', [...cite('a', 'b', 'c', 'd'), null]],
    ['INVALID_REFERENCE', [null, ...cite('me')]],
    ['SELF_REFERENCE', cite('me')],
    ['SELF_REFERENCE', cite('a', 'b', 'c', 'd', 'me')],
    ['SELF_REFERENCE', [...cite('me'), null]],
    ['TOO_MANY', cite('a', 'b', 'c', 'd')],
  ])('%s: %j', (code, references) => {
    expect(() => normaliseReferences(references, options)).toThrow(
      expect.objectContaining({ name: 'SessionReferenceError', code: `SESSION_REFERENCE_${code}` }),
    );
  });

  test('duplicates do not count', () => {
    const one = { maxReferences: 1 };
    expect(normaliseReferences(cite('a', 'a', 'a'), one)).toHaveLength(1);
    expect(() => normaliseReferences(cite('a', 'b', 'a'), one)).toThrow(
      '2 distinct sessions are cited, at most 1',
    );
  });

  test('without a known asking session there is no self', () => {
    expect(normaliseReferences(cite('me', 'undefined'), { maxReferences: 3 })).toHaveLength(2);
  });

  test('messages name the reference', () => {
    expect(() => normaliseReferences([...cite('a'), 7], options)).toThrow('reference 2 is not an object');
    expect(() => normaliseReferences(cite('x"y'), { ...options, self: 'x"y' })).toThrow('session "x\\"y" is');
  });
});
