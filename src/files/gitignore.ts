import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import type createIgnore from 'ignore';
import type { Ignore, TestResult } from 'ignore';

const MAX_GITIGNORE_BYTES = 1 << 20;

// A fifth star in one segment is never needed and makes matching a hostile name take for ever.
const COSTLY_PATTERN = /(?:\*[^*/]*){5}/;

/** The rules of one `.gitignore`, seen from a directory at or below it. */
interface Layer {
  readonly rules: Ignore;
  /** From the directory of the `.gitignore` to the one in question: empty, or ends in `/`. */
  readonly prefix: string;
}

/** What the `.gitignore` files from the top of the repository downwards say about one directory's entries. */
export interface IgnoreScope {
  /** True when git would leave this entry of the directory out. */
  ignores(name: string, isDirectory: boolean): boolean;
  /** The scope of the directory `name` below this one. */
  descend(name: string): Promise<IgnoreScope>;
}

/**
 * The scope of `root`: its own `.gitignore` and those above it up to the enclosing repository, if there
 * is one. Rules that ignore `root` itself are dropped, since somebody asked for it by name. Only regular
 * files of at most 1 MiB count as `.gitignore`; whatever else stands there is as good as none.
 *
 * @param root - absolute
 */
export async function openIgnoreScope(root: string): Promise<IgnoreScope> {
  const { default: create } = await import('ignore');
  const top = (await findRepositoryTop(root)) ?? root;
  const load = (directory: string) => loadRules(directory, create);
  let scope = scopeOf(top, await layersAt(top, [], load), load);
  for (const name of relative(top, root).split(sep)) {
    if (name !== '') scope = await scope.descend(name);
  }
  return scope;
}

type RulesLoader = (directory: string) => Promise<Ignore | undefined>;

function scopeOf(directory: string, layers: readonly Layer[], load: RulesLoader): IgnoreScope {
  return {
    ignores: (name, isDirectory) => isIgnored(layers, isDirectory ? `${name}/` : name),
    descend: async (name) => {
      const below = layers.map(({ rules, prefix }) => ({ rules, prefix: `${prefix}${name}/` }));
      const path = join(directory, name);
      return scopeOf(path, await layersAt(path, below, load), load);
    },
  };
}

/** Deepest first: a nearer `.gitignore` overrules those above it. */
async function layersAt(directory: string, above: readonly Layer[], load: RulesLoader): Promise<Layer[]> {
  // A layer that ignores this directory was overruled on the way here; it would now ignore all below.
  const layers = above.filter(({ rules, prefix }) => !verdict(rules, prefix).ignored);
  const own = await load(directory);
  return own === undefined ? layers : [{ rules: own, prefix: '' }, ...layers];
}

function isIgnored(layers: readonly Layer[], name: string): boolean {
  for (const { rules, prefix } of layers) {
    const { ignored, unignored } = verdict(rules, prefix + name);
    if (ignored || unignored) return ignored;
  }
  return false;
}

function verdict(rules: Ignore, path: string): TestResult {
  try {
    return rules.test(path);
  } catch {
    // A pattern or a path the library cannot digest decides nothing.
    return { ignored: false, unignored: false };
  }
}

async function loadRules(directory: string, create: typeof createIgnore): Promise<Ignore | undefined> {
  const text = await readGitignore(join(directory, '.gitignore'));
  if (text === undefined) return undefined;
  const patterns = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const system = platform();
  const rules = create({ ignorecase: system === 'win32' || system === 'darwin' });
  return rules.add(patterns.filter((pattern) => !COSTLY_PATTERN.test(pattern)).join('\n'));
}

async function readGitignore(path: string): Promise<string | undefined> {
  // Without O_NONBLOCK a pipe of that name would hold the search up for ever.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(() => undefined);
  try {
    const info = await file?.stat();
    if (!info?.isFile() || info.size > MAX_GITIGNORE_BYTES) return undefined;
    return await file?.readFile('utf8');
  } catch {
    // Unreadable is as good as missing: no rules from here.
    return undefined;
  } finally {
    await file?.close();
  }
}

async function findRepositoryTop(root: string): Promise<string | undefined> {
  for (let path = root; ; path = dirname(path)) {
    const isTop = await lstat(join(path, '.git')).then(
      (info) => info.isDirectory() || info.isFile(),
      () => false,
    );
    if (isTop) return path;
    if (path === dirname(path)) return undefined;
  }
}
