/** Whether a path lies inside a folder, whatever links lead there. */
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

/** Links resolved: what counts is where a file would come to lie. */
export function isInside(path: string, root: string): boolean {
  const way = relative(realPath(root), realPath(path));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** `path` with the links of the part that exists resolved. */
function realPath(path: string): string {
  for (let existing = path; ; existing = dirname(existing)) {
    try {
      return join(realpathSync.native(existing), relative(existing, path));
    } catch {
      // Not there yet, or not ours to see: the directory above decides.
      if (existing === dirname(existing)) return path;
    }
  }
}
