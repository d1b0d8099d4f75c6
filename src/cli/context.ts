/** What a command works with: the task, the common options, and the library opened on the chosen roots. */

import type { SessionStore, SessionStoreOptions } from '../store.ts';
import type { CommonOptions } from './common.ts';
import type { Task } from './perform.ts';
import { chooseIndex, type Place } from './places.ts';
import { absolutePath, type ChosenRoots, chooseRoots, workingDirectory } from './roots.ts';

export interface CommandContext {
  readonly task: Task;
  readonly common: CommonOptions;
}

/** An open library, and why it looks where it looks. */
export interface OpenedStore {
  readonly store: SessionStore;
  readonly roots: ChosenRoots;
}

/** Opens the library on the chosen roots, does `use`, and closes it whatever happens. `more` may depend on them. */
export async function withStore<T>(
  context: CommandContext,
  use: (opened: OpenedStore) => Promise<T>,
  more: (roots: ChosenRoots) => Partial<SessionStoreOptions> = () => ({}),
): Promise<T> {
  const { io } = context.task;
  const roots = chooseRoots(io, context.common.root);
  detail(context, `root ${roots.paths.map((path) => JSON.stringify(path)).join(', ')} (${roots.reason})`);
  const index = chooseIndex(io, context.common, roots.paths);
  tellUnused(context, 'no index is kept', index);
  const store = await io.openStore({
    roots: roots.paths,
    ...(index.whyNot === undefined && index.directory !== undefined
      ? { indexDir: index.directory }
      : { index: false }),
    ...more(roots),
  });
  try {
    return await use({ store, roots });
  } finally {
    await store.close();
  }
}

/** The asking session: `--self` in any form, else `DSH_SESSION_ID` as it is, else unknown. */
export async function findSelf(context: CommandContext, store: SessionStore): Promise<string | undefined> {
  const { self } = context.common;
  if (self === undefined) {
    const id = context.task.io.env.DSH_SESSION_ID;
    return id === undefined || id.trim() === '' ? undefined : id;
  }
  const { nameSession } = await import('./sessions.ts');
  return (await nameSession(store, self, context.task.signal)).sessionId;
}

/** The asking session's directory: `--cwd`, else the process's own; unknown when that has been removed. */
export function findCwd(context: CommandContext): string | undefined {
  const { cwd } = context.common;
  return cwd === undefined ? workingDirectory(context.task.io) : absolutePath(context.task.io, cwd);
}

/** Says why a place is not used: aloud where it was asked for, else under `-v`. */
export function tellUnused(context: CommandContext, what: string, { whyNot, isNamed }: Place): void {
  if (whyNot === undefined) return;
  const sentence = `${what}: ${whyNot}`;
  if (isNamed) notice(context, sentence);
  else detail(context, sentence);
}

/** A sentence for people on standard error, unless `-q` was given. */
export function notice(context: CommandContext, sentence: string): void {
  if (context.common.quiet !== true) context.task.notices.push(sentence);
}

/** A notice that only `-v` asks for. */
export function detail(context: CommandContext, sentence: string): void {
  if (context.common.verbose === true) notice(context, sentence);
}
