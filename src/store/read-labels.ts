/** What a listing shows of a session: from the index, from where an earlier fold stopped, or from the whole log. */
import { basename } from 'node:path';
import type { SessionLabels } from '../catalog/candidates.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { FoundLog } from '../catalog/found-log.ts';
import { type Folded, isLastingFault, type NewRow } from '../catalog/index-row.ts';
import { type Revision, revisionOf } from '../catalog/revision.ts';
import type { SessionIndex } from '../catalog/session-index.ts';
import { SessionLogError } from '../errors.ts';
import type { SessionHeader } from '../log/header.ts';
import { PrefixDigest } from '../log/prefix-digest.ts';
import { SessionFacts } from '../surface/session-facts.ts';
import { type FoldResumption, foldOpened, withOpenLog } from './read-session.ts';
import { FACTS } from './sessions.ts';

/** Labels of one session; a log that cannot be folded is marked, not thrown. Undefined for one that is gone by now. */
export async function readLabels(
  entry: CatalogEntry,
  signal: AbortSignal | undefined,
): Promise<SessionLabels | undefined> {
  const fold = await foldForListing(entry, { forIndex: false, signal });
  return fold && labelsOf(fold);
}

/** What folding a log for a listing gives. */
export interface ListingFold {
  readonly folded: Folded;
  /** As this fold has read it; undefined where the log cannot be folded. */
  readonly header: SessionHeader | undefined;
  /** What the log was then; undefined where the next listing has to fold it again. */
  readonly revision: Revision | undefined;
}

/** What is folded for a listing: of a log that grew, from where its row of before stopped. */
export type ListedLog = Pick<CatalogEntry, 'log'> & Partial<Pick<CatalogEntry, 'header' | 'earlier'>>;

export interface FoldOptions {
  /** What a later fold needs to go on from this one is worth having. */
  readonly forIndex: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The labels in `fold`, which the index is told of. */
export function rememberFold(
  entry: CatalogEntry,
  index: SessionIndex | undefined,
  fold: ListingFold,
): SessionLabels {
  const labels = labelsOf(fold);
  const { folded, revision } = fold;
  const header = fold.header ?? entry.header;
  if (revision !== undefined && header !== undefined) {
    putRow(entry.log, index, { revision, labels, header, folded });
  }
  return labels;
}

/** Tells the index of a session of which only the header was read. What it knows of an earlier revision is worth more. */
export function rememberHeader(entry: CatalogEntry, index: SessionIndex): void {
  const { log, header, revision, earlier } = entry;
  if (revision === undefined || header === undefined || earlier?.isLabelled === true) return;
  putRow(log, index, { revision, labels: undefined, header, folded: undefined });
}

function putRow(
  log: FoundLog,
  index: SessionIndex | undefined,
  {
    revision,
    labels,
    header,
    folded,
  }: Pick<NewRow, 'labels' | 'header' | 'folded'> & { readonly revision: Revision },
): void {
  const logName = log.place === undefined ? '' : basename(log.path);
  index?.put(log, { logName, directory: log.directory, log: revision, labels, header, folded });
}

function labelsOf({ folded, header }: ListingFold): SessionLabels {
  if (folded.unreadable !== undefined || header === undefined) {
    return { title: undefined, subagentLabel: undefined, unreadable: folded.unreadable };
  }
  const { title, subagentLabel } = new SessionFacts(header, folded.facts);
  return { title: title?.title, subagentLabel, unreadable: undefined };
}

/** Folds a log. Undefined for one that is gone by now. Errors: SESSION_REFERENCE_CANCELLED. */
export async function foldForListing(
  listed: ListedLog,
  { forIndex, signal }: FoldOptions,
): Promise<ListingFold | undefined> {
  let revision: Revision | undefined;
  try {
    return await withOpenLog(listed.log, async ({ bytes, ...source }) => {
      revision = revisionOf(bytes.stat);
      const digest = forIndex ? new PrefixDigest(bytes) : undefined;
      const resumption = digest && resumptionOf(listed, revision, digest);
      const { header, facts, border } = await foldOpened({ bytes, ...source }, FACTS, signal, resumption);
      const before = (border && digest?.before(border.byteOffset)) ?? '';
      return { folded: { facts: facts.state, border, digestBefore: before }, header, revision };
    });
  } catch (error) {
    if (!(error instanceof SessionLogError)) throw error;
    if (error.kind === 'not-found') return undefined;
    return {
      folded: { unreadable: error.kind },
      header: undefined,
      revision: isLastingFault(error.kind) ? revision : undefined,
    };
  }
}

/** Logs only grow: an earlier fold can be gone on from when the header and the bytes before its end are as they were. */
function resumptionOf(
  listed: ListedLog,
  revision: Revision,
  digest: PrefixDigest,
): FoldResumption | undefined {
  const { earlier } = listed;
  if (earlier === undefined || !earlier.isGrownTo(revision)) return undefined;
  const { detail } = earlier;
  if (detail?.folded === undefined || detail.folded.unreadable !== undefined) return undefined;
  const { header } = listed;
  const { folded } = detail;
  const { border, facts } = folded;
  if (border === undefined || header === undefined || !isSameHeader(detail.header, header)) return undefined;
  // Writers only append, but whether this file was written anew only its bytes tell.
  return digest.before(border.byteOffset) === folded.digestBefore ? { header, border, facts } : undefined;
}

function isSameHeader(a: SessionHeader, b: SessionHeader): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
