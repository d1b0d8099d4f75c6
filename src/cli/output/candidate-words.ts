/** Words about a candidate that every list for people has: its marks, and where it was. */
import type { Candidate, SessionOrigin } from '../../store.ts';

/** `[fork, corrupt] ` before the title of what is no ordinary, readable session; else nothing. */
export function marksOf({ unreadable }: Candidate, origin: SessionOrigin | undefined): string {
  const words = [origin === 'root' ? undefined : origin, unreadable].filter((word) => word !== undefined);
  return words.length === 0 ? '' : `[${words.join(', ')}] `;
}

/** A recorded directory as people write it, the home directory as `~`. Not cleaned yet. */
export function homePath(cwd: string, home: string): string {
  const isBelowHome =
    home.length > 1 && (cwd === home || cwd.startsWith(`${home}/`) || cwd.startsWith(`${home}\\`));
  return isBelowHome ? `~${cwd.slice(home.length)}` : cwd;
}
