/**
 * The index on disk: for each parent of project directories one file for all of them, and beside it a file for each
 * project that has changed since, until these become too many. Private, replaced as a whole, derived and optional:
 * whatever is wrong with a file, it counts as absent, and the logs are read. Whichever file a row comes from, it counts
 * for one revision only, so nothing hangs on which of two files is newer.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import {
  leftoverOf,
  listNames,
  removeOldFiles,
  removeQuietly,
  replacePrivateFile,
} from '../places/private-file.ts';
import {
  countLabelled,
  encodeIndexFile,
  type IndexFile,
  readIndexFile,
  type Shards,
  type StoredShard,
} from './index-format.ts';
import type { RowTable } from './index-row.ts';

/** Which rows belong together: those of one project directory, or of the pile below one root. */
export interface ShardKey {
  readonly parent: string;
  /** '' for a pile. */
  readonly project: string;
}

/** From so many files of single projects on they are put together. */
const MAX_LOOSE_FILES = 16;

/** The files for the projects of one parent. */
export class ParentFiles {
  readonly #indexDir: string;
  readonly #parent: string;
  readonly #hash: string;
  /** Names of the files of single projects. */
  readonly #loose = new Set<string>();
  /** What the file for all projects has. */
  #together: Shards;
  #isTogetherDistinct: boolean;

  constructor(indexDir: string, parent: string) {
    this.#indexDir = indexDir;
    this.#parent = parent;
    this.#hash = hash64(parent);
    for (const name of listNames(indexDir)) {
      if (name.startsWith(this.#hash) && isIndexFile(name)) this.#loose.add(name);
    }
    const hasTogether = this.#loose.delete(this.#togetherName);
    const together = hasTogether ? this.#read(this.#togetherName) : undefined;
    this.#together = together?.shards ?? new Map();
    this.#isTogetherDistinct = together?.isDistinct === true;
  }

  /** What is known of a project; undefined where nothing is. */
  shard(project: string): StoredShard | undefined {
    const name = this.#looseName(project);
    const loose = this.#loose.has(name) ? this.#read(name)?.shards.get(project) : undefined;
    return loose ?? this.#together.get(project);
  }

  /** True where `tables`, by their projects, are those of the file for all, which says that no key is in two of them. */
  areDistinct(tables: Iterable<readonly [project: string, rows: RowTable]>): boolean {
    if (!this.#isTogetherDistinct) return false;
    for (const [project, rows] of tables) if (this.#together.get(project)?.rows !== rows) return false;
    return true;
  }

  /** True where a file has projects that are not among `known`. */
  hasOthers(known: ReadonlyMap<string, unknown>): boolean {
    return (
      [...this.#together.keys()].some((project) => !known.has(project)) || this.#othersThan(known).length > 0
    );
  }

  /**
   * Writes `changed`, shards that are not as `shard` gave them. `known` has all that are in memory now, these among them;
   * with `isAll` there are no other projects any more. False where nothing could be written, which costs time only.
   */
  write(
    changed: ReadonlyMap<string, StoredShard>,
    known: ReadonlyMap<string, () => StoredShard>,
    isAll: boolean,
  ): boolean {
    const names = new Set([
      ...this.#loose,
      ...[...changed.keys()].map((project) => this.#looseName(project)),
    ]);
    // What has been forgotten is not to stay in a file either.
    const isForgotten =
      (isAll && this.hasOthers(known)) ||
      [...changed].some(([project, shard]) => this.#lacksRows(project, shard));
    if (names.size > MAX_LOOSE_FILES || isForgotten) return this.#writeTogether(known, isAll);
    let isWritten = false;
    for (const [project, shard] of changed) {
      const name = this.#looseName(project);
      const pieces = encodeIndexFile(this.#parent, new Map([[project, shard]]));
      if (!replacePrivateFile(this.#indexDir, name, pieces)) continue;
      this.#loose.add(name);
      isWritten = true;
    }
    return isWritten;
  }

  #writeTogether(known: ReadonlyMap<string, () => StoredShard>, isAll: boolean): boolean {
    const shards = new Map(isAll ? [] : this.#together);
    for (const [project, shard] of known) shards.set(project, shard());
    const pieces = encodeIndexFile(this.#parent, shards);
    if (!replacePrivateFile(this.#indexDir, this.#togetherName, pieces)) return false;
    this.#together = shards;
    this.#isTogetherDistinct = false;
    const gone = isAll ? this.#othersThan(known) : [];
    for (const name of [...gone, ...[...known.keys()].map((project) => this.#looseName(project))]) {
      if (this.#loose.delete(name)) removeQuietly(join(this.#indexDir, name));
    }
    return true;
  }

  /** Files of single projects that are not among `known`. */
  #othersThan(known: ReadonlyMap<string, unknown>): string[] {
    const names = new Set([...known.keys()].map((project) => this.#looseName(project)));
    return [...this.#loose].filter((name) => !names.has(name));
  }

  /** The file for all projects has a row of this one that `shard` has not. */
  #lacksRows(project: string, shard: StoredShard): boolean {
    const known = this.#together.get(project)?.rows.keys ?? [];
    if (known.length === 0) return false;
    const keys = new Set(shard.rows.keys);
    return known.some((key) => !keys.has(key));
  }

  get #togetherName(): string {
    return `${this.#hash}${TOGETHER}.index`;
  }

  /** By the name of the project directory, which people can read, where it is short and plain, as it nearly always is. */
  #looseName(project: string): string {
    const name = /^[\w.~-]{0,200}$/.test(project) ? project : `${hash64(project)}${LONG_NAME}`;
    return `${this.#hash}${name}.index`;
  }

  #read(name: string): IndexFile | undefined {
    return readIndexFile(join(this.#indexDir, name), this.#parent);
  }
}

const LONG_NAME = '+';
/** No project directory has such a name. */
const TOGETHER = '+all';
const OUR_NAME = /^[0-9a-f]{16}(?:--[\w.~-]*--|_no-cwd|[0-9a-f]{16}\+|\+all|)\.index$/;

function isIndexFile(name: string): boolean {
  return OUR_NAME.test(name);
}

/** Of how many sessions the index on disk knows the title; a file that a listing would not trust knows none. */
export function countIndexed(indexDir: string): number {
  const counts = new Map<string, number>();
  // A project's own file stands for what the file for all has of it.
  const files = indexFiles(indexDir).sort((a, b) => rank(a.path) - rank(b.path));
  for (const { path } of files) {
    const { parent, rows } = countLabelled(path);
    for (const [project, count] of rows) counts.set(`${parent}\0${project}`, count);
  }
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function rank(path: string): number {
  return path.endsWith(`${TOGETHER}.index`) ? 0 : 1;
}

/** Removes temporary files that a killed process left behind. */
export function removeLeftovers(indexDir: string, nowMs: number): void {
  removeOldFiles(indexDir, isIndexFile, { nowMs });
}

/** What the index holds on disk. A directory in the place of a file is not ours. */
export function indexFiles(indexDir: string): { path: string; sizeBytes: number }[] {
  return listNames(indexDir)
    .filter((name) => isIndexFile(leftoverOf(name) ?? name))
    .map((name) => join(indexDir, name))
    .map((path) => ({ path, stat: lstatSync(path, { throwIfNoEntry: false }) }))
    .filter(({ stat }) => stat?.isDirectory() === false)
    .map(({ path, stat }) => ({ path, sizeBytes: stat!.size }));
}

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
