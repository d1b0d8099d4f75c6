import { rmSync } from 'node:fs';
import type { Command } from 'commander';
import { countIndexed, indexFiles } from '../../catalog/index-files.ts';
import { type CommandContext, notice, withStore } from '../context.ts';
import { CliError, UsageError } from '../exit.ts';
import { fetchCandidates } from '../fetch-candidates.ts';
import { jsonDocument } from '../output/json.ts';
import { printable } from '../output/printable.ts';
import { chooseIndex, type Place } from '../places.ts';
import { chooseRoots } from '../roots.ts';
import type { Configure } from './index.ts';

export const configure: Configure = (command, invoke) => {
  command
    .description(
      'Titles and directories remembered from logs, so that lists are quick. It can go at any time: without it\n' +
        'every answer is the same. Text on a terminal, else JSON.',
    )
    .addHelpText('after', '\nExample:\n  dsh-ref index status');
  const actions = [
    ['status', 'Where it lies, whether it is used, and how much it knows.', status],
    ['refresh', 'Reads every log that it does not know yet.', refresh],
    ['clear', 'Removes its files, and nothing else.', clear],
  ] as const;
  for (const [name, description, run] of actions) {
    command
      .command(name)
      .description(description)
      .addHelpText(
        'after',
        `\nExample:\n  dsh-ref index ${name} --root fixtures/logs/basic-zstd --index-dir /tmp/dsh-ref-index`,
      )
      .action((_options: object, leaf: Command) => invoke(leaf, run));
  }
};

/** `index status`. */
export async function status(context: CommandContext): Promise<string> {
  const { directory, whyNot } = placeOf(context);
  const contents = await readContents(directory);
  return answer(
    context,
    { directory: directory ?? null, enabled: whyNot === undefined, reason: whyNot ?? null, ...contents },
    [
      `directory: ${directory ?? 'none'}`,
      `in use: ${whyNot === undefined ? 'yes' : `no, ${whyNot}`}`,
      `files: ${contents.files} (${contents.bytes} bytes)`,
      `sessions known: ${contents.sessions}`,
    ],
  );
}

/** `index refresh`. */
export async function refresh(context: CommandContext): Promise<string> {
  const { directory, whyNot, remedy } = placeOf(context);
  if (directory === undefined || whyNot !== undefined) {
    throw new UsageError(`there is no index to refresh: ${whyNot}`, { remedy });
  }
  const list = await withStore(context, ({ store }) =>
    fetchCandidates(context, store, { limit: Number.MAX_SAFE_INTEGER }),
  );
  const contents = await readContents(directory);
  if (contents.sessions === 0 && list.seen > 0) {
    const where = JSON.stringify(directory);
    notice(
      context,
      `nothing could be written to ${where}: it has to be a directory that nobody else can write to`,
    );
  }
  const unreadable = list.candidates.filter((candidate) => candidate.unreadable !== undefined).length;
  const skipped = list.skipped.length;
  return answer(context, { directory, read: list.seen, unreadable, skipped, ...contents }, [
    `sessions: ${list.seen}, ${unreadable} of them unreadable, ${skipped} more skipped`,
    `sessions known: ${contents.sessions}, in ${contents.files} files (${contents.bytes} bytes) in ${directory}`,
  ]);
}

/** `index clear`; also where the index is turned off. */
export async function clear(context: CommandContext): Promise<string> {
  const { directory, whyNot, remedy } = placeOf(context, { evenIfOff: true });
  if (directory === undefined || whyNot !== undefined) {
    throw new UsageError(`there is no index to clear: ${whyNot}`, { remedy });
  }
  const files = indexFiles(directory);
  for (const { path } of files) removeFile(path);
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return answer(context, { directory, removed: files.length, bytes }, [
    `${files.length} files removed (${bytes} bytes) from ${directory}`,
  ]);
}

function placeOf({ task, common }: CommandContext, options: { readonly evenIfOff?: boolean } = {}): Place {
  const { paths } = chooseRoots(task.io, common.root);
  return chooseIndex(task.io, options.evenIfOff === true ? { ...common, index: true } : common, paths);
}

async function readContents(
  directory: string | undefined,
): Promise<{ files: number; bytes: number; sessions: number }> {
  if (directory === undefined) return { files: 0, bytes: 0, sessions: 0 };
  const files = indexFiles(directory);
  return {
    files: files.length,
    bytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    sessions: countIndexed(directory),
  };
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('DSH_REF_INPUT_FAILED', `${JSON.stringify(path)} cannot be removed: ${why}`, {
      remedy: 'check the permissions of its directory',
      cause,
    });
  }
}

function answer({ task }: CommandContext, value: object, lines: readonly string[]): string {
  const { stdout } = task.io;
  if (!stdout.isTTY) return jsonDocument({ schemaVersion: 1, ...value }, stdout);
  return lines.map((line) => `${printable(line)}\n`).join('');
}
