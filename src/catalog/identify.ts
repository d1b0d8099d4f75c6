/**
 * Who a log says it is: its header, checked against where the log lies. Apart from the catalog, since a listing of
 * nothing but known logs does without it (format document, 1.6; contract, 6.3).
 */
import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { SessionLogError } from '../errors.ts';
import { LogBytes } from '../log/bytes.ts';
import { Diagnostics } from '../log/diagnostics.ts';
import { isObject, type SessionHeader } from '../log/header.ts';
import { type LogSource, readHeader } from '../log/read-log.ts';
import { loadZstd } from '../log/zstd.ts';
import type { CatalogEntry } from './entry.ts';
import { type FoundLog, idOfPlace, type Skip } from './found-log.ts';
import { idSegment, projectKey } from './names.ts';
import { outlineOf } from './outline.ts';
import { revisionOf } from './revision.ts';
import type { SessionIndex } from './session-index.ts';

/** The source that `readLog` takes, for an opened log. */
export async function logSource(log: FoundLog, bytes: LogBytes): Promise<LogSource> {
  return { bytes, zstd: log.isCompressed ? await loadZstd() : undefined, nameVersion: log.nameVersion };
}

/** Reads one header; undefined for a file that is positively something else, or gone meanwhile. */
export async function identifyLog(
  log: FoundLog,
  index: SessionIndex | undefined,
): Promise<CatalogEntry | Skip | undefined> {
  let bytes: LogBytes | undefined;
  try {
    bytes = LogBytes.open(log.path, HEADER_READ_BYTES);
    const header = readHeader(await logSource(log, bytes), new Diagnostics());
    const fault = placeFault(log, header);
    if (fault !== undefined) return skipOf(log, 'mismatch', fault);
    return {
      sessionId: header.id,
      outline: outlineOf(header),
      log,
      header,
      sizeBytes: bytes.sizeBytes,
      revision: revisionOf(bytes.stat),
      known: undefined,
      earlier: index?.rowOf(log),
    };
  } catch (error) {
    if (!(error instanceof SessionLogError)) throw error;
    if (error.kind === 'not-found' && isLink(log.path))
      return skipOf(log, 'unreadable', `${JSON.stringify(log.path)} is a link that leads nowhere`);
    if (error.kind === 'not-found' || (bytes !== undefined && isOtherJsonl(log, bytes))) return undefined;
    return skipOf(log, error.kind, error.message);
  } finally {
    bytes?.close();
  }
}

/** A link that leads nowhere has not gone meanwhile: it is what is there. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // Not to be seen any more.
    return false;
  }
}

function skipOf(log: FoundLog, kind: Skip['kind'], message: string): Skip {
  const sessionId = idOfPlace(log);
  return sessionId === undefined
    ? { path: log.path, kind, message }
    : { path: log.path, sessionId, kind, message };
}

/** The header must produce the very directories the log lies in (format document, 1.6). A pile has no such rule. */
function placeFault(log: FoundLog, header: SessionHeader): string | undefined {
  const { place } = log;
  if (place === undefined) return undefined;
  const project = projectKey(header.cwd);
  const segment = idSegment(header.id);
  if (project === place.project && segment === place.segment) return undefined;
  if (
    isSameDirectory(join(place.parent, project, segment), join(place.parent, place.project, place.segment))
  ) {
    return undefined;
  }
  const what = segment === place.segment ? 'working directory' : 'id';
  return `the header names another ${what}: it belongs in ${JSON.stringify(join(project, segment))}`;
}

/** Equality after resolving: a file system may ignore letter case. Both paths lie below the root. */
function isSameDirectory(a: string, b: string): boolean {
  try {
    return realpathSync.native(a) === realpathSync.native(b);
  } catch {
    // The place that the header names does not exist.
    return false;
  }
}

/** Nearly every header is shorter. */
const HEADER_READ_BYTES = 4096;
const LONGEST_FOREIGN_LINE_BYTES = 1024 * 1024;

/** A pile may hold other JSONL files: a whole first line that is JSON of another kind is no session and no fault. */
function isOtherJsonl(log: FoundLog, bytes: LogBytes): boolean {
  if (log.place !== undefined || log.nameVersion !== undefined || log.isCompressed) return false;
  const start = bytes.view(0, LONGEST_FOREIGN_LINE_BYTES);
  const end = start.indexOf(10);
  if (end < 0) return false;
  try {
    const first: unknown = JSON.parse(start.toString('utf8', 0, end));
    return !isObject(first) || first.type !== 'session';
  } catch {
    // Not JSON: named like a log, and none.
    return false;
  }
}
