/**
 * Which logs lie below a root: the harness layout by our own walk, plain piles by globbing. Names only; no log
 * is opened, no link to a directory is followed, no path from a log is used.
 */
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { SessionLogError, type SessionLogErrorCode } from '../errors.ts';
import { reasonOf } from '../log/bytes.ts';
import { chooseLog, type FoundLog, type HarnessPlace, type Skip } from './found-log.ts';
import { decodeIdSegment, isProjectDirectory, parseLogName } from './names.ts';
import { isSameRevision, revisionOf } from './revision.ts';
import type { SessionIndex } from './session-index.ts';

export interface Discovery {
  readonly logs: FoundLog[];
  readonly skips: Skip[];
}

export interface DiscoverOptions {
  /** Only the session directory of this name in each project; piles are always searched whole. */
  readonly segment?: string;
  /** Called between directories; throws to stop. */
  readonly onStep: () => void;
  /** Knows the log of a session directory that has not changed. */
  readonly index?: SessionIndex | undefined;
}

/**
 * Finds the logs below `roots`. A root that does not exist is an empty one; the same file reached through two
 * roots counts once. Errors: SESSION_ROOT_NOT_DIRECTORY, SESSION_ROOT_UNREADABLE.
 */
export async function discoverLogs(roots: readonly string[], options: DiscoverOptions): Promise<Discovery> {
  const discovery: Discovery = { logs: [], skips: [] };
  const seen = new Set<string>();
  for (const root of roots) {
    const real = realRoot(root);
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    await discoverRoot(real, options, discovery);
  }
  if (seen.size > 1) dropRepeatedPaths(discovery);
  return discovery;
}

function realRoot(root: string): string | undefined {
  try {
    return realpathSync(resolve(root));
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === 'ENOENT' || reason === 'ENAMETOOLONG') return undefined;
    throw rootError(root, error);
  }
}

/** Why a root cannot be listed, as the error the caller sees. */
function rootError(root: string, error: unknown): SessionLogError {
  const reason = reasonOf(error);
  const fail = (code: SessionLogErrorCode, what: string) =>
    new SessionLogError(code, root, `the root ${JSON.stringify(root)} ${what}`, { cause: error });
  if (reason === 'ENOENT') return fail('SESSION_ROOT_MISSING', 'does not exist');
  if (reason === 'ENOTDIR') return fail('SESSION_ROOT_NOT_DIRECTORY', 'is not a directory');
  return fail('SESSION_ROOT_UNREADABLE', `cannot be listed: ${reason}`);
}

/** Roots may lie inside one another. */
function dropRepeatedPaths(discovery: Discovery): void {
  for (const list of [discovery.logs, discovery.skips] as { path: string }[][]) {
    const paths = new Set<string>();
    const kept = list.filter((entry) => !paths.has(entry.path) && paths.add(entry.path));
    list.splice(0, list.length, ...kept);
  }
}

async function discoverRoot(root: string, options: DiscoverOptions, into: Discovery): Promise<void> {
  if (isProjectDirectory(basename(root))) {
    walkProject({ parent: dirname(root), project: basename(root) }, options, into, rootError);
    return;
  }
  let entries: Dirent[];
  try {
    entries = readdirSync(root, { withFileTypes: true });
  } catch (error) {
    throw rootError(root, error);
  }
  let hasPile = false;
  for (const entry of entries.sort(byName)) {
    if (isProjectDirectory(entry.name) && entry.isDirectory()) {
      walkProject({ parent: root, project: entry.name }, options, into);
    } else if (isProjectDirectory(entry.name) && entry.isSymbolicLink()) {
      into.skips.push(linkSkip(join(root, entry.name)));
    } else {
      hasPile ||= entry.isDirectory() || isLogFileName(entry.name);
    }
  }
  if (!hasPile) return;
  // Loaded here, since the harness layout does not need it.
  const { discoverPile } = await import('./pile.ts');
  const pile = await discoverPile(root, options.onStep);
  for (const skip of pile.skips) into.skips.push(skip);
  for (const log of pile.logs) into.logs.push(log);
  options.index?.keepOnly({ parent: root, project: '' }, new Set(pile.logs.map((log) => log.path)));
  for (const directory of pile.projectDirectories) {
    walkProject({ parent: dirname(directory), project: basename(directory) }, options, into);
  }
}

/** `*.jsonl` and `*.jsonl.zstd`: what may be a log in a pile. */
function isLogFileName(name: string): boolean {
  return name.endsWith('.jsonl') || name.endsWith('.jsonl.zstd');
}

type Project = Pick<HarnessPlace, 'parent' | 'project'>;

function walkProject(
  project: Project,
  options: DiscoverOptions,
  into: Discovery,
  onUnreadable?: (path: string, error: unknown) => Error,
): void {
  options.onStep();
  const path = join(project.parent, project.project);
  if (options.segment !== undefined) {
    findSegment({ ...project, segment: options.segment }, options, into);
    return;
  }
  let entries: Dirent[];
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return;
    if (onUnreadable !== undefined) throw onUnreadable(path, error);
    const message = `the project directory cannot be listed: ${reasonOf(error)}`;
    into.skips.push({ path, kind: 'unreadable', message });
    return;
  }
  const segments = new Set<string>();
  for (const entry of entries.sort(byName)) {
    options.onStep();
    if (entry.isDirectory()) {
      segments.add(entry.name);
      visitSession({ ...project, segment: entry.name }, options, into);
    } else if (entry.isSymbolicLink()) into.skips.push(linkSkip(join(path, entry.name)));
    else if (isLogFileName(entry.name)) into.skips.push(looseSkip(join(path, entry.name)));
  }
  options.index?.keepOnly(project, segments);
}

/** Looks for one session directory of a project; a link in its place is named, not followed. */
function findSegment(place: HarnessPlace, options: DiscoverOptions, into: Discovery): void {
  const directory = directoryOf(place);
  try {
    const stat = lstatSync(directory);
    if (stat.isDirectory()) visitSession(place, options, into);
    else if (stat.isSymbolicLink()) into.skips.push({ ...linkSkip(directory), ...sessionIdOf(place) });
  } catch (error) {
    if (isAbsence(error)) return;
    // The project cannot be searched: whether the session is there nobody knows.
    const message = `the project directory cannot be searched: ${reasonOf(error)}`;
    into.skips.push({ path: dirname(directory), kind: 'unreadable', message });
  }
}

/** Looks at one session directory. One that is gone, or holds no log, is not a session. */
function visitSession(place: HarnessPlace, { index }: DiscoverOptions, into: Discovery): void {
  const path = directoryOf(place);
  try {
    const directory = index && revisionOf(statSync(path));
    const row = index?.rowAt(place);
    if (directory !== undefined && row?.directory !== undefined && isSameRevision(row.directory, directory)) {
      const { logName } = row;
      const { version, isCompressed } = parseLogName(logName)!;
      into.logs.push({
        path: path + sep + logName,
        isCompressed,
        nameVersion: version,
        place,
        directory,
        row,
      });
      return;
    }
    const choice = chooseLog(readdirSync(path));
    if (choice === undefined) return;
    const log = join(path, choice.name);
    if ('kind' in choice) {
      into.skips.push({
        path: log,
        ...sessionIdOf(place),
        kind: choice.kind,
        message: `the session ${choice.why}`,
      });
    } else {
      const { isCompressed, version } = choice;
      into.logs.push({
        path: log,
        isCompressed,
        nameVersion: version,
        place,
        ...(directory && { directory }),
      });
    }
  } catch (error) {
    if (!isAbsence(error)) into.skips.push(unlistedSkip(place, error));
  }
}

function directoryOf(place: HarnessPlace): string {
  // Plain joining: these three are names as listed, and there can be very many.
  return `${place.parent}${sep}${place.project}${sep}${place.segment}`;
}

/** The id that the directory's name stands for, where it is one's. */
function sessionIdOf(place: HarnessPlace): { sessionId?: string } {
  const sessionId = decodeIdSegment(place.segment);
  return sessionId === undefined ? {} : { sessionId };
}

function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(reasonOf(error));
}

function unlistedSkip(place: HarnessPlace, error: unknown): Skip {
  const message = `the session directory cannot be listed: ${reasonOf(error)}`;
  return { path: directoryOf(place), ...sessionIdOf(place), kind: 'unreadable', message };
}

function linkSkip(path: string): Skip {
  return { path, kind: 'stray', message: 'a link stands where a directory is due; links are not followed' };
}

function looseSkip(path: string): Skip {
  return {
    path,
    kind: 'stray',
    message: 'a log lies loose in a project directory, where only session directories count',
  };
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
