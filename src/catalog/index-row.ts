/**
 * A row of the index: what a listing needs of one log, for one revision of it, and from where its fold can go on
 * when the log has grown. Never message text. Thousands of rows are looked at for each listing, so what is asked of
 * all of them are plain fields and numbers in a table, and the rest is decoded when it is asked for.
 */
import type { Stats } from 'node:fs';
import type { FaultKind } from '../errors.ts';
import type { SessionHeader } from '../log/header.ts';
import type { LogBorder } from '../log/read-log.ts';
import type { FactsState } from '../surface/session-facts.ts';
import type { SessionLabels } from './candidates.ts';
import { outlineOf, type SessionOrigin, type SessionOutline } from './outline.ts';
import { REVISION_NUMBERS, type Revision, revisionNumbers } from './revision.ts';

/** What folding a log gave: its facts, or the kind of fault that it cannot be folded for. */
export type Folded =
  | { readonly unreadable: FaultKind }
  | {
      readonly unreadable?: undefined;
      readonly facts: FactsState;
      /** Undefined where a later fold has to begin at the header. */
      readonly border: LogBorder | undefined;
      /** Digest of all bytes before the border: they must still be there. */
      readonly digestBefore: string;
    };

/** What is asked of few rows only. */
export interface RowDetail {
  readonly header: SessionHeader;
  readonly folded: Folded;
}

/** What a new row is made of. */
export interface NewRow extends RowDetail {
  /** Name of the log that is the session; '' in a pile. */
  readonly logName: string;
  /** Revision of the session directory when that log was chosen; undefined in a pile. */
  readonly directory: Revision | undefined;
  readonly log: Revision;
  readonly labels: SessionLabels;
}

/** The plain fields of a row. */
export interface RowFields extends SessionOutline, SessionLabels {
  readonly key: string;
  readonly logName: string;
}

/** Revisions of the session directory and of the log, side by side. */
export const ROW_NUMBERS = 2 * REVISION_NUMBERS;

export class IndexRow implements RowFields {
  /** Name of the session directory; of a pile log its whole path. */
  readonly key: string;
  readonly logName: string;
  readonly id: string;
  readonly createdAt: number;
  readonly cwd: string | undefined;
  readonly origin: SessionOrigin;
  readonly title: string | undefined;
  readonly subagentLabel: string | undefined;
  readonly unreadable: FaultKind | undefined;
  readonly #table: Float64Array;
  readonly #at: number;
  /** JSON until it is asked for. */
  #detail: RowDetail | (() => string);

  /** The row whose numbers stand in `table` from `at` on. */
  constructor(fields: RowFields, table: Float64Array, at: number, detail: RowDetail | (() => string)) {
    this.key = fields.key;
    this.logName = fields.logName;
    this.id = fields.id;
    this.createdAt = fields.createdAt;
    this.cwd = fields.cwd;
    this.origin = fields.origin;
    this.title = fields.title;
    this.subagentLabel = fields.subagentLabel;
    this.unreadable = fields.unreadable;
    this.#table = table;
    this.#at = at;
    this.#detail = detail;
  }

  static of(key: string, { logName, directory, log, labels, header, folded }: NewRow): IndexRow {
    const fields = { key, logName, ...outlineOf(header), ...labels };
    const table = Float64Array.from([...revisionNumbers(directory), ...revisionNumbers(log)]);
    return new IndexRow(fields, table, 0, { header, folded });
  }

  get header(): SessionHeader {
    return this.#decoded().header;
  }

  get folded(): Folded {
    return this.#decoded().folded;
  }

  /** Size of the log, bytes. */
  get sizeBytes(): number {
    return this.#table[this.#at + REVISION_NUMBERS + 2]!;
  }

  /** The session directory has not changed: the log that was chosen in it still is the session. */
  isOfDirectory(stat: Stats): boolean {
    return this.#isAt(this.#at, stat);
  }

  /** The log has not changed. */
  isOfLog(stat: Stats): boolean {
    return this.#isAt(this.#at + REVISION_NUMBERS, stat);
  }

  /** The same file with more bytes: what an append leaves behind. */
  isGrownTo({ dev, ino, sizeBytes }: Revision): boolean {
    const at = this.#at + REVISION_NUMBERS;
    return this.#table[at] === dev && this.#table[at + 1] === ino && sizeBytes > this.#table[at + 2]!;
  }

  /** The numbers of this row, for a table on disk. */
  get numbers(): Float64Array {
    return this.#table.subarray(this.#at, this.#at + ROW_NUMBERS);
  }

  /** The detail of this row, for a file. */
  get detailJson(): string {
    return typeof this.#detail === 'function' ? this.#detail() : JSON.stringify(this.#detail);
  }

  #decoded(): RowDetail {
    if (typeof this.#detail === 'function') this.#detail = JSON.parse(this.#detail()) as RowDetail;
    return this.#detail;
  }

  #isAt(at: number, stat: Stats): boolean {
    const table = this.#table;
    return (
      table[at + 4] === stat.ctimeMs &&
      table[at + 2] === stat.size &&
      table[at + 3] === stat.mtimeMs &&
      table[at + 1] === stat.ino &&
      table[at] === stat.dev
    );
  }
}

/** Faults of the moment: the same bytes may be readable next time. */
export function isLastingFault(kind: FaultKind | undefined): boolean {
  return kind !== 'unreadable' && kind !== 'not-found' && kind !== 'not-a-file';
}
