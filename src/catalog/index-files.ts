/**
 * The index on disk: one JSON file for each project directory, private, replaced as a whole. Derived and
 * optional: whatever is wrong with a file, it counts as absent, and the logs are read.
 */
import { createHash, randomBytes } from 'node:crypto';
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
import { isObject } from '../log/header.ts';
import { makePrivateDirectory } from '../places/private-directory.ts';
import type { IndexRow } from './index-row.ts';

/** Raised whenever rows, or what is folded into them, mean something else than before. */
const INDEX_FORMAT = 4;
const LEFTOVER_AGE_MS = 10 * 60 * 1000;

/** Which rows belong together: those of one project directory, or of the pile below one root. */
export interface ShardKey {
  readonly parent: string;
  /** '' for a pile. */
  readonly project: string;
}

interface StoredShard extends ShardKey {
  readonly rows: readonly IndexRow[];
}

/** Rows of one shard, by their key; undefined where there is no file, or none that can be trusted. */
export function readShard(
  indexDir: string,
  { parent, project }: ShardKey,
): Map<string, IndexRow> | undefined {
  const stored = readStored(join(indexDir, shardName({ parent, project })));
  if (stored === undefined || stored.parent !== parent || stored.project !== project) return undefined;
  return new Map(stored.rows.map((row) => [row.key, row]));
}

/** How many sessions the index on disk knows; a file that a listing would not trust knows none. */
export function countIndexed(indexDir: string): number {
  let count = 0;
  for (const { path } of indexFiles(indexDir)) count += readStored(path)?.rows.length ?? 0;
  return count;
}

function readStored(path: string): StoredShard | undefined {
  let descriptor: number;
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    descriptor = openSync(path, flags);
  } catch {
    // Absent, a link, or not ours to read: all the same to a derived file.
    return undefined;
  }
  try {
    return isPrivateFile(descriptor) ? decodeStored(readFileSync(descriptor, 'utf8')) : undefined;
  } catch {
    // Damaged in whatever way: it will be written anew.
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** A digest in the first line vouches for the rest: a derived file is not worth guessing about. */
function decodeStored(text: string): StoredShard | undefined {
  const lineEnd = text.indexOf('\n');
  const body = text.slice(lineEnd + 1);
  if (text.slice(0, Math.max(0, lineEnd)) !== digestOf(body)) return undefined;
  const stored: unknown = JSON.parse(body);
  if (!isObject(stored) || stored.format !== INDEX_FORMAT || !Array.isArray(stored.rows)) return undefined;
  return stored as unknown as StoredShard;
}

/** Writes a shard beside its place and moves it there; false where that cannot be done, which costs time only. */
export function writeShard(indexDir: string, shard: ShardKey, rows: Iterable<IndexRow>): boolean {
  const stored = { format: INDEX_FORMAT, ...shard, rows: [...rows] };
  const temporary = join(indexDir, `${shardName(shard)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    makePrivateDirectory(indexDir);
    if (!isPrivate(statSync(indexDir))) return false;
    const body = JSON.stringify(stored);
    writeFileSync(temporary, `${digestOf(body)}\n${body}`, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, join(indexDir, shardName(shard)));
    return true;
  } catch {
    // A full disk or a read-only place must not cost the answer.
    removeQuietly(temporary);
    return false;
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Below a file, say, nothing can be there to remove.
  }
}

const OUR_NAME = /^[0-9a-f]{32}\.json(?<leftover>\.[0-9a-f]{12}\.tmp)?$/;

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

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function shardName({ parent, project }: ShardKey): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([parent, project]))
    .digest('hex');
  return `${digest.slice(0, 32)}.json`;
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
