/** Where the harness keeps its sessions when no root is given (format document, 1.1). */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * `<harness home>/sessions`, the home being `home`, else `DSH_HOME` unless blank, else `~/.dsh`; a leading `~`
 * is the user's own directory.
 */
export function defaultSessionsRoot(
  home: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const fromEnv = env.DSH_HOME;
  const chosen = home ?? (fromEnv !== undefined && fromEnv.trim() !== '' ? fromEnv : '~/.dsh');
  return join(resolve(expandTilde(chosen)), 'sessions');
}

function expandTilde(path: string): string {
  if (path === '~') return homedir();
  return /^~[/\\]/.test(path) ? join(homedir(), path.slice(2)) : path;
}
