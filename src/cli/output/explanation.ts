/** What `--explain` says: the budget and its rule, and of each source what was kept, dropped and cut, and why. */

import type { BudgetExplanation, Explanation, SourceExplanation } from '../../store.ts';
import type { Io } from '../io.ts';
import { ndjsonLines } from './ndjson.ts';
import { printable } from './printable.ts';
import { displayWidth, padEnd } from './width.ts';

/** An explanation, and in a batch the name of the message that it explains. */
export interface Explained {
  readonly message?: string;
  readonly explanation: Explanation;
}

const GAP = '  ';
const HEADING = ['SESSION', 'KEPT', 'DROPPED', 'CUT', 'OMITTED', 'BYTES', 'WHY'];

/** The lines for standard error: a table on a terminal, else NDJSON of `budget` and `source` records. */
export async function renderExplanations(explained: readonly Explained[], { stderr }: Io): Promise<string> {
  if (stderr.isTTY) return explained.length === 0 ? 'nothing is cited\n' : explained.map(table).join('');
  return explained.length === 0 ? '' : ndjsonLines(explained.flatMap(records), stderr);
}

function records({ message, explanation: { budget, sources } }: Explained): object[] {
  const of = message === undefined ? {} : { message };
  return [
    { kind: 'budget', ...of, ...budget },
    ...sources.map((source) => ({ kind: 'source', ...of, ...source, why: reasonOf(source, budget) })),
  ];
}

function table({ message, explanation: { budget, sources } }: Explained): string {
  const rows = [HEADING, ...sources.map((source) => cells(source, budget))];
  const widths = HEADING.map((_, column) => Math.max(...rows.map((row) => displayWidth(row[column]!))));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => padEnd(cell, widths[column]!))
      .join(GAP)
      .trimEnd(),
  );
  sources.forEach((source, at) => {
    const place = placeOf(source);
    if (place !== undefined) lines[at + 1] += `\n${GAP}${place}`;
  });
  const opening = message === undefined ? '' : `${message}: `;
  return [`${opening}${describeBudget(budget)}`, ...lines].map((line) => `${line}\n`).join('');
}

function cells(source: SourceExplanation, budget: BudgetExplanation): string[] {
  const { label, keptMessages, originalMessages, droppedMessages, cutMessages } = source;
  return [
    `@${printable(label)}`,
    `${keptMessages} of ${originalMessages}`,
    String(droppedMessages),
    String(cutMessages),
    String(source.omittedBytes),
    String(source.snapshotBytes),
    reasonOf(source, budget),
  ];
}

/** Why a snapshot is as it is, as a sentence without its end. */
function reasonOf(source: SourceExplanation, { bytes }: BudgetExplanation): string {
  const { originalMessages, droppedMessages, omittedBytes, cutMessages, compacted } = source;
  const parts: string[] = [];
  if (originalMessages === 0) parts.push('nothing was said in it yet');
  else if (omittedBytes === 0 && droppedMessages === 0) parts.push('all of it fits');
  if (droppedMessages > 0) parts.push(`the oldest messages had to go to fit ${bytes} bytes`);
  if (cutMessages > 0) parts.push(`the longest texts had to be shortened to fit ${bytes} bytes`);
  if (compacted) parts.push('what came before its compaction is there as a summary');
  return parts.join('; ');
}

function describeBudget({ bytes, rule, contextWindow }: BudgetExplanation): string {
  const reasons = {
    'max-bytes': 'by --max-bytes',
    'context-window': 'by --context-window',
    'session-log': `by the context window of ${contextWindow} tokens that the log of the asking session records`,
    default: 'the default, as no context window is known',
  };
  return `budget of each session: ${bytes} bytes, ${reasons[rule]}`;
}

function placeOf({ fullSnapshot }: SourceExplanation): string | undefined {
  if (fullSnapshot === undefined) return undefined;
  if (fullSnapshot.status === 'saved') return `full text: ${printable(fullSnapshot.locator)}`;
  const isOff = fullSnapshot.reason === 'storage-not-configured';
  return `full text: ${isOff ? 'not kept, as no place for it is in use' : 'could not be kept'}`;
}
