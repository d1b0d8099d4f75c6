/** What a listing shows of a session: from the index, from where an earlier fold stopped, or from the whole log. */
import { basename } from 'node:path';
import type { SessionLabels } from '../catalog/candidates.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import {
  BYTES_BEFORE_BORDER,
  type FoldedLabels,
  type IndexRow,
  isLastingFault,
} from '../catalog/index-row.ts';
import { isGrown, type Revision, revisionOf } from '../catalog/revision.ts';
import type { SessionIndex } from '../catalog/session-index.ts';
import { SessionLogError } from '../errors.ts';
import type { LogBytes } from '../log/bytes.ts';
import type { SessionHeader } from '../log/header.ts';
import { type FoldedSession, type FoldResumption, foldOpened, withOpenLog } from './read-session.ts';
import { FACTS } from './sessions.ts';

/** Labels of one session; a log that cannot be folded is marked, not thrown. */
export async function readLabels(
  entry: CatalogEntry,
  index: SessionIndex | undefined,
  signal: AbortSignal | undefined,
): Promise<SessionLabels> {
  if (entry.isRowFresh && entry.row?.folded !== undefined) return entry.row.folded.labels;
  let revision: Revision | undefined;
  try {
    return await withOpenLog(entry.log, async (source) => {
      revision = revisionOf(source.bytes.stat);
      const resumption = resumptionOf(entry, revision, source.bytes);
      const folded = await foldOpened(source, FACTS, signal, resumption);
      const labels = labelsOf(folded);
      remember(entry, index, revision, { labels, resume: resumePoint(folded, source.bytes) });
      return labels;
    });
  } catch (error) {
    if (!(error instanceof SessionLogError)) throw error;
    const labels = { title: undefined, subagentLabel: undefined, unreadable: error.kind };
    if (revision !== undefined && isLastingFault(error.kind)) {
      remember(entry, index, revision, { labels, resume: undefined });
    }
    return labels;
  }
}

function labelsOf({ facts }: FoldedSession<unknown>): SessionLabels {
  return { title: facts.title?.title, subagentLabel: facts.subagentLabel, unreadable: undefined };
}

/** Logs only grow: an earlier fold can be gone on from when the header and the bytes before its end are as they were. */
function resumptionOf(
  { row, header }: CatalogEntry,
  revision: Revision,
  bytes: LogBytes,
): FoldResumption | undefined {
  const resume = row?.folded?.resume;
  if (row === undefined || resume === undefined || !isGrown(row.log, revision)) return undefined;
  if (!isSameHeader(row, header) || bytesBefore(bytes, resume.border.byteOffset) !== resume.bytesBefore)
    return undefined;
  return { header, border: resume.border, facts: resume.facts };
}

function isSameHeader(row: IndexRow, header: SessionHeader): boolean {
  return JSON.stringify(row.header) === JSON.stringify(header);
}

function resumePoint(folded: FoldedSession<unknown>, bytes: LogBytes): FoldedLabels['resume'] {
  const { border, facts } = folded;
  if (border === undefined) return undefined;
  return { border, facts: facts.state, bytesBefore: bytesBefore(bytes, border.byteOffset) };
}

function bytesBefore(bytes: LogBytes, offset: number): string {
  const from = Math.max(0, offset - BYTES_BEFORE_BORDER);
  return bytes.view(from, offset - from).toString('hex');
}

function remember(
  { log, header }: CatalogEntry,
  index: SessionIndex | undefined,
  revision: Revision,
  folded: FoldedLabels,
): void {
  const logName = log.place === undefined ? '' : basename(log.path);
  index?.put(log, { logName, directory: log.directory, log: revision, header, folded });
}
