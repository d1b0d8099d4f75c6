/** What a person has typed and selected, and what each action makes of it. Pure. */

import type { Choice, Find, Found } from './choices.ts';

/** What a key asks for. */
export type Action =
  | { readonly kind: 'insert'; readonly text: string }
  | { readonly kind: 'erase'; readonly what: 'character' | 'word' | 'line' }
  /** Rows or pages down, up where negative; infinite for the first and the last. */
  | { readonly kind: 'move'; readonly by: number; readonly unit: 'row' | 'page' }
  | { readonly kind: 'accept' }
  | { readonly kind: 'cancel' };

export interface PickState {
  readonly query: string;
  readonly found: Found;
  /** Position of the selected choice among the found ones; 0 where there is none. */
  readonly at: number;
}

/** What a change of state depends on. */
export interface Surroundings {
  readonly find: Find;
  /** Rows of the list that are seen at once. */
  readonly pageRows: number;
}

/** Characters; a longer query finds nothing that a shorter one would not. */
const MAX_QUERY_LENGTH = 200;

/** The state before the first key. */
export function startState(query: string, find: Find): PickState {
  const kept = cleanQuery(query);
  return { query: kept, found: find(kept), at: 0 };
}

/** The state after `action`; the same one where nothing changes, as for accepting and cancelling. */
export function nextState(state: PickState, action: Action, { find, pageRows }: Surroundings): PickState {
  switch (action.kind) {
    case 'insert':
      return withQuery(state, state.query + action.text, find);
    case 'erase':
      return withQuery(state, erase(state.query, action.what), find);
    case 'move': {
      const by = action.by * (action.unit === 'page' ? Math.max(1, pageRows) : 1);
      const last = Math.max(0, state.found.choices.length - 1);
      const at = Math.min(last, Math.max(0, state.at + by));
      return at === state.at ? state : { ...state, at };
    }
    case 'accept':
    case 'cancel':
      return state;
  }
}

/** The selected choice; nothing where the query finds none. */
export function selectedOf({ found, at }: PickState): Choice | undefined {
  return found.choices[at];
}

function withQuery(state: PickState, text: string, find: Find): PickState {
  const query = cleanQuery(text);
  return query === state.query ? state : { query, found: find(query), at: 0 };
}

/** Controls become spaces: a pasted text may have several lines. */
function cleanQuery(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, ' ');
  return line.length <= MAX_QUERY_LENGTH ? line : [...line].slice(0, MAX_QUERY_LENGTH).join('');
}

function erase(query: string, what: 'character' | 'word' | 'line'): string {
  switch (what) {
    case 'line':
      return '';
    case 'word':
      return query.trimEnd().replace(/\S+$/u, '');
    case 'character': {
      const clusters = Array.from(new Intl.Segmenter('en').segment(query), ({ segment }) => segment);
      return clusters.slice(0, -1).join('');
    }
  }
}
