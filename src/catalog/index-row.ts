/**
 * A row of the index: what a listing needs of one log, for one revision of it, and from where its fold can go on
 * when the log has grown. Never message text. Thousands of rows are looked at for each listing and few are asked for
 * more than that, so the rows of a project are one table, and a row of its own is only made where one is wanted.
 */
import type { Stats } from 'node:fs';
import type { FaultKind } from '../errors.ts';
import type { SessionHeader } from '../log/header.ts';
import type { LogBorder } from '../log/read-log.ts';
import type { FactsState } from '../surface/session-facts.ts';
import type { SessionLabels } from './candidates.ts';
import { outlineOf, type SessionOrigin, type SessionOutline } from './outline.ts';
import { isRevisionIn, REVISION_NUMBERS, type Revision, revisionIn, revisionNumbers } from './revision.ts';

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
  /** Undefined where only the header has been read so far. */
  readonly folded?: Folded | undefined;
}

/** What a new row is made of. */
export interface NewRow extends RowDetail {
  /** Name of the log that is the session; '' in a pile. */
  readonly logName: string;
  /** Revision of the session directory when that log was chosen; undefined in a pile. */
  readonly directory: Revision | undefined;
  readonly log: Revision;
  /** Undefined where they are not known yet. */
  readonly labels: SessionLabels | undefined;
}

/** Names of the rows of a table, an entry for each: what every listing asks for. */
export interface RowNames {
  /** Names of session directories; of pile logs their whole paths. */
  readonly keys: readonly string[];
  /** Values that many rows share, and which of them each row has; null where all have the first. */
  readonly logNames: readonly string[];
  readonly logNameOf: readonly number[] | null;
}

/** What is shown of rows, and searched, an entry for each. */
export interface RowLabels {
  /** Null where it is the key. */
  readonly ids: readonly (string | null)[];
  readonly titles: readonly (string | null)[];
  /** Null where no row has any. */
  readonly subagentLabels: readonly (string | null)[] | null;
  readonly unreadable: readonly (FaultKind | null)[] | null;
  /** Values that many rows share, and which of them each row has. */
  readonly cwds: readonly (string | null)[];
  readonly cwdOf: readonly number[];
  readonly originOf: readonly number[];
  /** Whether titles and labels are known; null where they are of all rows. */
  readonly isLabelled: readonly boolean[] | null;
}

/** The rows of a table in words. Each kind is read when it is asked for: most listings get along with names. */
export interface RowWords {
  names(): RowNames;
  labels(): RowLabels;
  /** All texts that a query looks into, as `WordsOfRows` puts them together; undefined where not all are known. */
  searched(): string | undefined;
  /** The detail of a row as JSON; undefined where it cannot be had any more. */
  detail(at: number): string | undefined;
}

export const ORIGINS: readonly SessionOrigin[] = ['root', 'fork', 'subagent'];
/** Revisions of the session directory and of the log, side by side in one table. */
export const ROW_NUMBERS = 2 * REVISION_NUMBERS;

/** The rows of one project. They never change: of a project that does another table is made. */
export class RowTable {
  /** Row after row. */
  readonly revisions: Float64Array;
  readonly createdAt: ArrayLike<number>;
  readonly #words: RowWords;
  #names: RowNames | undefined;
  #labels: RowLabels | undefined;
  /** In lower case; made when there is a query. */
  #searched: string | undefined;
  #needle: string | undefined;
  #isFound = true;

  constructor(revisions: Float64Array, createdAt: ArrayLike<number>, words: RowWords) {
    this.revisions = revisions;
    this.createdAt = createdAt;
    this.#words = words;
  }

  static of(rows: readonly SingleRow[]): RowTable {
    const revisions = new Float64Array(rows.length * ROW_NUMBERS);
    for (const [at, row] of rows.entries()) revisions.set(row.revisions, at * ROW_NUMBERS);
    return new RowTable(
      revisions,
      rows.map(({ createdAt }) => createdAt),
      new WordsOfRows(rows),
    );
  }

  get length(): number {
    return this.createdAt.length;
  }

  row(at: number): IndexRow {
    return new IndexRow(this, at);
  }

  rows(): IndexRow[] {
    return Array.from({ length: this.length }, (_none, at) => this.row(at));
  }

  get keys(): readonly string[] {
    return this.names.keys;
  }

  get names(): RowNames {
    this.#names ??= this.#words.names();
    return this.#names;
  }

  get labels(): RowLabels {
    this.#labels ??= this.#words.labels();
    return this.#labels;
  }

  /** Name of the log that is the session; '' in a pile. */
  logName(at: number): string {
    const { logNames, logNameOf } = this.names;
    return logNames[logNameOf === null ? 0 : logNameOf[at]!]!;
  }

  detail(at: number): string | undefined {
    return this.#words.detail(at);
  }

  /** The session directory has not changed: the log that was chosen in it still is the session. */
  isOfDirectory(at: number, stat: Stats): boolean {
    return isRevisionIn(this.revisions, at * ROW_NUMBERS, stat);
  }

  /** The log has not changed. */
  isOfLog(at: number, stat: Stats): boolean {
    return isRevisionIn(this.revisions, at * ROW_NUMBERS + REVISION_NUMBERS, stat);
  }

  /** False where it is known that `needle`, in lower case, is in no text of any row. */
  mayHave(needle: string): boolean {
    // Half a character does not stay what it is in a file.
    if (HALF_CHARACTER.test(needle)) return true;
    if (this.#needle !== needle) {
      this.#searched ??= this.#words.searched()?.toLowerCase();
      this.#needle = needle;
      this.#isFound = this.#searched?.includes(needle) !== false;
    }
    return this.#isFound;
  }
}

const HALF_CHARACTER = /[\ud800-\udfff]/u;

/** A row by itself: what a table is made of. */
export interface SingleRow extends SessionOutline, SessionLabels {
  readonly key: string;
  readonly logName: string;
  readonly isLabelled: boolean;
  /** The detail as JSON; undefined where it cannot be had any more. */
  readonly json: string | undefined;
  /** Numbers of both revisions, as they stand in a table. */
  readonly revisions: ArrayLike<number>;
}

/** A row in a table. */
export class IndexRow implements SingleRow {
  readonly #table: RowTable;
  readonly #at: number;
  #detail: RowDetail | undefined;

  constructor(table: RowTable, at: number) {
    this.#table = table;
    this.#at = at;
  }

  get key(): string {
    return this.#table.keys[this.#at]!;
  }

  /** Name of the log that is the session; '' in a pile. */
  get logName(): string {
    return this.#table.logName(this.#at);
  }

  get id(): string {
    return this.#table.labels.ids[this.#at] ?? this.key;
  }

  get createdAt(): number {
    return this.#table.createdAt[this.#at]!;
  }

  get cwd(): string | undefined {
    const { cwds, cwdOf } = this.#table.labels;
    return cwds[cwdOf[this.#at]!] ?? undefined;
  }

  get origin(): SessionOrigin {
    return ORIGINS[this.#table.labels.originOf[this.#at]!]!;
  }

  get title(): string | undefined {
    return this.#table.labels.titles[this.#at] ?? undefined;
  }

  get subagentLabel(): string | undefined {
    return this.#table.labels.subagentLabels?.[this.#at] ?? undefined;
  }

  get unreadable(): FaultKind | undefined {
    return this.#table.labels.unreadable?.[this.#at] ?? undefined;
  }

  /** Whether title and label are known: else only the header has been read so far. */
  get isLabelled(): boolean {
    return this.#table.labels.isLabelled?.[this.#at] ?? true;
  }

  /** Size of the log, bytes. */
  get sizeBytes(): number {
    return this.#table.revisions[this.#logAt + 2]!;
  }

  /** Undefined where the index on disk has been replaced since the row was read. */
  get detail(): RowDetail | undefined {
    if (this.#detail === undefined) {
      const { json } = this;
      if (json !== undefined) this.#detail = JSON.parse(json) as RowDetail;
    }
    return this.#detail;
  }

  /** The detail as JSON, or undefined as there. */
  get json(): string | undefined {
    return this.#table.detail(this.#at);
  }

  /** The numbers of this row in the table. */
  get revisions(): Float64Array {
    return this.#table.revisions.subarray(this.#at * ROW_NUMBERS, (this.#at + 1) * ROW_NUMBERS);
  }

  /** Of the session directory when its log was chosen. */
  get directory(): Revision {
    return revisionIn(this.#table.revisions, this.#at * ROW_NUMBERS);
  }

  isOfDirectory(stat: Stats): boolean {
    return this.#table.isOfDirectory(this.#at, stat);
  }

  isOfLog(stat: Stats): boolean {
    return this.#table.isOfLog(this.#at, stat);
  }

  /** The same file with more bytes: what an append leaves behind. */
  isGrownTo({ dev, ino, sizeBytes }: Revision): boolean {
    const { revisions } = this.#table;
    const at = this.#logAt;
    return revisions[at] === dev && revisions[at + 1] === ino && sizeBytes > revisions[at + 2]!;
  }

  get #logAt(): number {
    return this.#at * ROW_NUMBERS + REVISION_NUMBERS;
  }
}

/** A row that is not in a table yet. Of a first listing there are as many as there are logs: it has nothing twice. */
export class MadeRow implements SingleRow {
  readonly key: string;
  readonly #row: NewRow;

  constructor(key: string, row: NewRow) {
    this.key = key;
    this.#row = row;
  }

  get logName(): string {
    return this.#row.logName;
  }

  get id(): string {
    return this.#row.header.id;
  }

  get createdAt(): number {
    return this.#row.header.createdAt;
  }

  get cwd(): string | undefined {
    return this.#row.header.cwd;
  }

  get origin(): SessionOrigin {
    return outlineOf(this.#row.header).origin;
  }

  get title(): string | undefined {
    return this.#row.labels?.title;
  }

  get subagentLabel(): string | undefined {
    return this.#row.labels?.subagentLabel;
  }

  get unreadable(): FaultKind | undefined {
    return this.#row.labels?.unreadable;
  }

  get isLabelled(): boolean {
    return this.#row.labels !== undefined;
  }

  get json(): string {
    const { header, folded } = this.#row;
    return JSON.stringify({ header, folded } satisfies RowDetail);
  }

  get revisions(): number[] {
    const { directory, log } = this.#row;
    return revisionNumbers(directory).concat(revisionNumbers(log));
  }
}

/** The words of rows that are in memory, and of rows as they are to be written. */
export class WordsOfRows implements RowWords {
  readonly #rows: readonly SingleRow[];

  constructor(rows: readonly SingleRow[]) {
    this.#rows = rows;
  }

  names(): RowNames {
    const logNames = new Numbering<string>();
    const logNameOf = this.#rows.map(({ logName }) => logNames.numberOf(logName));
    return {
      keys: this.#rows.map(({ key }) => key),
      logNames: logNames.values,
      logNameOf: logNames.values.length <= 1 ? null : logNameOf,
    };
  }

  labels(): RowLabels {
    const rows = this.#rows;
    const cwds = new Numbering<string | null>();
    return {
      ids: rows.map(({ id, key }) => (id === key ? null : id)),
      titles: rows.map(({ title }) => title ?? null),
      subagentLabels: unlessAllNull(rows.map(({ subagentLabel }) => subagentLabel ?? null)),
      unreadable: unlessAllNull(rows.map(({ unreadable }) => unreadable ?? null)),
      cwdOf: rows.map(({ cwd }) => cwds.numberOf(cwd ?? null)),
      cwds: cwds.values,
      originOf: rows.map(({ origin }) => ORIGINS.indexOf(origin)),
      isLabelled: rows.every(({ isLabelled }) => isLabelled)
        ? null
        : rows.map(({ isLabelled }) => isLabelled),
    };
  }

  /** With line feeds between: no letter of one text has a say in how those of another are lowered. */
  searched(): string | undefined {
    if (this.#rows.some(({ isLabelled }) => !isLabelled)) return undefined;
    const texts = new Set<string | undefined>();
    for (const { id, cwd, title, subagentLabel } of this.#rows) {
      texts.add(id).add(cwd).add(title).add(subagentLabel);
    }
    texts.delete(undefined);
    return [...texts].join('\n');
  }

  detail(at: number): string | undefined {
    return this.#rows[at]!.json;
  }
}

function unlessAllNull<T>(values: readonly (T | null)[]): readonly (T | null)[] | null {
  return values.every((value) => value === null) ? null : values;
}

/** Different values in the order in which they came. */
class Numbering<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<T, number>();

  numberOf(value: T): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.values.push(value) - 1;
      this.#numbers.set(value, number);
    }
    return number;
  }
}

/** Faults of the moment: the same bytes may be readable next time. */
export function isLastingFault(kind: FaultKind | undefined): boolean {
  return kind !== 'unreadable' && kind !== 'not-found' && kind !== 'not-a-file';
}
