/**
 * The index on disk: one file for each project directory, private, replaced as a whole. Derived and
 * optional: whatever is wrong with a file, it counts as absent, and the logs are read.
 */
import { lstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import {
  leftoverOf,
  listNames,
  readPrivateFile,
  removeOldFiles,
  replacePrivateFile,
} from '../places/private-file.ts';
import { IndexRow, ORIGINS, ROW_NUMBERS, type RowDetails, RowGroup, type RowLists } from './index-row.ts';
import type { Revision } from './revision.ts';

/** Raised whenever rows, or what is folded into them, mean something else than before. */
const INDEX_FORMAT = 6;
const FIRST_READ_BYTES = 64 * 1024;

/** Which rows belong together: those of one project directory, or of the pile below one root. */
export interface ShardKey {
  readonly parent: string;
  /** '' for a pile. */
  readonly project: string;
}

export interface StoredShard {
  readonly rows: readonly IndexRow[];
  /** Revision of the project directory, where it holds the session directories of the rows and of `others` only. */
  readonly directory: Revision | undefined;
  /** Session directories without a row: empty ones, and such as cannot be read. */
  readonly others: readonly string[];
}

/** The shard on disk; undefined where there is no file, or none that can be trusted. */
export function readShard(indexDir: string, key: ShardKey): StoredShard | undefined {
  const path = join(indexDir, shardName(key));
  const front = readPrivateFile(path, readFront);
  if (front === undefined) return undefined;
  const { words, table } = front;
  if (words.parent !== key.parent || words.project !== key.project) return undefined;
  const group = new RowGroup(words, table, new StoredDetails(path, front));
  const rows = words.keys.map((_key, at) => new IndexRow(group, at));
  return { rows, directory: words.directory ?? undefined, others: words.others };
}

/** How many sessions the index on disk knows; a file that a listing would not trust knows none. */
export function countIndexed(indexDir: string): number {
  let count = 0;
  for (const { path } of indexFiles(indexDir))
    count += readPrivateFile(path, readFront)?.words.keys.length ?? 0;
  return count;
}

/** Writes a shard; false where that cannot be done, which costs time only. */
export function writeShard(indexDir: string, key: ShardKey, shard: StoredShard): boolean {
  return replacePrivateFile(indexDir, shardName(key), encodeShard(key, shard));
}

/** What stands in words beside the table of numbers. */
interface Words extends ShardKey, RowLists {
  readonly directory: Revision | null;
  readonly others: readonly string[];
  /** Where the detail of each row ends, in bytes from the first one. */
  readonly detailEnds: readonly number[];
}

/** Format, bytes of the table, bytes of the words: doubles in the machine's order, which another one does not read. */
const PREFIX_NUMBERS = 3;
const PREFIX_BYTES = 8 * PREFIX_NUMBERS;

/**
 * A file holds the same twice, one after the other: two copies that agree are as they were written, and comparing them
 * takes less time than any digest. A copy is its front, which is the prefix, the numbers of the rows as they lie in
 * memory and the words, as JSON; and then the detail of each row, as JSON. Numbers in words, and rows as objects, take
 * several times as long to read; details are not read at all until they are asked for.
 */
function encodeShard(key: ShardKey, shard: StoredShard): Buffer {
  const details: Buffer[] = [];
  const detailEnds: number[] = [];
  const rows: IndexRow[] = [];
  let end = 0;
  // The order that a listing brings them into.
  for (const row of [...shard.rows].sort((a, b) => b.createdAt - a.createdAt)) {
    const { json } = row;
    // Another process has replaced the file: that log is read once more.
    if (json === undefined) continue;
    const detail = Buffer.from(json);
    details.push(detail);
    rows.push(row);
    end += detail.length;
    detailEnds.push(end);
  }
  const isWhole = rows.length === shard.rows.length;
  const cwds = new Numbering<string | null>();
  const logNames = new Numbering<string>();
  const words: Words = {
    parent: key.parent,
    project: key.project,
    directory: (isWhole ? shard.directory : undefined) ?? null,
    others: shard.others,
    keys: rows.map((row) => row.key),
    ids: rows.map(({ id }) => id),
    createdAt: rows.map(({ createdAt }) => createdAt),
    titles: rows.map(({ title }) => title ?? null),
    subagentLabels: rows.map(({ subagentLabel }) => subagentLabel ?? null),
    unreadable: rows.map(({ unreadable }) => unreadable ?? null),
    cwdOf: rows.map(({ cwd }) => cwds.numberOf(cwd ?? null)),
    cwds: cwds.values,
    logNameOf: rows.map(({ logName }) => logNames.numberOf(logName)),
    logNames: logNames.values,
    originOf: rows.map(({ origin }) => ORIGINS.indexOf(origin)),
    detailEnds,
  };
  const wordBytes = Buffer.from(JSON.stringify(words));
  const table = new Float64Array(rows.length * ROW_NUMBERS);
  for (const [at, { numbers }] of rows.entries()) table.set(numbers, at * ROW_NUMBERS);
  const prefix = Float64Array.of(INDEX_FORMAT, table.byteLength, wordBytes.length);
  const copy = [new Uint8Array(prefix.buffer), new Uint8Array(table.buffer), wordBytes, ...details];
  return Buffer.concat([...copy, ...copy]);
}

interface Front {
  readonly words: Words;
  readonly table: Float64Array;
  readonly sizeBytes: number;
}

/** Two buffers for all files, since memory that is new costs more than what is read into it; and their numbers. */
const buffers = [Buffer.alloc(0), Buffer.alloc(0)];
const numbersOf = [new Float64Array(0), new Float64Array(0)];

/** The front of a file; undefined where it is not as it was written. */
function readFront(descriptor: number, fileBytes: number): Front | undefined {
  const start = readAt(descriptor, 0, Math.min(FIRST_READ_BYTES, fileBytes), 0);
  if (start.length < PREFIX_BYTES) return undefined;
  const [format, tableBytes, wordBytes] = numbersOf[0]!;
  const wordsAt = PREFIX_BYTES + tableBytes!;
  const sizeBytes = wordsAt + wordBytes!;
  const copyBytes = fileBytes / 2;
  // Of a damaged file these may be anything.
  if (
    format !== INDEX_FORMAT ||
    !(tableBytes! % 8 === 0 && tableBytes! >= 0) ||
    !(wordBytes! >= 0) ||
    !(sizeBytes <= copyBytes)
  )
    return undefined;
  const front = start.length < sizeBytes ? readAt(descriptor, 0, sizeBytes, 0) : start.subarray(0, sizeBytes);
  const isRead = start.length === fileBytes;
  const twin = isRead
    ? start.subarray(copyBytes, copyBytes + sizeBytes)
    : readAt(descriptor, copyBytes, sizeBytes, 1);
  if (!front.equals(twin)) return undefined;
  const words = JSON.parse(front.toString('utf8', wordsAt)) as Words;
  return { words, table: numbersOf[0]!.slice(PREFIX_NUMBERS, wordsAt / 8), sizeBytes };
}

/** Up to `length` bytes from `position` on, valid until the next call for that buffer. */
function readAt(descriptor: number, position: number, length: number, into: 0 | 1): Buffer {
  if (buffers[into]!.length < length) {
    buffers[into] = Buffer.allocUnsafeSlow(Math.ceil(Math.max(length, FIRST_READ_BYTES) / 8) * 8);
    numbersOf[into] = new Float64Array(buffers[into]!.buffer);
  }
  let read = 0;
  while (read < length) {
    const count = readSync(descriptor, buffers[into]!, read, length - read, position + read);
    if (count === 0) break;
    read += count;
  }
  return buffers[into]!.subarray(0, read);
}

/** The details of a file, read when the first one is asked for, if they still are those that go with its front. */
class StoredDetails implements RowDetails {
  readonly #path: string;
  readonly #front: Front;
  #bytes: Buffer | 'unread' | undefined = 'unread';

  constructor(path: string, front: Front) {
    this.#path = path;
    this.#front = front;
  }

  json(at: number): string | undefined {
    if (this.#bytes === 'unread') this.#bytes = this.#read();
    const { detailEnds } = this.#front.words;
    return this.#bytes?.toString('utf8', detailEnds[at - 1] ?? 0, detailEnds[at]);
  }

  #read(): Buffer | undefined {
    const front = this.#front;
    const length = front.words.detailEnds.at(-1) ?? 0;
    return readPrivateFile(this.#path, (descriptor, fileBytes) => {
      const now = readFront(descriptor, fileBytes);
      if (now === undefined || !isSameFront(now, front)) return undefined;
      const bytes = Buffer.from(readAt(descriptor, front.sizeBytes, length, 0));
      return bytes.equals(readAt(descriptor, fileBytes / 2 + front.sizeBytes, length, 1)) ? bytes : undefined;
    });
  }
}

function isSameFront(a: Front, b: Front): boolean {
  return (
    Buffer.from(a.table.buffer).equals(Buffer.from(b.table.buffer)) &&
    JSON.stringify(a.words) === JSON.stringify(b.words)
  );
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

const OUR_NAME = /^[0-9a-f]{16}(?:--[\w.~-]*--|_no-cwd|[0-9a-f]{16}\+|)\.index$/;

function isIndexFile(name: string): boolean {
  return OUR_NAME.test(name);
}

/** Removes temporary files that a killed process left behind. */
export function removeLeftovers(indexDir: string, nowMs: number): void {
  removeOldFiles(indexDir, isIndexFile, { nowMs });
}

/** What the index holds on disk. */
export function indexFiles(indexDir: string): { path: string; sizeBytes: number }[] {
  return listNames(indexDir)
    .filter((name) => isIndexFile(leftoverOf(name) ?? name))
    .map((name) => join(indexDir, name))
    .map((path) => ({ path, sizeBytes: lstatSync(path, { throwIfNoEntry: false })?.size ?? 0 }));
}

/** By the name of the project directory, which people can read, where it is short and plain, as it nearly always is. */
function shardName({ parent, project }: ShardKey): string {
  if (parent !== lastParent.parent) lastParent = { parent, hash: hash64(parent) };
  const name = /^[\w.~-]{0,200}$/.test(project) ? project : `${hash64(project)}${LONG_NAME}`;
  return `${lastParent.hash}${name}.index`;
}

let lastParent = { parent: '', hash: '' };
const LONG_NAME = '+';

/** Sixteen digits that tell texts apart. A file says whose it is, so two with the same name are no harm. */
function hash64(text: string): string {
  let [a, b] = [0x9e3779b1, 0x85ebca77];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0xc2b2ae3d);
    b = Math.imul(b ^ unit, 0x27d4eb2f);
  }
  a = Math.imul(a ^ (a >>> 16) ^ b, 0x85ebca6b);
  b = Math.imul(b ^ (b >>> 13) ^ a, 0xc2b2ae35);
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
