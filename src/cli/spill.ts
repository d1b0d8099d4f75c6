/** Full transcripts of shortened snapshots: where they go, and the room for them opened only when one is kept. */

import type { LocalSpill, SpillStore } from '../spill/local.ts';
import { type CommandContext, detail, notice, tellUnused } from './context.ts';
import { chooseSpill } from './places.ts';

export interface SpillFlags {
  /** False by `--no-spill`. */
  readonly spill?: boolean;
  readonly spillDir?: string;
  readonly spillKeepDays?: number;
}

/** A place for texts that costs nothing until the first one comes. */
export interface LazySpill extends SpillStore {
  /** Waits for the cleanup that the first text began. */
  close(): Promise<void>;
}

/** The place that `flags` and the environment name; nothing where none is to be used. */
export function openSpill(
  context: CommandContext,
  flags: SpillFlags,
  roots: readonly string[],
): LazySpill | undefined {
  if (flags.spill === false) return undefined;
  const { io, signal } = context.task;
  const place = chooseSpill(io, flags.spillDir, roots);
  tellUnused(context, 'full texts are not kept', place);
  const { directory, whyNot } = place;
  if (directory === undefined || whyNot !== undefined) return undefined;
  let opening: Promise<LocalSpill> | undefined;
  const open = async (): Promise<LocalSpill> => {
    const { openLocalSpill } = await import('../spill/local.ts');
    return openLocalSpill({
      rootDir: directory,
      ...(flags.spillKeepDays === undefined ? {} : { keepDays: flags.spillKeepDays }),
      clock: io.now,
      onWarning: ({ path, message }) =>
        detail(context, `old texts in ${JSON.stringify(path)} were left: ${message}`),
      signal,
    });
  };
  return {
    saveText: async (request, options) => {
      opening ??= open();
      return (await opening).saveText(request, options);
    },
    close: async () => (await opening)?.close(),
  };
}

/** Counts texts that could not be kept, and says so once for each reason. */
export class SaveFailures {
  readonly #counts = new Map<string, number>();

  readonly add = (_sessionId: string, error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  };

  tell(context: CommandContext): void {
    for (const [reason, count] of this.#counts) {
      const what = count === 1 ? 'the full text of a snapshot' : `the full text of ${count} snapshots`;
      notice(context, `${what} could not be kept (${reason}); the preview is complete all the same`);
    }
  }
}
