/** Plain piles of logs: any `*.jsonl` or `*.jsonl.zstd` below a root that is not inside a project directory. */
import { type Dirent, type PathLike, readdir } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fastGlob from 'fast-glob';
import { reasonOf } from '../log/reason.ts';
import { chooseLog, type FoundLog, type Skip } from './found-log.ts';
import { isProjectDirectory, parseLogName } from './names.ts';

export interface Pile {
  readonly logs: FoundLog[];
  readonly skips: Skip[];
  /** Project directories of the harness layout further down; they are not globbed. */
  readonly projectDirectories: string[];
}

/** Globs `root`; directories that cannot be listed become skips. `onStep` may throw to stop. */
export async function discoverPile(root: string, onStep: () => void): Promise<Pile> {
  const pile: Pile = { logs: [], skips: [], projectDirectories: [] };
  const namesByDirectory = new Map<string, string[]>();
  const entries = fastGlob.stream(['**/*.jsonl', '**/*.jsonl.zstd'], {
    cwd: root,
    dot: true,
    // A link to a log is a log; what it points to is looked at when it is opened.
    onlyFiles: false,
    followSymbolicLinks: false,
    objectMode: true,
    fs: { readdir: readdirOfPile(root, pile) },
  }) as AsyncIterable<unknown>;
  for await (const item of entries) {
    onStep();
    const { path, dirent } = item as { path: string; dirent: Dirent };
    if (!dirent.isDirectory()) addName(namesByDirectory, join(root, path));
  }
  for (const directory of [...namesByDirectory.keys()].sort()) {
    addDirectory(pile, { root, directory, names: namesByDirectory.get(directory)!.sort() });
  }
  pile.projectDirectories.sort();
  return pile;
}

function addName(namesByDirectory: Map<string, string[]>, path: string): void {
  const names = namesByDirectory.get(dirname(path));
  if (names === undefined) namesByDirectory.set(dirname(path), [basename(path)]);
  else names.push(basename(path));
}

interface PileDirectory {
  readonly root: string;
  readonly directory: string;
  readonly names: readonly string[];
}

/** Canonical names in one directory are generations of one session; every other log stands for itself. */
function addDirectory(pile: Pile, { root, directory, names }: PileDirectory): void {
  const choice = chooseLog(names);
  if (choice !== undefined) {
    const path = join(directory, choice.name);
    if ('kind' in choice) pile.skips.push({ path, kind: choice.kind, message: `the session ${choice.why}` });
    else {
      const { isCompressed, version } = choice;
      pile.logs.push({ path, isCompressed, nameVersion: version, place: undefined, pileRoot: root });
    }
  }
  for (const name of names) {
    if (parseLogName(name) !== undefined) continue;
    const isCompressed = name.endsWith('.zstd');
    const path = join(directory, name);
    pile.logs.push({ path, isCompressed, nameVersion: undefined, place: undefined, pileRoot: root });
  }
}

type ReaddirCallback = (error: NodeJS.ErrnoException | null, entries: Dirent[]) => void;

/**
 * Lists a directory for the glob: one that cannot be listed is a skip and the walk goes on; project directories
 * are taken out and noted, but for those in the root itself, which the caller walks.
 */
function readdirOfPile(root: string, pile: Pile) {
  // The glob spells a backslash in the root as a slash, which elsewhere than on Windows is another folder.
  const spelledRoot = root.replaceAll('\\', '/');
  const list = (spelled: PathLike, options: { withFileTypes: true }, callback: ReaddirCallback) => {
    const path = root + String(spelled).slice(spelledRoot.length);
    readdir(path, options, (error, entries) => {
      if (error === null) callback(null, withoutProjects(root, path, entries, pile));
      else {
        const reason = reasonOf(error);
        const message = `the directory cannot be listed: ${reason}`;
        if (reason !== 'ENOENT') pile.skips.push({ path, kind: 'unreadable', message });
        callback(null, []);
      }
    });
  };
  return list as unknown as typeof readdir;
}

function withoutProjects(root: string, directory: string, entries: Dirent[], pile: Pile): Dirent[] {
  return entries.filter((entry) => {
    if (!isProjectDirectory(entry.name) || !entry.isDirectory()) return true;
    if (join(directory) !== root) pile.projectDirectories.push(join(directory, entry.name));
    return false;
  });
}
