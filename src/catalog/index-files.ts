/**
 * The index on disk: one file for each project directory, private, replaced as a whole. Derived and
 * optional: whatever is wrong with a file, it counts as absent, and the logs are read.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { FaultKind } from '../errors.ts';
import { makePrivateDirectory } from '../places/private-directory.ts';
import { checksum } from './checksum.ts';
import { IndexRow, ROW_NUMBERS, type RowFields } from './index-row.ts';
import type { SessionOrigin } from './outline.ts';
import type { Revision } from './revision.ts';

/** Raised whenever rows, or what is folded into them, mean something else than before. */
const INDEX_FORMAT = 5;
const LEFTOVER_AGE_MS = 10 * 60 * 1000;

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
  const file = readOwn(join(indexDir, shardName(key)));
  return file && decodeShard(file, key);
}

/** How many sessions the index on disk knows; a file that a listing would not trust knows none. */
export function countIndexed(indexDir: string): number {
  let count = 0;
  for (const { path } of indexFiles(indexDir)) {
    const file = readOwn(path);
    count += (file && decodeShard(file, undefined))?.rows.length ?? 0;
  }
  return count;
}

function readOwn(path: string): Buffer | undefined {
  let descriptor: number;
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    descriptor = openSync(path, flags);
  } catch {
    // Absent, a link, or not ours to read: all the same to a derived file.
    return undefined;
  }
  try {
    return isPrivateFile(descriptor) ? readFileSync(descriptor) : undefined;
  } catch {
    // Out of reach in whatever way: it will be written anew.
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a shard beside its place and moves it there; false where that cannot be done, which costs time only. */
export function writeShard(indexDir: string, key: ShardKey, shard: StoredShard): boolean {
  const temporary = join(indexDir, `${shardName(key)}.${randomHex()}.tmp`);
  try {
    makePrivateDirectory(indexDir);
    if (!isPrivate(statSync(indexDir))) return false;
    writeFileSync(temporary, encodeShard(key, shard), { flag: 'wx', mode: 0o600 });
    renameSync(temporary, join(indexDir, shardName(key)));
    return true;
  } catch {
    // A full disk or a read-only place must not cost the answer.
    removeQuietly(temporary);
    return false;
  }
}

/** What stands in words beside the table of numbers: a list for each field, with an entry for each row. */
interface Words extends ShardKey {
  readonly directory: Revision | null;
  readonly others: readonly string[];
  readonly keys: readonly string[];
  readonly ids: readonly string[];
  readonly createdAt: readonly number[];
  readonly titles: readonly (string | null)[];
  readonly subagentLabels: readonly (string | null)[];
  readonly unreadable: readonly (FaultKind | null)[];
  /** Values that many rows share, and which of them each row has. */
  readonly cwds: readonly (string | null)[];
  readonly cwdOf: readonly number[];
  readonly logNames: readonly string[];
  readonly logNameOf: readonly number[];
  readonly originOf: readonly number[];
  /** Where the detail of each row ends, in bytes from the first one. */
  readonly detailEnds: readonly number[];
}

const ORIGINS: readonly SessionOrigin[] = ['root', 'fork', 'subagent'];
const CHECKSUM_BYTES = 16;
/** Checksum, bytes of the table, bytes of the words. */
const PREFIX_BYTES = CHECKSUM_BYTES + 16;

/**
 * A file is: a checksum of all that follows; two lengths; the numbers of the rows, as they lie in memory; the words, as
 * JSON; the detail of each row, as JSON. Numbers in words and rows as objects take several times as long to read.
 */
function encodeShard(key: ShardKey, shard: StoredShard): Buffer {
  // The order that a listing brings them into.
  const rows = [...shard.rows].sort((a, b) => b.createdAt - a.createdAt);
  const cwds = new Numbering<string | null>();
  const logNames = new Numbering<string>();
  const details = rows.map(({ detailJson }) => Buffer.from(detailJson));
  let end = 0;
  const words: Words = {
    parent: key.parent,
    project: key.project,
    directory: shard.directory ?? null,
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
    detailEnds: details.map(({ length }) => {
      end += length;
      return end;
    }),
  };
  const table = new Float64Array(rows.length * ROW_NUMBERS);
  for (const [at, { numbers }] of rows.entries()) table.set(numbers, at * ROW_NUMBERS);
  const wordBytes = Buffer.from(JSON.stringify(words));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeDoubleLE(table.byteLength, CHECKSUM_BYTES);
  prefix.writeDoubleLE(wordBytes.length, CHECKSUM_BYTES + 8);
  const file = Buffer.concat([prefix, new Uint8Array(table.buffer), wordBytes, ...details]);
  file.set(checksum(file.subarray(CHECKSUM_BYTES), INDEX_FORMAT));
  return file;
}

/** Rows of `file`. Undefined where it was not written as it is now, or is not the shard `key`. */
function decodeShard(file: Buffer, key: ShardKey | undefined): StoredShard | undefined {
  // The checksum vouches for all the rest, down to the machine's order of bytes in the table.
  if (file.length < PREFIX_BYTES) return undefined;
  const expected = checksum(file.subarray(CHECKSUM_BYTES), INDEX_FORMAT);
  if (Buffer.compare(expected, file.subarray(0, CHECKSUM_BYTES)) !== 0) return undefined;
  const wordsAt = PREFIX_BYTES + file.readDoubleLE(CHECKSUM_BYTES);
  const detailsAt = wordsAt + file.readDoubleLE(CHECKSUM_BYTES + 8);
  const words = JSON.parse(file.toString('utf8', wordsAt, detailsAt)) as Words;
  if (key !== undefined && (words.parent !== key.parent || words.project !== key.project)) return undefined;
  const table = numbersIn(file.subarray(PREFIX_BYTES, wordsAt));
  const detail = (at: number) => () =>
    file.toString('utf8', detailsAt + (words.detailEnds[at - 1] ?? 0), detailsAt + words.detailEnds[at]!);
  const rows = words.keys.map((rowKey, at) => {
    const fields: RowFields = {
      key: rowKey,
      logName: words.logNames[words.logNameOf[at]!]!,
      id: words.ids[at]!,
      createdAt: words.createdAt[at]!,
      cwd: words.cwds[words.cwdOf[at]!] ?? undefined,
      origin: ORIGINS[words.originOf[at]!]!,
      title: words.titles[at] ?? undefined,
      subagentLabel: words.subagentLabels[at] ?? undefined,
      unreadable: words.unreadable[at] ?? undefined,
    };
    return new IndexRow(fields, table, at * ROW_NUMBERS, detail(at));
  });
  return { rows, directory: words.directory ?? undefined, others: words.others };
}

/** In place where they lie as the machine wants them, which they do in a buffer of their own. */
function numbersIn({ buffer, byteOffset, length }: Uint8Array): Float64Array {
  return byteOffset % 8 === 0
    ? new Float64Array(buffer, byteOffset, length / 8)
    : new Float64Array(buffer.slice(byteOffset, byteOffset + length));
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

/** Twelve digits. A name that is taken already is refused when it is made. */
function randomHex(): string {
  return Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Below a file, say, nothing can be there to remove.
  }
}

const OUR_NAME = /^[0-9a-f]{32}\.index(?<leftover>\.[0-9a-f]{12}\.tmp)?$/;

/** Removes temporary files that a killed process left behind. */
export function removeLeftovers(indexDir: string, nowMs: number): void {
  for (const name of listNames(indexDir)) {
    if (OUR_NAME.exec(name)?.groups?.leftover === undefined) continue;
    const path = join(indexDir, name);
    const ageMs = nowMs - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs);
    if (ageMs > LEFTOVER_AGE_MS) removeQuietly(path);
  }
}

/** What the index holds on disk. */
export function indexFiles(indexDir: string): { path: string; sizeBytes: number }[] {
  return listNames(indexDir)
    .filter((name) => OUR_NAME.test(name))
    .map((name) => join(indexDir, name))
    .map((path) => ({ path, sizeBytes: lstatSync(path, { throwIfNoEntry: false })?.size ?? 0 }));
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // No index yet.
    return [];
  }
}

function shardName({ parent, project }: ShardKey): string {
  const bytes = Buffer.from(JSON.stringify([parent, project]));
  return `${Buffer.from(checksum(bytes, 0)).toString('hex')}.index`;
}

function isPrivateFile(descriptor: number): boolean {
  const stat = fstatSync(descriptor);
  return stat.isFile() && isPrivate(stat);
}

/** Ours, and nobody else may write it: what another user could plant is not read. Windows has no such modes. */
function isPrivate(stat: { readonly uid: number; readonly mode: number }): boolean {
  const uid = process.geteuid?.();
  return uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0);
}
