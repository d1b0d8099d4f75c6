/** Which folders are searched, why, and whether they are there (format document 1.1; `docs/cli.md`). */

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { SessionLogError } from '../errors.ts';
import { harnessHome } from '../places/harness-home.ts';
import { codeOf, UsageError } from './exit.ts';
import type { Io } from './io.ts';

const HOME_REASONS = {
  given: 'below the given home',
  DSH_HOME: 'below DSH_HOME',
  default: 'the default, as neither --root, DSH_REF_ROOT nor DSH_HOME is set',
} as const;

export interface ChosenRoots {
  /** Absolute, in the order given. */
  readonly paths: readonly string[];
  /** Where the choice came from, as a clause for notices. */
  readonly reason: string;
  /** Set when the default root does not exist; a named one that does not exist is an error. */
  readonly missing: boolean;
}

/**
 * `--root`, else `DSH_REF_ROOT`, else `<harness home>/sessions`.
 *
 * @throws SessionLogError when a root is no directory or cannot be listed, or was named and does not exist
 */
export function chooseRoots(io: Io, given: readonly string[] | undefined): ChosenRoots {
  const roots = choose(io, given);
  io.onRoots?.(roots.paths);
  return roots;
}

function choose(io: Io, given: readonly string[] | undefined): ChosenRoots {
  if (given !== undefined) return checkNamed(io, given, 'given by --root');
  const listed = listedRoots(io);
  if (listed.length > 0) return checkNamed(io, listed, 'from DSH_REF_ROOT');
  const { path, reason } = defaultRoot(io);
  const fault = faultOfRoot(path);
  if (fault !== undefined && fault.code !== 'SESSION_ROOT_MISSING') throw fault;
  return { paths: [path], reason, missing: fault !== undefined };
}

/**
 * The roots of a command that names none, whether they are there or not.
 *
 * @throws UsageError when they are relative to a directory that is gone
 */
export function unnamedRoots(io: Io): readonly string[] {
  const listed = listedRoots(io);
  return listed.length > 0 ? listed.map((path) => absolutePath(io, path)) : [defaultRoot(io).path];
}

function listedRoots({ env }: Io): readonly string[] {
  return (env.DSH_REF_ROOT ?? '').split(delimiter).filter((path) => path.trim() !== '');
}

function defaultRoot(io: Io): { readonly path: string; readonly reason: string } {
  const home = harnessHome({ env: io.env, homedir: io.homedir() });
  return { path: join(absolutePath(io, home.path), 'sessions'), reason: HOME_REASONS[home.source] };
}

function checkNamed(io: Io, given: readonly string[], reason: string): ChosenRoots {
  const paths = given.map((path) => absolutePath(io, path));
  for (const path of paths) {
    const fault = faultOfRoot(path);
    if (fault !== undefined) throw fault;
  }
  return { paths, reason, missing: false };
}

function faultOfRoot(path: string): SessionLogError | undefined {
  const shown = JSON.stringify(path);
  try {
    if (!statSync(path).isDirectory()) {
      return new SessionLogError('SESSION_ROOT_NOT_DIRECTORY', path, `the root ${shown} is not a directory`);
    }
    accessSync(path, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (cause) {
    const options = { cause };
    switch (codeOf(cause)) {
      case 'ENOENT':
        return new SessionLogError('SESSION_ROOT_MISSING', path, `the root ${shown} does not exist`, options);
      case 'ENOTDIR': {
        const message = `the root ${shown} is not a directory: a part of its path is a file`;
        return new SessionLogError('SESSION_ROOT_NOT_DIRECTORY', path, message, options);
      }
      default: {
        const message = `the root ${shown} cannot be listed (${codeOf(cause) ?? String(cause)})`;
        return new SessionLogError('SESSION_ROOT_UNREADABLE', path, message, options);
      }
    }
  }
}

/** `path` made absolute against the process's directory. */
export function absolutePath(io: Io, path: string): string {
  if (isAbsolute(path)) return resolve(path);
  const cwd = workingDirectory(io);
  if (cwd === undefined) {
    throw new UsageError(`the path ${JSON.stringify(path)} is relative, and the current directory is gone`, {
      remedy: 'give an absolute path',
    });
  }
  return resolve(cwd, path);
}

/** The process's directory; nothing when it has been removed. */
export function workingDirectory(io: Io): string | undefined {
  try {
    return io.cwd();
  } catch {
    // The directory was deleted under the process: it is then unknown, which the library allows.
    return undefined;
  }
}
