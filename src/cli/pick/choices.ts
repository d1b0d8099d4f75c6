/** What can be chosen, and which of it a query finds, best first. */

import type { Candidate, CandidateList, SessionOrigin } from '../../store.ts';

export interface Choice {
  readonly candidate: Candidate;
  readonly origin: SessionOrigin;
}

/** What a query found. */
export interface Found {
  /** Best first, at most `MAX_FOUND`; for an empty query all of them, in the order of the listing. */
  readonly choices: readonly Choice[];
  /** How many there were before that limit. */
  readonly total: number;
}

export type Find = (query: string) => Found;

/** Nobody walks further down a list than this. */
const MAX_FOUND = 1000;
/** Titles and paths have no bound of their own; what lies behind this is not searched. */
const MAX_FIELD_LENGTH = 500;

/** The candidates of `list` with what each is, in the same order. */
export function choicesOf({ candidates, origins }: CandidateList): Choice[] {
  return candidates.map((candidate, at) => ({ candidate, origin: origins[at] ?? 'root' }));
}

/**
 * A search for letters in this order, with gaps, in title, directory or id; words may be in different ones.
 * Whatever `candidates` finds by a query of one word is found too. fuzzysort is loaded here, and only here.
 */
export async function loadFind(choices: readonly Choice[]): Promise<Find> {
  const { go, snapshot } = await import('fuzzysort');
  const order = new Map(choices.map((choice, at) => [choice, at]));
  const field = (read: (candidate: Candidate) => string | undefined) => (choice: Choice) =>
    read(choice.candidate)?.slice(0, MAX_FIELD_LENGTH);
  const fields = snapshot(choices, {
    keys: [
      field(({ displayTitle }) => displayTitle),
      field(({ label, displayTitle }) => (label === displayTitle ? undefined : label)),
      field(({ cwd }) => cwd),
      field(({ sessionId }) => sessionId),
    ],
  });
  return (query) => {
    const trimmed = query.trim();
    if (trimmed === '') return { choices, total: choices.length };
    const results = go(trimmed, fields, { limit: MAX_FOUND, threshold: 0 });
    const ranked = results
      .map(({ obj, score }) => ({ choice: obj, score, at: order.get(obj)! }))
      .sort((a, b) => b.score - a.score || a.at - b.at);
    return { choices: ranked.map(({ choice }) => choice), total: results.total };
  };
}
