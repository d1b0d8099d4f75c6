/** Sessions as a catalog has them. */
import { sep } from 'node:path';
import type { SessionHeader } from '../log/header.ts';
import type { FoundLog, HarnessPlace } from './found-log.ts';
import type { IndexRow, RowTable } from './index-row.ts';
import { parseLogName } from './names.ts';
import type { SessionOutline } from './outline.ts';
import type { Revision } from './revision.ts';

/** One session: its log and its header. */
export interface CatalogEntry {
  readonly sessionId: string;
  readonly outline: SessionOutline;
  readonly log: FoundLog;
  /** Undefined where the index had it and has lost it by now; never so in a catalog that was made with headers. */
  readonly header: SessionHeader | undefined;
  readonly sizeBytes: number;
  /** What the log was when its header was read; undefined where it was not read. */
  readonly revision: Revision | undefined;
  /** What the index has of the very revision that the log has now. */
  readonly known: IndexRow | undefined;
  /** Else what it has of an earlier one. */
  readonly earlier: IndexRow | undefined;
}

/** A project directory, and when its sessions were looked at. */
export interface SeenPlace extends Pick<HarnessPlace, 'parent' | 'project'> {
  /** Milliseconds since 1970. */
  readonly seenMs: number;
}

/** The entry of a log that is as the index knows it. There can be very many, of which few are asked for more. */
export class KnownEntry implements CatalogEntry {
  readonly known: IndexRow;
  readonly #found: SeenPlace | FoundLog;

  /** `found` is the project directory, of a pile log the log itself. */
  constructor(row: IndexRow, found: SeenPlace | FoundLog) {
    this.known = row;
    this.#found = found;
  }

  get revision(): undefined {
    return undefined;
  }

  get earlier(): undefined {
    return undefined;
  }

  get sessionId(): string {
    return this.known.id;
  }

  get outline(): SessionOutline {
    return this.known;
  }

  get log(): FoundLog {
    const found = this.#found;
    if ('path' in found) return found;
    const { key, logName, directory } = this.known;
    const { parent, project, seenMs } = found;
    const { version, isCompressed } = parseLogName(logName)!;
    const path = [parent, project, key, logName].join(sep);
    const place = { parent, project, segment: key };
    return { path, isCompressed, nameVersion: version, place, directory, seenMs };
  }

  get header(): SessionHeader | undefined {
    return this.known.detail?.header;
  }

  get sizeBytes(): number {
    return this.known.sizeBytes;
  }
}

/** The sessions of one project directory that are as the index knows them: all rows but some. */
export class KnownProject {
  readonly #place: SeenPlace;
  readonly #rows: RowTable;
  readonly #changed = new Set<number>();

  constructor(place: SeenPlace, rows: RowTable) {
    this.#place = place;
    this.#rows = rows;
  }

  /** Told that the session of a row is not as it is known. */
  isChangedAt(at: number): void {
    this.#changed.add(at);
  }

  get count(): number {
    return this.#rows.length - this.#changed.size;
  }

  /** False where it is known that `needle`, in lower case, is in no text of any of them. */
  mayHave(needle: string): boolean {
    return this.#rows.mayHave(needle);
  }

  entries(): KnownEntry[] {
    const entries: KnownEntry[] = [];
    for (let at = 0; at < this.#rows.length; at += 1) {
      if (!this.#changed.has(at)) entries.push(new KnownEntry(this.#rows.row(at), this.#place));
    }
    return entries;
  }
}
