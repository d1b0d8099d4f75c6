/** `npm run corpus -- DIR`: every case of a corpus folder against the library; exit 1 where one fails. */
import { loadCases } from '../test/support/corpus/cases.ts';
import { runCase } from '../test/support/corpus/run-case.ts';

const [directory, only] = process.argv.slice(2);
if (directory === undefined) {
  console.error('usage: npm run corpus -- DIR [part of an id or category]');
  process.exit(2);
}
const cases = loadCases(directory).filter(
  (c) => only === undefined || c.id.includes(only) || c.category.includes(only),
);
if (cases.length === 0) {
  console.error(`no cases under ${directory}`);
  process.exit(2);
}
const tally = new Map<string, { passed: number; failed: number; skipped: number }>();
const skips = new Map<string, string[]>();
for (const corpusCase of cases) {
  const outcome = await runCase(corpusCase);
  const row = tally.get(corpusCase.category) ?? { passed: 0, failed: 0, skipped: 0 };
  tally.set(corpusCase.category, row);
  row[outcome.status] += 1;
  if (outcome.status === 'failed') console.log(`FAILED ${corpusCase.id}: ${outcome.reason}`);
  if (outcome.status === 'skipped')
    skips.set(outcome.reason, [...(skips.get(outcome.reason) ?? []), corpusCase.id]);
}
const total = { passed: 0, failed: 0, skipped: 0 };
for (const [category, { passed, failed, skipped }] of [...tally].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`${category}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}
for (const [reason, ids] of skips) console.log(`skipped, ${reason}: ${ids.join(' ')}`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;
