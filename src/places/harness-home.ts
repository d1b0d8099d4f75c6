/** Where the harness keeps its files (format document, 1.1; host document, 4.1). */
import { join, resolve } from 'node:path';
import type { UserPlaces } from './cache-dir.ts';

export interface HarnessHome {
  /** As it was given, with a leading `~` replaced; it may still be relative to the process's directory. */
  readonly path: string;
  /** What decided. */
  readonly source: 'given' | 'DSH_HOME' | 'default';
}

/** The home that was given, else `DSH_HOME` unless it is blank, else `~/.dsh`. */
export function harnessHome(
  { env, homedir }: Pick<UserPlaces, 'env' | 'homedir'>,
  given?: string | undefined,
): HarnessHome {
  const fromEnv = env.DSH_HOME;
  if (given !== undefined) return { path: expandTilde(given, homedir), source: 'given' };
  // Whether it is blank is judged on the trimmed value, but the value is used as it is.
  if (fromEnv !== undefined && fromEnv.trim() !== '')
    return { path: expandTilde(fromEnv, homedir), source: 'DSH_HOME' };
  return { path: join(homedir, '.dsh'), source: 'default' };
}

/** `<harness home>/sessions`, absolute. */
export function sessionsRoot(home: HarnessHome): string {
  return join(resolve(home.path), 'sessions');
}

function expandTilde(path: string, homedir: string): string {
  return /^~(?:$|[/\\])/.test(path) ? join(homedir, path.slice(1)) : path;
}
