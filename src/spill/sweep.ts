import { lstatSync, readdirSync, realpathSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { SessionReferenceError } from '../errors.ts';
import { dueTurn } from '../turn.ts';
import { SPILL_SESSION_PATTERN } from './names.ts';
import { assertPrivateDirectory, assertSafeAncestors } from './private-directory.ts';
import { hasSystemCode } from './system-error.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a saved text stays, in days. */
export const DEFAULT_KEEP_DAYS = 30;

/** Something the cleanup left alone, and why. */
export interface SpillWarning {
  readonly path: string;
  readonly message: string;
}

/** What to clean up. */
export interface SweepOptions {
  readonly rootDir: string;
  /** Whole days, 0 or more; 0 keeps everything. Default 30. */
  readonly keepDays?: number;
  /** Unix epoch milliseconds. */
  readonly nowMs: number;
  readonly onWarning?: (warning: SpillWarning) => void;
  /** Ends the cleanup early, without an error. */
  readonly signal?: AbortSignal;
}

interface Sweep {
  /** What was last written before this goes; Unix epoch milliseconds. */
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
  warn(path: string, error: unknown): void;
}

/**
 * Removes texts last written more than `keepDays` ago, and session directories with nothing in them
 * (spill-storage.md 3). Only regular files in real `session-<12 hex>` directories go; links and special
 * files stay and are not followed, and so does the root. On POSIX a directory that is not the user's own, that
 * others can write to, or that they could replace is left alone. Every problem is one warning; what is
 * already gone is none.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_CONFIG` for `keepDays`, and nothing else
 */
export async function sweepSpill(options: SweepOptions): Promise<void> {
  const keepDays = checkKeepDays(options.keepDays);
  if (keepDays === 0) return;
  const sweep: Sweep = {
    limitMs: options.nowMs - keepDays * DAY_MS,
    signal: options.signal,
    warn: (path, error) => {
      if (hasSystemCode(error, 'ENOENT')) return;
      options.onWarning?.({ path, message: error instanceof Error ? error.message : String(error) });
    },
  };
  // Not before the caller has what was opened for it.
  await undefined;
  try {
    const root = realpathSync.native(options.rootDir);
    assertPrivateDirectory(root);
    assertSafeAncestors(root);
    for (const entry of readdirSync(root, { withFileTypes: true })) {
      if (entry.isDirectory() && SPILL_SESSION_PATTERN.test(entry.name))
        await sweepSession(join(root, entry.name), sweep);
    }
  } catch (error) {
    sweep.warn(options.rootDir, error);
  }
}

/**
 * The days to keep, or the default.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_CONFIG`
 */
export function checkKeepDays(keepDays: number = DEFAULT_KEEP_DAYS): number {
  if (Number.isSafeInteger(keepDays) && keepDays >= 0) return keepDays;
  throw new SessionReferenceError(
    'SESSION_REFERENCE_INVALID_CONFIG',
    'spill: keepDays must be a whole number of days, 0 or more',
  );
}

async function sweepSession(directory: string, sweep: Sweep): Promise<void> {
  try {
    assertPrivateDirectory(directory);
    let isEmpty = true;
    for (const name of readdirSync(directory)) {
      const turn = dueTurn();
      if (turn !== undefined) await turn;
      if (sweep.signal?.aborted) return;
      if (!removeOld(join(directory, name), sweep)) isEmpty = false;
    }
    if (isEmpty) rmdirSync(directory);
  } catch (error) {
    // Somebody saved a text meanwhile.
    if (!hasSystemCode(error, 'ENOTEMPTY', 'EEXIST')) sweep.warn(directory, error);
  }
}

/** True when the entry is gone. */
function removeOld(path: string, sweep: Sweep): boolean {
  try {
    const info = lstatSync(path);
    if (!info.isFile() || info.mtimeMs >= sweep.limitMs) return false;
    unlinkSync(path);
    return true;
  } catch (error) {
    sweep.warn(path, error);
    return hasSystemCode(error, 'ENOENT');
  }
}
