/** Every case of the shipped corpus: answers that are not ours. What differs on purpose is listed by id. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { loadCases } from '../support/corpus/cases.ts';
import { runCase } from '../support/corpus/run-case.ts';

const cases = loadCases(inject('corpus'));
const skipsFile = join(import.meta.dirname, '../../fixtures/corpus-skips.json');
const knownSkips: Record<string, string[]> = JSON.parse(readFileSync(skipsFile, 'utf8'));
const reasonOfSkip = new Map(
  Object.entries(knownSkips).flatMap(([reason, ids]) => ids.map((id) => [id, reason])),
);

describe.each([...new Set(cases.map(({ category }) => category))])('%s', (category) => {
  it('answers as the corpus says', async () => {
    const wrong: string[] = [];
    for (const corpusCase of cases.filter((candidate) => candidate.category === category)) {
      const outcome = await runCase(corpusCase);
      const skip = outcome.status === 'skipped' ? outcome.reason : undefined;
      if (outcome.status === 'failed') wrong.push(`${corpusCase.id}: ${outcome.reason}`);
      // A skip is known by its id, so that none comes or goes unseen.
      else if (skip !== reasonOfSkip.get(corpusCase.id)) wrong.push(`${corpusCase.id}: skip ${skip}`);
    }
    expect(wrong).toEqual([]);
  });
});
