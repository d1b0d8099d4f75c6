/** One case, in either layout. A rule of `skips.ts` can only excuse a difference, so it hides nothing that agrees. */
import type { CorpusCase } from './cases.ts';
import { runGenerations } from './run-generations.ts';
import { type Comparison, runPublished } from './run-published.ts';
import { skipReason } from './skips.ts';

export type Outcome =
  | { readonly status: 'passed' }
  | { readonly status: 'failed' | 'skipped'; readonly reason: string };

export async function runCase(corpusCase: CorpusCase): Promise<Outcome> {
  const { difference, leftOut } = await compare(corpusCase);
  if (difference === undefined) {
    return leftOut === undefined ? { status: 'passed' } : { status: 'skipped', reason: leftOut };
  }
  const reason = skipReason(corpusCase);
  return reason === undefined ? { status: 'failed', reason: difference } : { status: 'skipped', reason };
}

async function compare(corpusCase: CorpusCase): Promise<Comparison> {
  if (corpusCase.request === undefined) return { difference: await runGenerations(corpusCase) };
  return runPublished(corpusCase);
}
