/** Where this program keeps things of its own: the index and full transcripts. Never inside a folder of logs. */

import { isAbsolute } from 'node:path';
import { cacheDir, isOff } from '../places/cache-dir.ts';
import { isInside } from '../places/inside.ts';
import type { Io } from './io.ts';
import { absolutePath } from './roots.ts';

/** A directory for one part, or why it is not to be used. */
export interface Place {
  /** Absolute; undefined where none is known. */
  readonly directory: string | undefined;
  /** Why nothing is kept, as a clause; undefined where something is. */
  readonly whyNot: string | undefined;
  /** What would help against it. */
  readonly remedy: string;
  /** The person has named it: then it is worth a word that it is not used. */
  readonly isNamed: boolean;
}

/** The index: `--no-index` and `DSH_REF_INDEX=off` first, then `--index-dir`, `DSH_REF_INDEX_DIR`, the cache directory. */
export function chooseIndex(
  io: Io,
  { index, indexDir }: { readonly index?: boolean; readonly indexDir?: string },
  roots: readonly string[],
): Place {
  const place = choosePlace(io, 'index', indexDir ?? named(io.env.DSH_REF_INDEX_DIR), roots);
  if (index === false)
    return { ...place, whyNot: '--no-index was given', remedy: 'leave it out', isNamed: false };
  if (index !== true && isOff(io.env.DSH_REF_INDEX)) {
    return { ...place, whyNot: 'DSH_REF_INDEX turns it off', remedy: 'unset DSH_REF_INDEX', isNamed: false };
  }
  return place;
}

/** Full transcripts: `--spill-dir`, else `DSH_REF_SPILL_DIR`, else the cache directory. */
export function chooseSpill(io: Io, given: string | undefined, roots: readonly string[]): Place {
  return choosePlace(io, 'spill', given ?? named(io.env.DSH_REF_SPILL_DIR), roots);
}

/** The system's temporary directory, unless that would mean to write into a root. */
export function chooseTemporary(io: Io, roots: readonly string[]): string | undefined {
  const directory = io.tmpdir();
  return roots.some((root) => isInside(directory, root)) ? undefined : directory;
}

function choosePlace(
  io: Io,
  part: 'index' | 'spill',
  given: string | undefined,
  roots: readonly string[],
): Place {
  const isNamed = given !== undefined;
  const remedy = `name another place with --${part}-dir`;
  const { env, platform } = io;
  const directory = isNamed
    ? absolutePath(io, given)
    : cacheDir(part, { env, platform, homedir: io.homedir() });
  if (!isAbsolute(directory)) {
    return { directory: undefined, whyNot: 'no home directory is known', remedy, isNamed };
  }
  const root = roots.find((candidate) => isInside(directory, candidate));
  const whyNot =
    root === undefined
      ? undefined
      : `${JSON.stringify(directory)} lies inside the root ${JSON.stringify(root)}, where nothing is written`;
  return { directory, whyNot, remedy, isNamed };
}

function named(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}
