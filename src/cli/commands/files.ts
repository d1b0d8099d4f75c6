import { accessSync, constants, statSync } from 'node:fs';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { FileReference } from '../../files/file-reference.ts';
import { listFileReferences } from '../../files/list.ts';
import { DEFAULT_EXCLUDED_DIRECTORIES, DEFAULT_MAX_RESULTS } from '../../files/settings.ts';
import { collectNonBlank, parsePositiveCount } from '../args.ts';
import { type CommandContext, findCwd, notice } from '../context.ts';
import { CliError, codeOf, UsageError } from '../exit.ts';
import { FILE_FORMATS, type FileFormat, renderFiles } from '../output/files.ts';
import type { Configure } from './index.ts';

export interface FilesFlags {
  readonly limit?: number;
  readonly maxEntries?: number;
  readonly exclude?: readonly string[];
  readonly gitignore?: boolean;
  readonly format?: FileFormat;
  readonly json?: boolean;
  readonly null?: boolean;
}

export const configure: Configure = (command, invoke) => {
  command
    .description(
      'Paths below --cwd that may follow @ in a message, best first.\n' +
        'An empty query, or one with a /, lists a directory; any other searches the tree.',
    )
    .addOption(
      new Option('--limit <n>', `at most so many (default: ${DEFAULT_MAX_RESULTS})`).argParser(
        parsePositiveCount,
      ),
    )
    .addOption(
      new Option('--max-entries <n>', 'look at so many files and directories (default: 50000)').argParser(
        parsePositiveCount,
      ),
    )
    .addOption(
      new Option(
        '--exclude <name>',
        'directories of this name too, besides .git, node_modules and the like; may be repeated',
      ).argParser(collectNonBlank),
    )
    .option('--gitignore', 'leave out what the .gitignore files say')
    .addOption(
      new Option('--format <format>', 'default: table on a terminal, else ndjson').choices([...FILE_FORMATS]),
    )
    .option('--json', 'the same as --format json')
    .option('-0, --null', 'end records with NUL in place of a line feed (path, mention)')
    .addHelpText('after', '\nExample:\n  dsh-ref files session --cwd fixtures/logs')
    .action((query: string | undefined, flags: FilesFlags, files: Command) =>
      invoke(files, (context) => run(query ?? '', flags, context)),
    );
};

/** The paths in the form asked for; what was cut or cannot be written is told on standard error. */
export async function run(query: string, flags: FilesFlags, context: CommandContext): Promise<string> {
  const { io } = context.task;
  const format = chooseFormat(flags, io.stdout.isTTY === true);
  const cwd = findListableCwd(context);
  const limit = flags.limit ?? DEFAULT_MAX_RESULTS;
  // One more tells whether something was cut.
  const maxResults = Math.min(limit + 1, Number.MAX_SAFE_INTEGER);
  const found = await search(cwd, query, { ...flags, limit: maxResults }, context);
  const candidates = found.slice(0, limit);
  if (found.length > limit) notice(context, `more than ${limit} match: raise --limit or narrow the query`);
  if (found.length === 0) {
    const what = query === '' ? 'nothing to offer' : `nothing matches ${JSON.stringify(query)}`;
    notice(context, `${what} below ${JSON.stringify(cwd)}`);
  }
  return renderFiles(
    { cwd, query, candidates, hasMore: found.length > limit },
    {
      format,
      isNulEnded: flags.null === true,
      color: context.common.color,
      io,
      notice: (sentence) => notice(context, sentence),
    },
  );
}

async function search(
  cwd: string,
  query: string,
  { limit, maxEntries, exclude, gitignore }: FilesFlags & { readonly limit: number },
  { task }: CommandContext,
): Promise<readonly FileReference[]> {
  try {
    return await listFileReferences({
      cwd,
      query,
      maxResults: limit,
      ...(maxEntries === undefined ? {} : { maxEntries }),
      excludedDirectories: [...DEFAULT_EXCLUDED_DIRECTORIES, ...(exclude ?? [])],
      gitignore: gitignore === true,
      signal: task.signal,
    });
  } catch (error) {
    if (isSystemError(error)) throw unlistable(cwd, error);
    throw error;
  }
}

function chooseFormat(flags: FilesFlags, isTerminal: boolean): FileFormat {
  if (flags.json === true && flags.format !== undefined && flags.format !== 'json') {
    throw new UsageError(`--json and --format ${flags.format} exclude each other`);
  }
  const format = flags.json === true ? 'json' : (flags.format ?? (isTerminal ? 'table' : 'ndjson'));
  if (flags.null === true && format !== 'path' && format !== 'mention') {
    throw new UsageError('-0 goes with --format path or mention');
  }
  return format;
}

/** The asking directory. A directory that cannot be listed is an error here, as an empty answer would not say why. */
function findListableCwd(context: CommandContext): string {
  const cwd = findCwd(context);
  if (cwd === undefined) {
    throw new CliError('DSH_REF_INPUT_FAILED', 'the current directory has been removed', {
      remedy: 'name one with --cwd',
    });
  }
  try {
    if (statSync(cwd).isDirectory()) {
      accessSync(cwd, constants.R_OK | constants.X_OK);
      return cwd;
    }
  } catch (cause) {
    throw unlistable(cwd, cause);
  }
  throw new CliError('DSH_REF_INPUT_FAILED', `${JSON.stringify(cwd)} is not a directory`, {
    remedy: 'name one with --cwd',
  });
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function unlistable(cwd: string, cause: unknown): CliError {
  const shown = JSON.stringify(cwd);
  const code = codeOf(cause);
  const why = code === 'ENOENT' ? 'does not exist' : `cannot be listed (${code ?? String(cause)})`;
  return new CliError('DSH_REF_INPUT_FAILED', `the directory ${shown} ${why}`, {
    remedy: 'check --cwd and its permissions',
    cause,
  });
}
