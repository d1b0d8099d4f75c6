/** The user's own cache directory, where everything lies that this program keeps: full transcripts, the index, compiled code. */
import { posix, win32 } from 'node:path';

/** What decides about places; `process` has it, and tests replace it. */
export interface UserPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As `process.platform`. */
  readonly platform: string;
  /** Absolute. */
  readonly homedir: string;
}

/**
 * `dsh-ref/<part>` in the user's cache directory by the convention of the platform: `XDG_CACHE_HOME`,
 * `~/Library/Caches` or `%LOCALAPPDATA%`. Relative values of the variables do not count.
 */
export function cacheDir(part: 'spill' | 'index' | 'code', { env, platform, homedir }: UserPlaces): string {
  if (platform === 'win32') {
    const cache = absolute(env.LOCALAPPDATA, win32) ?? win32.join(homedir, 'AppData', 'Local');
    return win32.join(cache, 'dsh-ref', part);
  }
  const cache =
    platform === 'darwin'
      ? posix.join(homedir, 'Library', 'Caches')
      : (absolute(env.XDG_CACHE_HOME, posix) ?? posix.join(homedir, '.cache'));
  return posix.join(cache, 'dsh-ref', part);
}

/** True for a value by which a variable such as `DSH_REF_INDEX` turns something off. */
export function isOff(value: string | undefined): boolean {
  return /^(?:off|no|false|0)$/i.test((value ?? '').trim());
}

function absolute(value: string | undefined, rules: typeof posix): string | undefined {
  return value !== undefined && rules.isAbsolute(value) ? value : undefined;
}
