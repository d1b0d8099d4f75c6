/**
 * The index of a store: rows in memory, backed by files where a directory is given. It only ever saves work: a
 * row counts for exactly the revision that it was made from, and whatever it lacks is read from the log.
 */
import type { SessionHeader } from '../log/header.ts';
import type { FoundLog, HarnessPlace } from './found-log.ts';
import { readShard, removeLeftovers, type ShardKey, writeShard } from './index-files.ts';
import type { IndexRow } from './index-row.ts';
import { idSegment, projectKey } from './names.ts';
import { isTooFresh } from './revision.ts';

interface Shard {
  readonly key: ShardKey;
  readonly rows: Map<string, IndexRow>;
  isChanged: boolean;
}

export class SessionIndex {
  readonly #indexDir: string | undefined;
  readonly #clock: () => number;
  readonly #shards = new Map<string, Shard>();
  /** The shard of the last look-up: a walk asks for one project after the other. */
  #last: Shard | undefined;

  /** Without `indexDir` the index lives as long as this object. */
  constructor(indexDir: string | undefined, clock: () => number) {
    this.#indexDir = indexDir;
    this.#clock = clock;
  }

  /** The row of a session directory, whatever revision it is of. */
  rowAt(place: HarnessPlace): IndexRow | undefined {
    return this.#shard(place).rows.get(place.segment);
  }

  /** The row of a found log, whatever revision it is of. */
  rowOf(log: FoundLog): IndexRow | undefined {
    return this.#shard(shardOf(log)).rows.get(rowKey(log));
  }

  /** Keeps a row, unless a change could still come unnoticed. */
  put(log: FoundLog, row: Omit<IndexRow, 'key'>): void {
    if (!isFlat(row.header) || !isPlacedByName(log, row.header)) return;
    const nowMs = this.#clock();
    if (isTooFresh(row.log, nowMs) || (row.directory !== undefined && isTooFresh(row.directory, nowMs)))
      return;
    const shard = this.#shard(shardOf(log));
    shard.rows.set(rowKey(log), { key: rowKey(log), ...row });
    shard.isChanged = true;
  }

  /** Drops the rows of a project whose session directories are gone; `segments` are all that were listed. */
  keepOnly(project: ShardKey, segments: ReadonlySet<string>): void {
    const shard = this.#shard(project);
    for (const key of shard.rows.keys()) {
      if (segments.has(key)) continue;
      shard.rows.delete(key);
      shard.isChanged = true;
    }
  }

  /** Writes what has changed. Never fails: an index that cannot be written is one that is not there. */
  flush(): void {
    if (this.#indexDir === undefined) return;
    let isWritten = false;
    for (const shard of this.#shards.values()) {
      if (!shard.isChanged) continue;
      shard.isChanged = false;
      isWritten = writeShard(this.#indexDir, shard.key, shard.rows.values()) || isWritten;
    }
    if (isWritten) removeLeftovers(this.#indexDir, this.#clock());
  }

  #shard({ parent, project }: ShardKey): Shard {
    const { key: last } = this.#last ?? {};
    if (last?.project === project && last.parent === parent) return this.#last!;
    const name = `${parent}\0${project}`;
    const known = this.#shards.get(name);
    if (known !== undefined) {
      this.#last = known;
      return known;
    }
    const key = { parent, project };
    const rows = this.#indexDir === undefined ? undefined : readShard(this.#indexDir, key);
    const shard = { key, rows: rows ?? new Map<string, IndexRow>(), isChanged: false };
    this.#shards.set(name, shard);
    return shard;
  }
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
