/** The state of a whole folder: every name, content, mode and time. Equal before and after means untouched. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function treeState(folder: string): string[] {
  const lines: string[] = [];
  const visit = (path: string): void => {
    const stat = lstatSync(path, { bigint: true });
    const content = stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
    lines.push(`${path} ${stat.mode.toString(8)} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${content}`);
    if (stat.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name));
  };
  visit(folder);
  return lines;
}
