import { emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Choice, Find } from '../../../src/cli/pick/choices.ts';
import { createKeyReader, type Key } from '../../../src/cli/pick/keys.ts';
import {
  type Action,
  nextState,
  type PickState,
  selectedOf,
  startState,
} from '../../../src/cli/pick/state.ts';
import { candidate } from './support.ts';

/** The actions that a terminal sending `bytes` asks for. */
function actionsOf(bytes: string): Action[] {
  const input = new PassThrough();
  const read = createKeyReader();
  const actions: Action[] = [];
  emitKeypressEvents(input);
  input.on('keypress', (text: string | undefined, key: Key) => {
    const action = read(text, key);
    if (action !== undefined) actions.push(action);
  });
  input.emit('data', Buffer.from(bytes));
  return actions;
}

const down: Action = { kind: 'move', by: 1, unit: 'row' };
const up: Action = { kind: 'move', by: -1, unit: 'row' };
const first: Action = { kind: 'move', by: -Infinity, unit: 'row' };
const last: Action = { kind: 'move', by: Infinity, unit: 'row' };
const insert = (text: string): Action => ({ kind: 'insert', text });

describe('keys', () => {
  it.each<[string, string, Action[]]>([
    ['arrows', '\u001b[A\u001b[B\u001bOA\u001bOB', [up, down, up, down]],
    ['Ctrl-N and Ctrl-P', '\u000e\u0010', [down, up]],
    [
      'pages',
      '\u001b[5~\u001b[6~',
      [
        { kind: 'move', by: -1, unit: 'page' },
        { kind: 'move', by: 1, unit: 'page' },
      ],
    ],
    ['Home and End', '\u001b[H\u001b[F\u001b[1~\u001b[4~', [first, last, first, last]],
    ['Enter', '\r\n', [{ kind: 'accept' }, { kind: 'accept' }]],
    ['Ctrl-C and Ctrl-G', '\u0003\u0007', [{ kind: 'cancel' }, { kind: 'cancel' }]],
    [
      'erasing',
      '\u007f\b\u0015\u0017\u001b\u007f',
      [
        { kind: 'erase', what: 'character' },
        { kind: 'erase', what: 'character' },
        { kind: 'erase', what: 'line' },
        { kind: 'erase', what: 'word' },
        { kind: 'erase', what: 'word' },
      ],
    ],
    ['letters', 'aB 登😀', ['a', 'B', ' ', '登', '😀'].map(insert)],
    ['keys without a meaning', '\t\u0000\f\u001bb\u001b[C\u001b[1;5P\u001bOP', []],
    [
      'a paste',
      'x\u001b[200~a\r\n\u001b[A漢\u0007\u001b[201~y',
      [insert('x'), insert('a\r\n漢\u0007'), insert('y')],
    ],
    ['an empty paste', '\u001b[200~\u001b[201~', []],
    ['Ctrl-C in a paste without an end', '\u001b[200~abc\u0003', [{ kind: 'cancel' }]],
  ])('%s', (_what, bytes, actions) => expect(actionsOf(bytes)).toEqual(actions));

  it('a lone Esc', () => {
    expect(createKeyReader()(undefined, { name: 'escape', meta: true })).toEqual({ kind: 'cancel' });
  });
});

const CHOICES: Choice[] = Array.from({ length: 25 }, (_, at) => ({
  candidate: candidate(`session-${at}`),
  origin: 'root',
}));
const find: Find = (query) => {
  const choices = CHOICES.filter(({ candidate: { sessionId } }) => sessionId.includes(query));
  return { choices, total: choices.length };
};
const around = { find, pageRows: 10 };
const stateAfter = (state: PickState, ...actions: Action[]): PickState =>
  actions.reduce((before, action) => nextState(before, action, around), state);

describe('state', () => {
  const start = startState('', find);

  it('selects the first, and stays inside the list', () => {
    expect(start.at).toBe(0);
    expect(stateAfter(start, up).at).toBe(0);
    expect(stateAfter(start, down, down).at).toBe(2);
    expect(stateAfter(start, last).at).toBe(24);
    expect(stateAfter(start, last, down).at).toBe(24);
    expect(stateAfter(start, last, first).at).toBe(0);
    const pageDown: Action = { kind: 'move', by: 1, unit: 'page' };
    expect(stateAfter(start, pageDown).at).toBe(10);
    expect(stateAfter(start, pageDown, pageDown, pageDown).at).toBe(24);
    expect(nextState(start, pageDown, { find, pageRows: 0 }).at).toBe(1);
  });

  it('searches anew for another query, and selects the best again', () => {
    const typed = stateAfter(start, last, insert('2'));
    expect(typed).toMatchObject({ query: '2', at: 0 });
    expect(typed.found.total).toBe(7);
    expect(selectedOf(typed)?.candidate.sessionId).toBe('session-2');
    expect(stateAfter(typed, { kind: 'accept' })).toBe(typed);
    expect(stateAfter(typed, { kind: 'cancel' })).toBe(typed);
  });

  it('has nothing selected where nothing is found', () => {
    const none = stateAfter(start, insert('nothing'));
    expect(selectedOf(none)).toBeUndefined();
    expect(stateAfter(none, down, last)).toMatchObject({ at: 0 });
  });

  it.each<['character' | 'word' | 'line', string, string]>([
    ['character', 'ab', 'a'],
    ['character', 'a👨‍👩‍👧', 'a'],
    ['character', 'e\u0301', ''],
    ['character', '', ''],
    ['word', 'one two  ', 'one '],
    ['word', 'one', ''],
    ['line', 'one two', ''],
  ])('erases a %s of %j', (what, query, left) => {
    expect(stateAfter(startState(query, find), { kind: 'erase', what }).query).toBe(left);
  });

  it('keeps the query on one line and within bounds', () => {
    expect(startState('a\r\n\tb\u001b[31m', find).query).toBe('a b [31m');
    expect(stateAfter(start, insert('😀'.repeat(5000))).query).toBe('😀'.repeat(200));
  });
});
