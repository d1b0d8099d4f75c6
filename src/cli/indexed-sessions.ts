import { readFileSync } from 'node:fs';
import { readShard } from '../catalog/index-files.ts';

/** How many sessions the index files `paths` of `directory` know; a file that would not be trusted knows none. */
export function countIndexedSessions(directory: string, paths: readonly string[]): number {
  let count = 0;
  for (const path of paths) {
    const shard = readKey(path);
    // Read again by its key, the way a listing does: only what a listing would use counts.
    if (shard !== undefined) count += readShard(directory, shard)?.size ?? 0;
  }
  return count;
}

function readKey(path: string): { parent: string; project: string } | undefined {
  if (!path.endsWith('.json')) return undefined;
  try {
    const { parent, project } = JSON.parse(readFileSync(path, 'utf8'));
    return typeof parent === 'string' && typeof project === 'string' ? { parent, project } : undefined;
  } catch {
    // Damaged or gone meanwhile: as good as not there.
    return undefined;
  }
}
