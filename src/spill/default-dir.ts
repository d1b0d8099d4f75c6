import { posix, win32 } from 'node:path';

/**
 * Where full transcripts go unless the user says otherwise: `dsh-ref/spill` in the user's cache
 * directory by the convention of the platform. Relative values of the variables do not count.
 *
 * @param env - `XDG_CACHE_HOME` is read on Linux and its like, `LOCALAPPDATA` on Windows
 * @param platform - as `process.platform`
 * @param homedir - absolute
 */
export function defaultSpillDir(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
  homedir: string,
): string {
  if (platform === 'win32') {
    const cache = absolute(env.LOCALAPPDATA, win32) ?? win32.join(homedir, 'AppData', 'Local');
    return win32.join(cache, 'dsh-ref', 'spill');
  }
  const cache =
    platform === 'darwin'
      ? posix.join(homedir, 'Library', 'Caches')
      : (absolute(env.XDG_CACHE_HOME, posix) ?? posix.join(homedir, '.cache'));
  return posix.join(cache, 'dsh-ref', 'spill');
}

function absolute(value: string | undefined, rules: typeof posix): string | undefined {
  return value !== undefined && rules.isAbsolute(value) ? value : undefined;
}
