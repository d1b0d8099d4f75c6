/**
 * The index of a store: rows in memory, backed by files where a directory is given. It only ever saves work: a
 * row counts for exactly the revision that it was made from, and whatever it lacks is read from the log.
 */
import type { Stats } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { SessionHeader } from '../log/header.ts';
import { isInside } from '../places/inside.ts';
import type { FoundLog } from './found-log.ts';
import { ParentFiles, removeLeftovers, type ShardKey } from './index-files.ts';
import type { StoredShard } from './index-format.ts';
import { type IndexRow, MadeRow, type NewRow, RowTable } from './index-row.ts';
import type { LookThread } from './look-thread.ts';
import { idSegment, projectKey } from './names.ts';
import { isSameRevision, isTooFresh, type Revision, revisionOf } from './revision.ts';

/** What a project directory held when it was listed: session directories and nothing else that matters. */
interface Listing {
  readonly directory: Revision;
  /** Session directories without a row. */
  readonly others: Set<string>;
}

/** All session directories of a project directory. */
export interface ListedSegments {
  readonly rows: RowTable;
  /** Those without a row, by name. */
  readonly others: readonly string[];
}

/** The rows of one project directory, or of the pile below one root. */
export class IndexShard {
  readonly key: ShardKey;
  /** Undefined once they have changed, until they are asked for. */
  #table: RowTable | undefined;
  /** The same rows, once a single one of them is asked for. */
  #rows: Map<string, IndexRow | MadeRow> | undefined;
  /** Undefined where the directory has to be listed. */
  #listing: Listing | undefined;
  #isChanged = false;

  constructor(key: ShardKey, stored: StoredShard | undefined) {
    this.key = key;
    this.#table = stored?.rows ?? RowTable.of([]);
    if (stored?.directory !== undefined) {
      this.#listing = { directory: stored.directory, others: new Set(stored.others) };
    }
  }

  get #all(): RowTable {
    this.#table ??= RowTable.of([...this.#byKey.values()]);
    return this.#table;
  }

  get #byKey(): Map<string, IndexRow | MadeRow> {
    this.#rows ??= new Map(this.#table!.rows().map((row) => [row.key, row]));
    return this.#rows;
  }

  row(key: string): IndexRow | undefined {
    const row = this.#byKey.get(key);
    if (!(row instanceof MadeRow)) return row;
    const inTable = RowTable.of([row]).row(0);
    this.#byKey.set(key, inTable);
    return inTable;
  }

  /** All session directories, where the project directory is as it was when it was listed. */
  listingOf(directory: Stats): ListedSegments | undefined {
    const listing = this.#listing;
    if (listing === undefined || !isSameRevision(listing.directory, revisionOf(directory))) return undefined;
    return { rows: this.#all, others: [...listing.others].sort() };
  }

  /**
   * Told which session directories there are: other rows are dropped. `directory` is what the project directory was
   * before it was listed, where it holds nothing else that matters; without it, it has to be listed again each time.
   */
  listed(segments: readonly string[], directory: Seen | undefined): void {
    const names = new Set(segments);
    const rows = this.#byKey;
    for (const key of rows.keys()) {
      if (names.has(key)) continue;
      rows.delete(key);
      this.#setChanged();
    }
    const isKept = directory !== undefined && !isTooFresh(directory.revision, directory.seenMs);
    if (!isKept && this.#listing === undefined) return;
    const others = segments.filter((segment) => !rows.has(segment));
    this.#listing = isKept ? { directory: directory.revision, others: new Set(others) } : undefined;
    this.#isChanged = true;
  }

  /** Keeps a row of what was seen at `seenMs`, unless a change could still come unnoticed. */
  put(key: string, row: NewRow, seenMs: number): void {
    const { log, directory } = row;
    if (isTooFresh(log, seenMs) || (directory !== undefined && isTooFresh(directory, seenMs))) return;
    this.#byKey.set(key, new MadeRow(key, row));
    this.#setChanged();
    this.#listing?.others.delete(key);
  }

  #setChanged(): void {
    this.#table = undefined;
    this.#isChanged = true;
  }

  /** What is to be written now; undefined where the file already says it. */
  takeChange(): StoredShard | undefined {
    if (!this.#isChanged) return undefined;
    this.#isChanged = false;
    return this.stored();
  }

  /** As it is to stand in a file. */
  stored(): StoredShard {
    return {
      rows: this.#all,
      directory: this.#listing?.directory,
      others: [...(this.#listing?.others ?? [])],
    };
  }
}

const MIN_SHARED_ROWS = 500;
/** A process that has listed twice will do so again. */
const FIRST_SHARED_LISTING = 3;

/** A project directory that is as the index knows it. */
export interface ListedProject extends ListedSegments {
  readonly project: ShardKey;
}

/** A revision, and when it was seen. */
export interface Seen {
  readonly revision: Revision;
  readonly seenMs: number;
}

/** The projects of one parent. */
interface IndexParent {
  /** Undefined where nothing is kept on disk. */
  readonly files: ParentFiles | undefined;
  readonly shards: Map<string, IndexShard>;
  /** True once it was seen which projects there are: what else a file has is gone. */
  isAll: boolean;
}

/** Where an index is kept, for what. */
export interface IndexPlace {
  /** Absolute; without it the index lives as long as the object that it is. */
  readonly indexDir: string | undefined;
  /** Nothing is written inside one of these: a directory there is as good as none. */
  readonly roots: readonly string[];
}

export class SessionIndex {
  readonly #place: IndexPlace;
  readonly #clock: () => number;
  /** The directory, once it is known to lie outside all roots; null where there is none. */
  #usedDir: string | null | undefined;
  readonly #parents = new Map<string, IndexParent>();
  #sharedListings = 0;
  /** Those that were last found to have no name twice. */
  #distinct: readonly ListedSegments[] = [];
  #lookThread: Promise<LookThread> | undefined;

  constructor(place: IndexPlace, clock: () => number) {
    this.#place = place;
    this.#clock = clock;
  }

  /** Looked up once there is something to be kept. */
  get #indexDir(): string | undefined {
    if (this.#usedDir === undefined) {
      const { indexDir, roots } = this.#place;
      const isUsed = indexDir !== undefined && !roots.some((root) => isInside(indexDir, root));
      this.#usedDir = isUsed ? indexDir : null;
    }
    return this.#usedDir ?? undefined;
  }

  /** Milliseconds since 1970, by the clock of the store. */
  now(): number {
    return this.#clock();
  }

  shard({ parent, project }: ShardKey): IndexShard {
    const { shards, files } = this.#parentOf(parent);
    let shard = shards.get(project);
    if (shard === undefined) {
      shard = new IndexShard({ parent, project }, files?.shard(project));
      shards.set(project, shard);
    }
    return shard;
  }

  /** Told that `projects` are all there are in `parent` now. */
  sawAll(parent: string, projects: readonly string[]): void {
    const known = this.#parentOf(parent);
    known.isAll = true;
    const names = new Set(projects);
    for (const project of known.shards.keys()) {
      if (project !== '' && !names.has(project)) known.shards.delete(project);
    }
  }

  #parentOf(parent: string): IndexParent {
    let known = this.#parents.get(parent);
    if (known === undefined) {
      const files = this.#indexDir === undefined ? undefined : new ParentFiles(this.#indexDir, parent);
      known = { files, shards: new Map(), isAll: false };
      this.#parents.set(parent, known);
    }
    return known;
  }

  /** The row of a found log, whatever revision it is of. */
  rowOf(log: FoundLog): IndexRow | undefined {
    return this.shard(shardOf(log)).row(rowKey(log));
  }

  /** Keeps a row, unless a change could still come unnoticed, or the header is of a kind that is read each time. */
  put(log: FoundLog, row: NewRow): void {
    if (log.seenMs === undefined || !isFlat(row.header) || !isPlacedByName(log, row.header)) return;
    this.shard(shardOf(log)).put(rowKey(log), row, log.seenMs);
  }

  /**
   * True where no two session directories in `listed` have the same name. They are mostly those of the last time, or of
   * one file: then this is known already.
   */
  haveDistinctNames(listed: readonly ListedProject[]): boolean {
    if (!this.#areOfLastTime(listed) && !this.#areOfOneFile(listed)) {
      const names = new Set<string>();
      let count = 0;
      for (const { rows, others } of listed) {
        count += rows.length + others.length;
        for (const key of rows.keys) names.add(key);
        for (const name of others) names.add(name);
      }
      if (names.size !== count) return false;
    }
    this.#distinct = listed;
    return true;
  }

  #areOfLastTime(listed: readonly ListedProject[]): boolean {
    const before = this.#distinct;
    return (
      listed.length === before.length &&
      listed.every(({ rows, others }, at) => {
        const known = before[at]!;
        return (rows === known.rows || areSame(rows.keys, known.rows.keys)) && areSame(others, known.others);
      })
    );
  }

  #areOfOneFile(listed: readonly ListedProject[]): boolean {
    const [parent, ...more] = new Set(listed.map(({ project }) => project.parent));
    if (parent === undefined || more.length > 0 || listed.some(({ others }) => others.length > 0))
      return false;
    const tables = listed.map(({ project, rows }) => [project.project, rows] as const);
    return this.#parentOf(parent).files?.areDistinct(tables) === true;
  }

  /** A thread to look at `rowCount` rows with; undefined where it would not pay. */
  async lookThread(rowCount: number): Promise<LookThread | undefined> {
    if (rowCount < MIN_SHARED_ROWS) return undefined;
    this.#sharedListings += 1;
    if (this.#sharedListings < FIRST_SHARED_LISTING || availableParallelism() === 1) return undefined;
    this.#lookThread ??= import('./look-thread.ts').then((module) => new module.LookThread());
    return this.#lookThread;
  }

  async close(): Promise<void> {
    await (await this.#lookThread)?.end();
  }

  /** Writes what has changed. Never fails: an index that cannot be written is one that is not there. */
  flush(): void {
    let isWritten = false;
    for (const { files, shards, isAll } of this.#parents.values()) {
      if (files === undefined) continue;
      const changed = new Map<string, StoredShard>();
      for (const [project, shard] of shards) {
        const change = shard.takeChange();
        if (change !== undefined) changed.set(project, change);
      }
      if (changed.size === 0 && !(isAll && files.hasOthers(shards))) continue;
      const known = new Map([...shards].map(([project, shard]) => [project, () => shard.stored()]));
      isWritten = files.write(changed, known, isAll) || isWritten;
    }
    if (isWritten) removeLeftovers(this.#indexDir!, this.#clock());
  }
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at]);
}

/** A place that is right only through links is checked anew each time: links change without a trace in the log. */
function isPlacedByName({ place }: FoundLog, { cwd, id }: SessionHeader): boolean {
  return place === undefined || (place.project === projectKey(cwd) && place.segment === idSegment(id));
}

/** A header with fields that JSON does not give back as they are is odd enough to be read anew each time. */
function isFlat(header: object): boolean {
  return Object.values(header).every((value) =>
    typeof value === 'number' ? Number.isFinite(value) : typeof value !== 'object' || value === null,
  );
}

function shardOf({ place, pileRoot }: FoundLog): ShardKey {
  return place ?? { parent: pileRoot!, project: '' };
}

function rowKey({ place, path }: FoundLog): string {
  return place === undefined ? path : place.segment;
}
