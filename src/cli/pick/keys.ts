/** From key presses, as `node:readline` tells them, to actions. */

import type { Action } from './state.ts';

/** A key as `node:readline` describes it. */
export interface Key {
  readonly sequence?: string | undefined;
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

/** More is not taken from one paste. */
const MAX_PASTE_LENGTH = 10_000;

const NAMED: Readonly<Record<string, Action>> = {
  up: { kind: 'move', by: -1, unit: 'row' },
  down: { kind: 'move', by: 1, unit: 'row' },
  pageup: { kind: 'move', by: -1, unit: 'page' },
  pagedown: { kind: 'move', by: 1, unit: 'page' },
  home: { kind: 'move', by: Number.NEGATIVE_INFINITY, unit: 'row' },
  end: { kind: 'move', by: Number.POSITIVE_INFINITY, unit: 'row' },
  backspace: { kind: 'erase', what: 'character' },
  return: { kind: 'accept' },
  enter: { kind: 'accept' },
  escape: { kind: 'cancel' },
};

const WITH_CTRL: Readonly<Record<string, Action>> = {
  n: { kind: 'move', by: 1, unit: 'row' },
  p: { kind: 'move', by: -1, unit: 'row' },
  u: { kind: 'erase', what: 'line' },
  w: { kind: 'erase', what: 'word' },
  c: { kind: 'cancel' },
  g: { kind: 'cancel' },
};

/** What a key outside a paste asks for; nothing for a key without a meaning here. */
export function actionOf(text: string | undefined, { name = '', ctrl, meta }: Key): Action | undefined {
  if (ctrl === true) return Object.hasOwn(WITH_CTRL, name) ? WITH_CTRL[name] : undefined;
  if (meta === true && name === 'backspace') return { kind: 'erase', what: 'word' };
  // Readline tells a lone escape with `meta`.
  if (meta === true && name !== 'escape') return undefined;
  if (Object.hasOwn(NAMED, name)) return NAMED[name];
  return text === undefined || text === '' || /^\p{Cc}/u.test(text) ? undefined : { kind: 'insert', text };
}

/** Turns key presses into actions. What is pasted comes as one insertion, whatever keys it looks like. */
export function createKeyReader(): (text: string | undefined, key: Key) => Action | undefined {
  let pasted: string | undefined;
  return (text, key) => {
    if (key.name === 'paste-start') {
      pasted = '';
      return undefined;
    }
    if (key.name === 'paste-end') {
      const action: Action | undefined = pasted ? { kind: 'insert', text: pasted } : undefined;
      pasted = undefined;
      return action;
    }
    // A paste that never ends must not take the way out.
    if (pasted === undefined || (key.ctrl === true && key.name === 'c')) return actionOf(text, key);
    if (pasted.length < MAX_PASTE_LENGTH) pasted += text ?? '';
    return undefined;
  };
}
