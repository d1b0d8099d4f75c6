/**
 * Which logs lie below a root: the harness layout by our own walk, plain piles by globbing. Names only; no log
 * is opened, no link to a directory is followed, no path from a log is used.
 */
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { SessionLogError, type SessionLogErrorCode } from '../errors.ts';
import { reasonOf } from '../log/reason.ts';
import { dueTurn } from '../turn.ts';
import { KnownEntry, KnownProject } from './entry.ts';
import { chooseLog, type FoundLog, type HarnessPlace, type Skip } from './found-log.ts';
import type { IndexRow } from './index-row.ts';
import { decodeIdSegment, isProjectDirectory } from './names.ts';
import { revisionOf, statAt } from './revision.ts';
import type { ListedProject, SessionIndex } from './session-index.ts';

export interface Discovery {
  readonly logs: FoundLog[];
  /** Sessions whose log is as the index knows it, of projects that had to be listed. */
  readonly known: KnownEntry[];
  /** Such sessions of projects that had not. */
  readonly knownProjects: KnownProject[];
  readonly skips: Skip[];
  /** The projects of the only root, where none of them had to be listed, and it holds nothing else. */
  readonly listed?: readonly ListedProject[] | undefined;
}

type Project = Pick<HarnessPlace, 'parent' | 'project'>;

export interface DiscoverOptions {
  /** Only the session directory of this name in each project; piles are always searched whole. */
  readonly segment?: string;
  /** Called between directories; throws to stop. */
  readonly onStep: () => void;
  /** Knows the session directories and logs that have not changed. */
  readonly index?: SessionIndex | undefined;
}

/**
 * Finds the logs below `roots`. A root that does not exist is an empty one; the same file reached through two
 * roots counts once, as the first of them has it. Errors: SESSION_ROOT_NOT_DIRECTORY, SESSION_ROOT_UNREADABLE.
 */
export async function discoverLogs(roots: readonly string[], options: DiscoverOptions): Promise<Discovery> {
  const found = new Map<string, Findings>();
  for (const root of roots) {
    const real = realRoot(root);
    if (real === undefined || found.has(real)) continue;
    const findings = newFindings();
    found.set(real, findings);
    await discoverRoot(real, options, findings);
  }
  const all = [...found.values()];
  await lookAtListed(all, options);
  const [only, ...others] = all;
  if (only === undefined || others.length > 0) return withoutRepeatedPaths(all);
  const { logs, known, knownProjects, skips, projects, isAllListed } = only;
  return { logs, known, knownProjects, skips, listed: isAllListed ? projects : undefined };
}

/** What is being found below one root. */
interface Findings extends Omit<Discovery, 'listed'> {
  readonly projects: SeenProject[];
  /** False once a project directory had to be listed, or a pile. */
  isAllListed: boolean;
}

function newFindings(): Findings {
  return { logs: [], known: [], knownProjects: [], skips: [], projects: [], isAllListed: true };
}

/** A project directory that is as the index knows it: only its sessions are still to be looked at. */
interface SeenProject extends ListedProject {
  readonly seenMs: number;
}

/** A project directory whose sessions are being looked at. */
interface LookedAtProject extends SeenProject {
  /** Of the paths of its session directories. */
  readonly prefix: string;
  readonly known: KnownProject;
  /** Where what has changed is told. */
  readonly into: Findings;
}

/** Looks at every session of the projects in `found`, together with a second thread where the process stays. */
async function lookAtListed(found: readonly Findings[], { index, onStep }: DiscoverOptions): Promise<void> {
  const looking = found.flatMap((into) => into.projects.map((listed) => lookingAt(listed, into)));
  const rowCount = looking.reduce((count, { rows }) => count + rows.length, 0);
  const thread = await index?.lookThread(rowCount);
  const looks = thread?.begin(looking.map(({ project, rows }) => ({ directory: pathOf(project), rows })));
  if (looks === undefined) {
    for (const project of looking) {
      const turn = dueTurn();
      if (turn !== undefined) await turn;
      onStep();
      lookAtRows(project, 0, project.rows.length);
    }
  } else {
    for (let part = looks.take(); part !== undefined; part = looks.take()) {
      const turn = dueTurn();
      if (turn !== undefined) await turn;
      onStep();
      lookAtRows(looking[part.project]!, part.from, part.to);
    }
    for (const { project, from, to, first } of looks.taken()) {
      for (let at = from; at < to; at += 1) {
        if (!looks.isSame(first + at - from)) lookAtRows(looking[project]!, at, at + 1);
      }
    }
  }
  for (const { project, seenMs, others, known, into } of looking) {
    into.knownProjects.push(known);
    for (const segment of others) visitSession(project, segment, { seenMs }, into);
  }
}

function lookingAt(listed: SeenProject, into: Findings): LookedAtProject {
  const { project, seenMs, rows } = listed;
  const known = new KnownProject({ ...project, seenMs }, rows);
  return { ...listed, prefix: pathOf(project) + sep, known, into };
}

/** Looks at the sessions of the rows from `from` on, not at `to`. */
function lookAtRows(
  { project, seenMs, rows, prefix, known, into }: LookedAtProject,
  from: number,
  to: number,
): void {
  const { keys } = rows;
  for (let at = from; at < to; at += 1) {
    const key = keys[at]!;
    const path = prefix + key;
    // The directory first: which log counts hangs on it.
    const directory = statAt(path);
    if (directory !== undefined && rows.isOfDirectory(at, directory)) {
      const log = statAt(path + sep + rows.logName(at));
      if (log !== undefined && rows.isOfLog(at, log)) continue;
    }
    known.isChangedAt(at);
    visitSession(project, key, { row: rows.row(at), seenMs }, into);
  }
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

/** Roots may lie inside one another. What of a path the first of them says counts, whether the index knows it or not. */
function withoutRepeatedPaths(found: readonly Findings[]): Discovery {
  const discovery: Discovery = { logs: [], known: [], knownProjects: [], skips: [] };
  const paths = new Set<string>();
  const skipPaths = new Set<string>();
  for (const { logs, known, knownProjects, skips } of found) {
    const entries = [...known, ...knownProjects.flatMap((project) => project.entries())];
    addNew(logs, ({ path }) => path, paths, discovery.logs);
    addNew(entries, ({ log }) => log.path, paths, discovery.known);
    addNew(skips, ({ path }) => path, skipPaths, discovery.skips);
  }
  return discovery;
}

/** Adds to `list` those of `entries` whose path is not among `paths` yet. */
function addNew<T>(entries: readonly T[], pathOf: (entry: T) => string, paths: Set<string>, list: T[]): void {
  for (const entry of entries) {
    const path = pathOf(entry);
    if (paths.has(path)) continue;
    paths.add(path);
    list.push(entry);
  }
}

async function discoverRoot(root: string, options: DiscoverOptions, into: Findings): Promise<void> {
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
  const projects: string[] = [];
  for (const entry of entries.sort(byName)) {
    if (isProjectDirectory(entry.name) && entry.isDirectory()) {
      projects.push(entry.name);
      walkProject({ parent: root, project: entry.name }, options, into);
    } else if (isProjectDirectory(entry.name) && entry.isSymbolicLink()) {
      into.skips.push(linkSkip(join(root, entry.name)));
    } else {
      hasPile ||= entry.isDirectory() || isLogFileName(entry.name);
    }
  }
  options.index?.sawAll(root, projects);
  if (!hasPile) return;
  into.isAllListed = false;
  // Loaded here, since the harness layout does not need it.
  const { discoverPile } = await import('./pile.ts');
  const seenMs = options.index?.now();
  const pile = await discoverPile(root, options.onStep);
  for (const skip of pile.skips) into.skips.push(skip);
  for (const log of pile.logs) into.logs.push({ ...log, seenMs });
  const paths = pile.logs.map((log) => log.path);
  options.index?.shard({ parent: root, project: '' }).listed(paths, undefined);
  for (const directory of pile.projectDirectories) {
    walkProject({ parent: dirname(directory), project: basename(directory) }, options, into);
  }
}

/** `*.jsonl` and `*.jsonl.zstd`: what may be a log in a pile. */
function isLogFileName(name: string): boolean {
  return name.endsWith('.jsonl') || name.endsWith('.jsonl.zstd');
}

function walkProject(
  project: Project,
  options: DiscoverOptions,
  into: Findings,
  onUnreadable?: (path: string, error: unknown) => Error,
): void {
  options.onStep();
  const path = pathOf(project);
  if (options.segment !== undefined) {
    into.isAllListed = false;
    findSegment({ ...project, segment: options.segment }, into);
    return;
  }
  const shard = options.index?.shard(project);
  // Before anything is looked at: what is changed meanwhile then counts as changed.
  const seenMs = options.index?.now();
  const directory = shard && statAt(path);
  const listing = directory && shard?.listingOf(directory);
  if (listing !== undefined && seenMs !== undefined) {
    into.projects.push({ project, seenMs, ...listing });
    return;
  }
  into.isAllListed = false;
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
  const segments: string[] = [];
  let hasOther = false;
  for (const entry of entries.sort(byName)) {
    if (entry.isDirectory()) {
      segments.push(entry.name);
      options.onStep();
      visitSession(project, entry.name, { row: shard?.row(entry.name), seenMs }, into);
    } else {
      hasOther = true;
      if (entry.isSymbolicLink()) into.skips.push(linkSkip(join(path, entry.name)));
      else if (isLogFileName(entry.name)) into.skips.push(looseSkip(join(path, entry.name)));
    }
  }
  const isWhole = directory !== undefined && seenMs !== undefined && !hasOther;
  shard?.listed(segments, isWhole ? { revision: revisionOf(directory), seenMs } : undefined);
}

/** Looks for one session directory of a project; a link in its place is named, not followed. */
function findSegment(place: HarnessPlace, into: Findings): void {
  const directory = directoryOf(place);
  try {
    // An error for each project that does not have the session would take longer than the look.
    const stat = lstatSync(directory, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.isDirectory()) visitSession(place, place.segment, {}, into);
    else if (stat.isSymbolicLink()) into.skips.push({ ...linkSkip(directory), ...sessionIdOf(place) });
  } catch (error) {
    if (isAbsence(error)) return;
    // The project cannot be searched: whether the session is there nobody knows.
    const message = `the project directory cannot be searched: ${reasonOf(error)}`;
    into.skips.push({ path: dirname(directory), kind: 'unreadable', message });
  }
}

/** What the index has of a session directory, and when the walk came to its project; neither without an index. */
interface Indexed {
  readonly row?: IndexRow | undefined;
  readonly seenMs?: number | undefined;
}

/** Looks at one session directory. One that is gone, or holds no log, is not a session. */
function visitSession(project: Project, segment: string, { row, seenMs }: Indexed, into: Findings): void {
  const path = pathOf(project) + sep + segment;
  try {
    const stat = seenMs === undefined ? undefined : statSync(path);
    if (stat !== undefined && row?.isOfDirectory(stat)) {
      // Whatever is wrong with a log, opening it will say.
      const log = statAt(path + sep + row.logName);
      const known = new KnownEntry(row, { ...project, seenMs: seenMs! });
      if (log !== undefined && row.isOfLog(log)) into.known.push(known);
      else into.logs.push(known.log);
      return;
    }
    const choice = chooseLog(readdirSync(path));
    if (choice === undefined) return;
    const { parent, project: projectName } = project;
    const place = { parent, project: projectName, segment };
    if ('kind' in choice) {
      const message = `the session ${choice.why}`;
      into.skips.push({
        path: join(path, choice.name),
        ...sessionIdOf(place),
        kind: choice.kind,
        message,
      });
    } else {
      const { name, version: nameVersion, isCompressed } = choice;
      const directory = stat && revisionOf(stat);
      // Objects put together out of others each have a description of their own, as large as they are.
      into.logs.push({ path: path + sep + name, isCompressed, nameVersion, place, directory, seenMs });
    }
  } catch (error) {
    if (!isAbsence(error)) into.skips.push(unlistedSkip({ ...project, segment }, error));
  }
}

// Plain joining: these are names as listed, and there can be very many.
function pathOf({ parent, project }: Project): string {
  return `${parent}${sep}${project}`;
}

function directoryOf(place: HarnessPlace): string {
  return `${pathOf(place)}${sep}${place.segment}`;
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
