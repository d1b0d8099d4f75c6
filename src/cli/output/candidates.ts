/** The forms of a list of candidates. Each gives the whole text of standard output. */

import { encodeSessionReferenceUri } from '../../mention/uri.ts';
import type { Candidate, CandidateList } from '../../store.ts';
import type { Io, OutputStream } from '../io.ts';
import { jsonDocument, jsonLines } from './json.ts';
import { mentionLine } from './mention-line.ts';
import { hasControl, hasLoneSurrogate, isPrintable, printable, tsvField } from './printable.ts';

export const FORMATS = ['table', 'ndjson', 'json', 'tsv', 'mention', 'id'] as const;
export type Format = (typeof FORMATS)[number];

/** A list and the question that it answers. */
export interface Listing {
  readonly roots: readonly string[];
  readonly self: string | undefined;
  readonly cwd: string | undefined;
  readonly query: string;
  readonly list: CandidateList;
}

export interface RenderOptions {
  readonly format: Format;
  /** NUL in place of the line feed that ends a record. */
  readonly isNulEnded: boolean;
  /** `--color` or `--no-color`, when given. */
  readonly color: boolean | undefined;
  readonly io: Io;
  readonly notice: (sentence: string) => void;
}

/** The text of `listing` in the form asked for; code for tables is loaded only where it is used. */
export async function render(listing: Listing, options: RenderOptions): Promise<string> {
  const { candidates } = listing.list;
  const { stdout } = options.io;
  const end = options.isNulEnded ? '\0' : '\n';
  switch (options.format) {
    case 'table': {
      const [{ candidateTable }, { loadPalette }] = await Promise.all([
        import('./candidate-table.ts'),
        import('./colour.ts'),
      ]);
      return candidateTable(listing.list, options.io, await loadPalette(options.io, options.color));
    }
    case 'ndjson':
      return jsonLines(candidates.map(wireCandidate), stdout);
    case 'json':
      return jsonDocument(jsonListing(listing), stdout);
    case 'tsv':
      return candidates.map((candidate) => tsvRecord(candidate, stdout) + end).join('');
    case 'mention':
      return candidates.map((candidate) => mentionRecord(candidate, options) + end).join('');
    case 'id':
      return candidates.map((candidate) => idRecord(candidate.sessionId, options) + end).join('');
  }
}

/** The record of the contract, section 3, rule 6, keys in that order. */
function wireCandidate(candidate: Candidate): object {
  const { sessionId, label, displayTitle, cwd, sameWorkspace, createdAt, unreadable, mention } = candidate;
  return {
    sessionId,
    label,
    displayTitle,
    ...(cwd === undefined ? {} : { cwd }),
    sameWorkspace,
    createdAt,
    ...(unreadable === undefined ? {} : { unreadable }),
    mention,
  };
}

function jsonListing({ roots, self, cwd, query, list }: Listing): object {
  return {
    schemaVersion: 1,
    root: roots[0] ?? null,
    ...(roots.length > 1 ? { roots } : {}),
    self: self ?? null,
    cwd: cwd ?? null,
    query,
    total: list.total,
    returned: list.candidates.length,
    skipped: list.skipped.map(({ path, sessionId, kind, message }) => ({
      path,
      ...(sessionId === undefined ? {} : { sessionId }),
      kind,
      message,
    })),
    candidates: list.candidates.map(wireCandidate),
  };
}

function tsvRecord(candidate: Candidate, stream: OutputStream): string {
  const { sessionId, label, cwd = '', sameWorkspace, createdAt, mention } = candidate;
  const fields = [sessionId, label, cwd, String(sameWorkspace), String(createdAt), mention].map(tsvField);
  return (stream.isTTY ? fields.map(printable) : fields).join('\t');
}

function mentionRecord({ sessionId, displayTitle, mention }: Candidate, options: RenderOptions): string {
  const { stdout } = options.io;
  if (options.isNulEnded && !stdout.isTTY && !mention.includes('\0')) return mention;
  return mentionLine({ sessionId, label: displayTitle }, stdout);
}

/** The id, or its URI, which is accepted wherever an id is, where the id would not survive the form. */
function idRecord(sessionId: string, { io, isNulEnded, notice }: RenderOptions): string {
  const isUnsafe =
    hasLoneSurrogate(sessionId) || (isNulEnded ? sessionId.includes('\0') : hasControl(sessionId));
  if (!isUnsafe && !(io.stdout.isTTY && !isPrintable(sessionId))) return sessionId;
  notice(`the id ${JSON.stringify(sessionId)} cannot be printed as it is: its URI stands in`);
  return encodeSessionReferenceUri(sessionId);
}
