/**
 * A row of the index: what a listing needs of one log, for one revision of it, and from where its fold can go on
 * when the log has grown. Never message text. Thousands of rows are looked at for each listing and few are asked for
 * more than that, so a row is a place in lists that it shares with the others of its project.
 */
import type { Stats } from 'node:fs';
import type { FaultKind } from '../errors.ts';
import type { SessionHeader } from '../log/header.ts';
import type { LogBorder } from '../log/read-log.ts';
import type { FactsState } from '../surface/session-facts.ts';
import type { SessionLabels } from './candidates.ts';
import { outlineOf, type SessionOrigin, type SessionOutline } from './outline.ts';
import { isRevisionIn, REVISION_NUMBERS, type Revision, revisionNumbers } from './revision.ts';

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

/** Lists with an entry for each row. */
export interface RowLists {
  /** Names of session directories; of pile logs their whole paths. */
  readonly keys: readonly string[];
  /** Null where it is the key. */
  readonly ids: readonly (string | null)[];
  readonly createdAt: ArrayLike<number>;
  readonly titles: readonly (string | null)[];
  /** Null where no row has any. */
  readonly subagentLabels: readonly (string | null)[] | null;
  readonly unreadable: readonly (FaultKind | null)[] | null;
  /** Values that many rows share, and which of them each row has. */
  readonly cwds: readonly (string | null)[];
  readonly cwdOf: readonly number[];
  readonly logNames: readonly string[];
  readonly logNameOf: readonly number[];
  readonly originOf: readonly number[];
}

/** The details of rows, by their place in the lists; undefined where they cannot be had any more. */
export interface RowDetails {
  json(at: number): string | undefined;
}

export const ORIGINS: readonly SessionOrigin[] = ['root', 'fork', 'subagent'];
/** Revisions of the session directory and of the log, side by side in one table. */
export const ROW_NUMBERS = 2 * REVISION_NUMBERS;

/** Rows of one project, from `from` on, not at `to`, and what they share with others. */
export class RowGroup {
  readonly lists: RowLists;
  readonly table: Float64Array;
  readonly details: RowDetails;
  readonly #from: number;
  readonly #to: number;
  /** All texts that a query looks into, in lower case; made when there is a query. */
  #searched: string | undefined;
  #needle = '';
  #isFound = true;

  constructor(lists: RowLists, table: Float64Array, details: RowDetails, from: number, to: number) {
    this.lists = lists;
    this.table = table;
    this.details = details;
    this.#from = from;
    this.#to = to;
  }

  /** False where `needle`, in lower case, is in no text of any row. */
  mayHave(needle: string): boolean {
    if (this.#needle !== needle) {
      this.#searched ??= searchText(this.lists, this.#from, this.#to);
      this.#needle = needle;
      this.#isFound = this.#searched.includes(needle);
    }
    return this.#isFound;
  }
}

export class IndexRow implements SessionOutline, SessionLabels {
  readonly #group: RowGroup;
  readonly #at: number;
  #detail: RowDetail | undefined;

  constructor(group: RowGroup, at: number) {
    this.#group = group;
    this.#at = at;
  }

  static of(key: string, { logName, directory, log, labels, header, folded }: NewRow): IndexRow {
    const { id, createdAt, cwd, origin } = outlineOf(header);
    const lists: RowLists = {
      keys: [key],
      ids: [id === key ? null : id],
      createdAt: [createdAt],
      titles: [labels.title ?? null],
      subagentLabels: [labels.subagentLabel ?? null],
      unreadable: [labels.unreadable ?? null],
      cwds: [cwd ?? null],
      cwdOf: [0],
      logNames: [logName],
      logNameOf: [0],
      originOf: [ORIGINS.indexOf(origin)],
    };
    const table = Float64Array.of(...revisionNumbers(directory), ...revisionNumbers(log));
    const json = JSON.stringify({ header, folded } satisfies RowDetail);
    return new IndexRow(new RowGroup(lists, table, { json: () => json }, 0, 1), 0);
  }

  get key(): string {
    return this.#group.lists.keys[this.#at]!;
  }

  /** Name of the log that is the session; '' in a pile. */
  get logName(): string {
    return this.#group.lists.logNames[this.#group.lists.logNameOf[this.#at]!]!;
  }

  get id(): string {
    return this.#group.lists.ids[this.#at] ?? this.key;
  }

  get createdAt(): number {
    return this.#group.lists.createdAt[this.#at]!;
  }

  get cwd(): string | undefined {
    return this.#group.lists.cwds[this.#group.lists.cwdOf[this.#at]!] ?? undefined;
  }

  get origin(): SessionOrigin {
    return ORIGINS[this.#group.lists.originOf[this.#at]!]!;
  }

  get title(): string | undefined {
    return this.#group.lists.titles[this.#at] ?? undefined;
  }

  get subagentLabel(): string | undefined {
    return this.#group.lists.subagentLabels?.[this.#at] ?? undefined;
  }

  /** False where `needle`, in lower case, is in no text of this row, nor of its group. */
  mayHave(needle: string): boolean {
    return this.#group.mayHave(needle);
  }

  get unreadable(): FaultKind | undefined {
    return this.#group.lists.unreadable?.[this.#at] ?? undefined;
  }

  /** Size of the log, bytes. */
  get sizeBytes(): number {
    return this.#group.table[this.#at * ROW_NUMBERS + REVISION_NUMBERS + 2]!;
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
    return this.#group.details.json(this.#at);
  }

  /** The numbers of this row in the table. */
  get numbers(): Float64Array {
    return this.#group.table.subarray(this.#at * ROW_NUMBERS, (this.#at + 1) * ROW_NUMBERS);
  }

  /** The session directory has not changed: the log that was chosen in it still is the session. */
  isOfDirectory(stat: Stats): boolean {
    return isRevisionIn(this.#group.table, this.#at * ROW_NUMBERS, stat);
  }

  /** The log has not changed. */
  isOfLog(stat: Stats): boolean {
    return isRevisionIn(this.#group.table, this.#at * ROW_NUMBERS + REVISION_NUMBERS, stat);
  }

  /** The same file with more bytes: what an append leaves behind. */
  isGrownTo({ dev, ino, sizeBytes }: Revision): boolean {
    const at = this.#at * ROW_NUMBERS + REVISION_NUMBERS;
    return (
      this.#group.table[at] === dev &&
      this.#group.table[at + 1] === ino &&
      sizeBytes > this.#group.table[at + 2]!
    );
  }
}

/** In lower case, with line feeds between: no letter of one text has a say in how those of another are lowered. */
function searchText(
  { keys, ids, cwds, cwdOf, titles, subagentLabels }: RowLists,
  from: number,
  to: number,
): string {
  const texts = new Set<string | null>();
  for (let at = from; at < to; at += 1) {
    texts.add(ids[at] ?? keys[at]!);
    texts.add(cwds[cwdOf[at]!]!);
    texts.add(titles[at]!);
    if (subagentLabels !== null) texts.add(subagentLabels[at]!);
  }
  texts.delete(null);
  return [...texts].join('\n').toLowerCase();
}

/** Faults of the moment: the same bytes may be readable next time. */
export function isLastingFault(kind: FaultKind | undefined): boolean {
  return kind !== 'unreadable' && kind !== 'not-found' && kind !== 'not-a-file';
}
