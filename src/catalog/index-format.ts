/** How a file of the index is written and read: the rows of some projects of one parent, in two copies. */
import type { Stats } from 'node:fs';
import { isAtPlace, readAtPlace, readPrivateFile } from '../places/private-file.ts';
import {
  type IndexRow,
  ROW_NUMBERS,
  type RowLabels,
  type RowNames,
  RowTable,
  type RowWords,
  WordsOfRows,
} from './index-row.ts';
import { isSameRevision, type Revision, revisionOf } from './revision.ts';

/** Raised whenever rows, or what is folded into them, mean something else than before. */
const INDEX_FORMAT = 8;

/** What is known of one project directory, or of the pile below one root. */
export interface StoredShard {
  readonly rows: RowTable;
  /** Revision of the project directory, where it holds the session directories of the rows and of `others` only. */
  readonly directory: Revision | undefined;
  /** Session directories without a row: empty ones, and such as cannot be read. */
  readonly others: readonly string[];
}

/** By the name of the project directory; '' for a pile. */
export type Shards = ReadonlyMap<string, StoredShard>;

/** One project in a file. Its rows follow those of the projects before it, and so do its words. */
interface ProjectHead {
  readonly project: string;
  readonly directory: Revision | null;
  readonly others: readonly string[];
  readonly rowCount: number;
  /** How many of them have their labels. */
  readonly labelledCount: number;
  /** Bytes of names, of labels, and of what is searched. */
  readonly wordBytes: readonly [names: number, labels: number, searched: number];
}

/** What a file holds. */
export interface IndexFile {
  readonly shards: Shards;
  /** No two session directories with a row have the same name, in whatever projects they are. */
  readonly isDistinct: boolean;
}

/** What stands in words about the whole file. */
interface Head {
  readonly parent: string;
  readonly isDistinct: boolean;
  readonly projects: readonly ProjectHead[];
}

/** Format, number of rows, bytes of the head and of all words: doubles in the machine's order, which another one does not read. */
const PREFIX_NUMBERS = 4;
const PREFIX_BYTES = 8 * PREFIX_NUMBERS;
/** Of each row: its revisions, when its session was made, where its detail ends. */
const NUMBERS_A_ROW = ROW_NUMBERS + 2;
const NUMBER_BYTES = 8;

/**
 * A file holds the same twice, one after the other: two copies that agree are as they were written, and comparing them
 * takes less time than any digest. A copy is its front and then the detail of each row, as JSON. The front is the
 * prefix, the numbers of all rows as they lie in memory, column groups one after the other, the head, as JSON, and the
 * words of each project: names and labels, as JSON, and what is searched, as it is. Numbers in words, and rows as
 * objects, take several times as long to read; labels and details are not read at all until they are asked for.
 * Given in pieces, to be written one after the other.
 */
export function encodeIndexFile(parent: string, shards: Shards): Uint8Array[] {
  const encoded = [...shards].map(([project, shard]) => encodeProject(project, shard));
  const rows = encoded.flatMap((project) => project.rows);
  const isDistinct = new Set(rows.map(({ key }) => key)).size === rows.length;
  const projects = encoded.map(({ head }) => head);
  const head = Buffer.from(JSON.stringify({ parent, isDistinct, projects } satisfies Head));
  const wordBytes = encoded.reduce((bytes, { words }) => bytes + words.length, 0);
  const prefix = Float64Array.of(INDEX_FORMAT, rows.length, head.length, wordBytes);
  const table = new Float64Array(rows.length * NUMBERS_A_ROW);
  for (const [at, row] of rows.entries()) {
    table.set(row.revisions, at * ROW_NUMBERS);
    table[rows.length * ROW_NUMBERS + at] = row.createdAt;
  }
  let end = 0;
  let at = rows.length * (ROW_NUMBERS + 1);
  for (const { detailBytes } of encoded) {
    for (const bytes of detailBytes) {
      end += bytes;
      table[at] = end;
      at += 1;
    }
  }
  const copy = [
    new Uint8Array(prefix.buffer),
    new Uint8Array(table.buffer),
    head,
    ...encoded.map(({ words }) => words),
    ...encoded.map(({ details }) => details),
  ];
  return [...copy, ...copy];
}

interface EncodedProject {
  readonly head: ProjectHead;
  readonly rows: readonly IndexRow[];
  readonly words: Buffer;
  /** The details of all rows together: a buffer for each takes more than what stands in it. */
  readonly details: Buffer;
  readonly detailBytes: readonly number[];
}

function encodeProject(project: string, { rows: table, directory, others }: StoredShard): EncodedProject {
  const rows: IndexRow[] = [];
  const details: string[] = [];
  // The order that a listing brings them into.
  for (const row of table.rows().sort((a, b) => b.createdAt - a.createdAt)) {
    const { json } = row;
    // Another process has replaced the file: that log is read once more.
    if (json === undefined) continue;
    rows.push(row);
    details.push(json);
  }
  const words = new WordsOfRows(rows);
  const [names, labels] = [JSON.stringify(words.names()), JSON.stringify(words.labels())];
  const searched = words.searched() ?? '';
  const head: ProjectHead = {
    project,
    directory: (rows.length === table.length ? directory : undefined) ?? null,
    others,
    rowCount: rows.length,
    labelledCount: rows.filter(({ isLabelled }) => isLabelled).length,
    wordBytes: [Buffer.byteLength(names), Buffer.byteLength(labels), Buffer.byteLength(searched)],
  };
  return {
    head,
    rows,
    words: Buffer.from(names + labels + searched),
    details: Buffer.from(details.join('')),
    detailBytes: details.map((json) => Buffer.byteLength(json)),
  };
}

/** The file at `path`, if it is one for `parent`; undefined where there is none that can be trusted. */
export function readIndexFile(path: string, parent: string): IndexFile | undefined {
  const front = readPrivateFile(path, readFront);
  if (front === undefined || front.head.parent !== parent) return undefined;
  const details = new StoredDetails(path, front);
  const shards = new Map<string, StoredShard>();
  let [row, wordsAt] = [0, front.wordsAt];
  for (const head of front.head.projects) {
    const { project, directory, others, rowCount, wordBytes } = head;
    const end = row + rowCount;
    const words = new StoredWords({ bytes: front.bytes, at: wordsAt, head, details, firstRow: row });
    const revisions = front.revisions.subarray(row * ROW_NUMBERS, end * ROW_NUMBERS);
    const rows = new RowTable(revisions, front.createdAt.subarray(row, end), words);
    shards.set(project, { rows, directory: directory ?? undefined, others });
    row = end;
    wordsAt += wordBytes[0] + wordBytes[1] + wordBytes[2];
  }
  return { shards, isDistinct: front.head.isDistinct };
}

/** Of how many rows the file at `path` has the labels, by project; of a file that a listing would not trust none. */
export function countLabelled(path: string): { readonly parent: string; readonly rows: Map<string, number> } {
  const head = readPrivateFile(path, readFront)?.head;
  const counts = head?.projects.map(({ project, labelledCount }) => [project, labelledCount] as const);
  return { parent: head?.parent ?? '', rows: new Map(counts) };
}

interface Front {
  readonly bytes: Buffer;
  readonly head: Head;
  readonly revisions: Float64Array;
  readonly createdAt: Float64Array;
  readonly detailEnds: Float64Array;
  /** Where the words of the first project begin. */
  readonly wordsAt: number;
  /** Of the file. */
  readonly revision: Revision;
}

/** The front of a file; undefined where it is not as it was written. */
function readFront(descriptor: number, stat: Stats): Front | undefined {
  const prefix = new Float64Array(PREFIX_NUMBERS);
  if (!readAtPlace(descriptor, Buffer.from(prefix.buffer), 0)) return undefined;
  const [format, rowCount, headBytes, wordBytes] = prefix as unknown as [number, number, number, number];
  const headAt = PREFIX_BYTES + rowCount * NUMBERS_A_ROW * NUMBER_BYTES;
  const wordsAt = headAt + headBytes;
  const sizeBytes = wordsAt + wordBytes;
  // Of a damaged file these may be anything.
  const isPossible = format === INDEX_FORMAT && [rowCount, headBytes, wordBytes].every(isCount);
  if (!isPossible || sizeBytes > stat.size / 2) return undefined;
  const bytes = Buffer.allocUnsafeSlow(sizeBytes);
  if (!readAtPlace(descriptor, bytes, 0) || !isAtPlace(descriptor, bytes, stat.size / 2)) return undefined;
  const column = (number: number, width: number) =>
    new Float64Array(bytes.buffer, PREFIX_BYTES + number * rowCount * NUMBER_BYTES, width * rowCount);
  return {
    bytes,
    head: JSON.parse(bytes.toString('utf8', headAt, wordsAt)) as Head,
    revisions: column(0, ROW_NUMBERS),
    createdAt: column(ROW_NUMBERS, 1),
    detailEnds: column(ROW_NUMBERS + 1, 1),
    wordsAt,
    revision: revisionOf(stat),
  };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** From so many on all details are read at once. */
const FEW_DETAILS = 8;

/** The details of a file, read when they are asked for, if the file still is the one that the front is from. */
class StoredDetails {
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
    const { bytes: front, revision } = this.#front;
    return readPrivateFile(this.#path, (descriptor, stat) => {
      if (!isSameRevision(revisionOf(stat), revision)) return undefined;
      const bytes = Buffer.allocUnsafeSlow(end - start);
      const at = front.length + start;
      return readAtPlace(descriptor, bytes, at) && isAtPlace(descriptor, bytes, stat.size / 2 + at)
        ? bytes
        : undefined;
    });
  }
}

interface StoredWordsOptions {
  /** The front of a file, and where in it the words of the project begin. */
  readonly bytes: Buffer;
  readonly at: number;
  readonly head: ProjectHead;
  readonly details: StoredDetails;
  readonly firstRow: number;
}

/** The words of one project in a file. */
class StoredWords implements RowWords {
  readonly #options: StoredWordsOptions;

  constructor(options: StoredWordsOptions) {
    this.#options = options;
  }

  names(): RowNames {
    return JSON.parse(this.#text(0)) as RowNames;
  }

  labels(): RowLabels {
    return JSON.parse(this.#text(1)) as RowLabels;
  }

  searched(): string | undefined {
    const { rowCount, labelledCount } = this.#options.head;
    return labelledCount === rowCount ? this.#text(2) : undefined;
  }

  detail(at: number): string | undefined {
    const { details, firstRow } = this.#options;
    return details.json(firstRow + at);
  }

  #text(part: 0 | 1 | 2): string {
    const {
      bytes,
      at,
      head: { wordBytes },
    } = this.#options;
    let start = at;
    for (let before = 0; before < part; before += 1) start += wordBytes[before]!;
    return bytes.toString('utf8', start, start + wordBytes[part]);
  }
}
