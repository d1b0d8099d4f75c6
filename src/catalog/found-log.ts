/** What discovery finds, before any log is opened. */
import type { FaultKind } from '../errors.ts';
import { NEWEST_VERSION } from '../log/header.ts';
import { decodeIdSegment, parseLogName } from './names.ts';
import type { Revision } from './revision.ts';

/** A session or file that is not listed, and why. */
export interface Skip {
  readonly path: string;
  readonly sessionId?: string;
  readonly kind: FaultKind;
  readonly message: string;
}

/** One log that may be a session. */
export interface FoundLog {
  readonly path: string;
  readonly isCompressed: boolean;
  /** Generation in the file's name; undefined for a pile log of another name. */
  readonly nameVersion: number | undefined;
  /** Where the harness layout says it is; undefined in a pile. */
  readonly place: HarnessPlace | undefined;
  /** Root below which a pile log was found; undefined in the harness layout. */
  readonly pileRoot?: string;
  /** Revision of the session directory before its log was chosen, where an index wants to know. */
  readonly directory?: Revision | undefined;
  /** When it was found, where an index wants to know: milliseconds since 1970. */
  readonly seenMs?: number | undefined;
}

/** A session directory `<parent>/<project>/<segment>` of the harness layout. */
export interface HarnessPlace {
  /** Directory that holds the project directory. */
  readonly parent: string;
  readonly project: string;
  readonly segment: string;
}

/** The log that is the session among the names in one directory, or why there is none to read. */
export type LogChoice =
  | { readonly name: string; readonly version: number; readonly isCompressed: boolean }
  | { readonly name: string; readonly kind: FaultKind; readonly why: string };

/**
 * Highest generation over both encodings; never an older one instead (format document, 1.6). Undefined when no
 * name is a canonical log name.
 */
export function chooseLog(names: Iterable<string>): LogChoice | undefined {
  let best: { name: string; version: number; isCompressed: boolean } | undefined;
  let isTwofold = false;
  for (const name of names) {
    const parsed = parseLogName(name);
    if (parsed === undefined || (best !== undefined && parsed.version < best.version)) continue;
    isTwofold = best !== undefined && parsed.version === best.version;
    best = { name, ...parsed };
  }
  if (best === undefined) return undefined;
  if (best.version > NEWEST_VERSION) {
    const why = `is of generation v${best.version}; this program reads up to v${NEWEST_VERSION}, so a newer harness wrote it`;
    return { name: best.name, kind: 'unsupported', why };
  }
  if (isTwofold) {
    return {
      name: best.name,
      kind: 'ambiguous',
      why: `is there twice in generation v${best.version}, plain and compressed`,
    };
  }
  return best;
}

/** The id that the name of a session directory stands for; undefined in a pile, and for a name that is none's. */
export function idOfPlace(log: FoundLog): string | undefined {
  return log.place === undefined ? undefined : decodeIdSegment(log.place.segment);
}
