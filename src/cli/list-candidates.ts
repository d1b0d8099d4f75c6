/** What `candidates` does, apart from how its command line is read. */

import type { CandidateList } from '../store.ts';
import {
  type CommandContext,
  detail,
  findCwd,
  findSelf,
  notice,
  type OpenedStore,
  withStore,
} from './context.ts';
import { UsageError } from './exit.ts';
import { fetchCandidates } from './fetch-candidates.ts';
import { type Format, type Listing, render } from './output/candidates.ts';

export interface CandidatesFlags {
  readonly limit?: number;
  readonly here?: boolean;
  readonly topLevel?: boolean;
  readonly format?: Format;
  readonly json?: boolean;
  readonly null?: boolean;
}

export const DEFAULT_LIMIT = 50;
const NUL_FORMATS: readonly Format[] = ['mention', 'id', 'tsv'];

/** The list in the form asked for; what was cut, skipped or not found is told on standard error. */
export async function listCandidates(
  query: string,
  flags: CandidatesFlags,
  context: CommandContext,
): Promise<string> {
  const { io } = context.task;
  const format = chooseFormat(flags, io.stdout.isTTY === true);
  return withStore(context, async (opened) => {
    const { store, roots } = opened;
    const self = await findSelf(context, store);
    const cwd = findCwd(context);
    detail(context, `self ${self ?? 'unknown'}, cwd ${cwd ?? 'unknown'}`);
    const list = await fetchCandidates(context, store, {
      query,
      limit: flags.limit ?? DEFAULT_LIMIT,
      here: flags.here === true,
      topLevel: flags.topLevel === true,
      ...(self === undefined ? {} : { self }),
      ...(cwd === undefined ? {} : { cwd }),
    });
    if (list.total === 0) notice(context, explainEmpty(query, list, opened));
    if (list.total > list.candidates.length) notice(context, explainCut(list));
    const listing: Listing = { roots: roots.paths, self, cwd, query, list };
    return render(listing, {
      format,
      isNulEnded: flags.null === true,
      color: context.common.color,
      io,
      notice: (sentence) => notice(context, sentence),
    });
  });
}

function chooseFormat(flags: CandidatesFlags, isTerminal: boolean): Format {
  if (flags.json === true && flags.format !== undefined && flags.format !== 'json') {
    throw new UsageError(`--json and --format ${flags.format} exclude each other`);
  }
  const isListed = flags.null === true && flags.format === undefined && flags.json !== true;
  const format = flags.json === true ? 'json' : (flags.format ?? (isTerminal ? 'table' : 'ndjson'));
  if (isListed || (flags.null === true && !NUL_FORMATS.includes(format))) {
    throw new UsageError('-0 goes with --format mention, id or tsv');
  }
  return format;
}

function explainCut({ candidates, total }: CandidateList): string {
  const rest = total - candidates.length;
  return `${candidates.length} of ${total} sessions shown, ${rest} more: raise --limit or narrow the query`;
}

/** Tells "there is nothing" from "this is the wrong place". */
function explainEmpty(query: string, { seen, skipped }: CandidateList, { roots }: OpenedStore): string {
  const where = `${roots.paths.join(', ')} (${roots.reason})`;
  if (roots.missing) return `no sessions: ${where} does not exist; 0 seen, 0 skipped`;
  const what = query === '' ? 'no session to cite' : `no session matches ${JSON.stringify(query)}`;
  return `${what} under ${where}: ${seen} seen, ${skipped.length} skipped`;
}
