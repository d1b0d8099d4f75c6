/** How a file of the index is written and read: the rows of some projects of one parent, in two copies. */
import type { Stats } from 'node:fs';
import { isAtPlace, readAtPlace, readPrivateFile } from '../places/private-file.ts';
import { IndexRow, ORIGINS, ROW_NUMBERS, type RowDetails, RowGroup, type RowLists } from './index-row.ts';
import { isSameRevision, type Revision, revisionOf } from './revision.ts';

/** Raised whenever rows, or what is folded into them, mean something else than before. */
const INDEX_FORMAT = 7;

/** What is known of one project directory, or of the pile below one root. */
export interface StoredShard {
  readonly rows: readonly IndexRow[];
  /** Revision of the project directory, where it holds the session directories of the rows and of `others` only. */
  readonly directory: Revision | undefined;
  /** Session directories without a row: empty ones, and such as cannot be read. */
  readonly others: readonly string[];
}

/** By the name of the project directory; '' for a pile. */
export type Shards = ReadonlyMap<string, StoredShard>;

/** One project in a file. Its rows follow those of the projects before it. */
interface ProjectWords {
  readonly project: string;
  readonly directory: Revision | null;
  readonly others: readonly string[];
  readonly rowCount: number;
}

/** What stands in words beside the tables of numbers. */
interface Words extends Omit<RowLists, 'createdAt'> {
  readonly parent: string;
  readonly projects: readonly ProjectWords[];
}

/** Format, number of rows, bytes of the words: doubles in the machine's order, which another one does not read. */
const PREFIX_NUMBERS = 3;
const PREFIX_BYTES = 8 * PREFIX_NUMBERS;
/** Of each row: its revisions, when its session was made, where its detail ends. */
const NUMBERS_A_ROW = ROW_NUMBERS + 2;
const NUMBER_BYTES = 8;

/**
 * A file holds the same twice, one after the other: two copies that agree are as they were written, and comparing them
 * takes less time than any digest. A copy is its front, which is the prefix, the numbers of all rows as they lie in
 * memory, column groups one after the other, and the words, as JSON; and then the detail of each row, as JSON. Numbers
 * in words, and rows as objects, take several times as long to read; details are not read at all until they are asked
 * for.
 */
export function encodeIndexFile(parent: string, shards: Shards): Buffer {
  const rows: IndexRow[] = [];
  const details: Buffer[] = [];
  const projects: ProjectWords[] = [];
  for (const [project, shard] of shards) {
    const before = rows.length;
    // The order that a listing brings them into.
    for (const row of [...shard.rows].sort((a, b) => b.createdAt - a.createdAt)) {
      const { json } = row;
      // Another process has replaced the file: that log is read once more.
      if (json === undefined) continue;
      details.push(Buffer.from(json));
      rows.push(row);
    }
    const rowCount = rows.length - before;
    const directory = (rowCount === shard.rows.length ? shard.directory : undefined) ?? null;
    projects.push({ project, directory, others: shard.others, rowCount });
  }
  const cwds = new Numbering<string | null>();
  const logNames = new Numbering<string>();
  const words: Words = {
    parent,
    projects,
    keys: rows.map(({ key }) => key),
    ids: rows.map(({ id, key }) => (id === key ? null : id)),
    titles: rows.map(({ title }) => title ?? null),
    subagentLabels: unlessAllNull(rows.map(({ subagentLabel }) => subagentLabel ?? null)),
    unreadable: unlessAllNull(rows.map(({ unreadable }) => unreadable ?? null)),
    cwdOf: rows.map(({ cwd }) => cwds.numberOf(cwd ?? null)),
    cwds: cwds.values,
    logNameOf: rows.map(({ logName }) => logNames.numberOf(logName)),
    logNames: logNames.values,
    originOf: rows.map(({ origin }) => ORIGINS.indexOf(origin)),
  };
  const wordBytes = Buffer.from(JSON.stringify(words));
  const prefix = Float64Array.of(INDEX_FORMAT, rows.length, wordBytes.length);
  const table = new Float64Array(rows.length * NUMBERS_A_ROW);
  let detailsEnd = 0;
  for (const [at, row] of rows.entries()) {
    table.set(row.numbers, at * ROW_NUMBERS);
    table[rows.length * ROW_NUMBERS + at] = row.createdAt;
    detailsEnd += details[at]!.length;
    table[rows.length * (ROW_NUMBERS + 1) + at] = detailsEnd;
  }
  const copy = [new Uint8Array(prefix.buffer), new Uint8Array(table.buffer), wordBytes, ...details];
  return Buffer.concat([...copy, ...copy]);
}

/** The rows of the file at `path`, if it is one for `parent`; undefined where there is none that can be trusted. */
export function readIndexFile(path: string, parent: string): Shards | undefined {
  const front = readPrivateFile(path, readFront);
  if (front === undefined || front.words.parent !== parent) return undefined;
  const { words, lists, table } = front;
  const details = new StoredDetails(path, front);
  const shards = new Map<string, StoredShard>();
  let at = 0;
  for (const { project, directory, others, rowCount } of words.projects) {
    const group = new RowGroup(lists, table, details, at, at + rowCount);
    const rows: IndexRow[] = [];
    for (const end = at + rowCount; at < end; at += 1) rows.push(new IndexRow(group, at));
    shards.set(project, { rows, directory: directory ?? undefined, others });
  }
  return shards;
}

/** How many rows the file at `path` has, by project; of a file that a listing would not trust none. */
export function countRows(path: string): { readonly parent: string; readonly rows: Map<string, number> } {
  const words = readPrivateFile(path, readFront)?.words;
  const counts = words?.projects.map(({ project, rowCount }) => [project, rowCount] as const);
  return { parent: words?.parent ?? '', rows: new Map(counts) };
}

interface Front {
  readonly words: Words;
  readonly lists: RowLists;
  readonly table: Float64Array;
  readonly detailEnds: Float64Array;
  readonly sizeBytes: number;
  /** Of the file. */
  readonly revision: Revision;
}

/** The front of a file; undefined where it is not as it was written. */
function readFront(descriptor: number, stat: Stats): Front | undefined {
  const prefix = new Float64Array(PREFIX_NUMBERS);
  if (!readAtPlace(descriptor, Buffer.from(prefix.buffer), 0)) return undefined;
  const [format, rowCount, wordBytes] = prefix as unknown as [number, number, number];
  const wordsAt = PREFIX_BYTES + rowCount * NUMBERS_A_ROW * NUMBER_BYTES;
  const sizeBytes = wordsAt + wordBytes;
  // Of a damaged file these may be anything.
  const isPossible = format === INDEX_FORMAT && isCount(rowCount) && isCount(wordBytes);
  if (!isPossible || sizeBytes > stat.size / 2) return undefined;
  const front = Buffer.allocUnsafeSlow(sizeBytes);
  if (!readAtPlace(descriptor, front, 0) || !isAtPlace(descriptor, front, stat.size / 2)) return undefined;
  const words = JSON.parse(front.toString('utf8', wordsAt)) as Words;
  const column = (number: number, width: number) =>
    new Float64Array(front.buffer, PREFIX_BYTES + number * rowCount * NUMBER_BYTES, width * rowCount);
  return {
    words,
    lists: { ...words, createdAt: column(ROW_NUMBERS, 1) },
    table: column(0, ROW_NUMBERS),
    detailEnds: column(ROW_NUMBERS + 1, 1),
    sizeBytes,
    revision: revisionOf(stat),
  };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** From so many on all details are read at once. */
const FEW_DETAILS = 8;

/** The details of a file, read when they are asked for, if the file still is the one that the front is from. */
class StoredDetails implements RowDetails {
  readonly #path: string;
  readonly #front: Front;
  #asked = 0;
  /** All of them; undefined where they have not been read or cannot be had any more. */
  #all: Buffer | undefined;

  constructor(path: string, front: Front) {
    this.#path = path;
    this.#front = front;
  }

  json(at: number): string | undefined {
    const { detailEnds } = this.#front;
    const [start, end] = [detailEnds[at - 1] ?? 0, detailEnds[at]!];
    this.#asked += 1;
    if (this.#asked < FEW_DETAILS) return this.#read(start, end)?.toString();
    if (this.#asked === FEW_DETAILS) this.#all = this.#read(0, detailEnds.at(-1)!);
    return this.#all?.toString('utf8', start, end);
  }

  #read(start: number, end: number): Buffer | undefined {
    const { sizeBytes, revision } = this.#front;
    return readPrivateFile(this.#path, (descriptor, stat) => {
      if (!isSameRevision(revisionOf(stat), revision)) return undefined;
      const bytes = Buffer.allocUnsafeSlow(end - start);
      const at = sizeBytes + start;
      return readAtPlace(descriptor, bytes, at) && isAtPlace(descriptor, bytes, stat.size / 2 + at)
        ? bytes
        : undefined;
    });
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
