import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory with mode 0700, and its parents where they are missing. Step by step: Node's recursive form tries
 * for ever where a file system answers "no such file" to every attempt.
 */
export function makePrivateDirectory(path: string): void {
  if (makeOne(path)) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateDirectory(parent);
  if (!makeOne(path))
    throw Object.assign(new Error(`cannot make ${JSON.stringify(path)}`), { code: 'ENOENT' });
}

/** False where the parent is missing. */
function makeOne(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return true;
    if (code === 'ENOENT') return false;
    throw error;
  }
}
