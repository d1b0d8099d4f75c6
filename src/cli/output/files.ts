/** The forms of a list of paths. Each gives the whole text of standard output. */

import type { FileReference } from '../../files/file-reference.ts';
import { formatFileMention } from '../../files/mention.ts';
import type { Io } from '../io.ts';
import type { Palette } from './colour.ts';
import { jsonDocument, jsonLines } from './json.ts';
import { hasControl, isPrintable, printable } from './printable.ts';
import { padEnd, terminalWidth, truncateStart } from './width.ts';

export const FILE_FORMATS = ['table', 'ndjson', 'json', 'path', 'mention'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** Paths and the question that they answer. */
export interface FileListing {
  readonly cwd: string;
  readonly query: string;
  readonly candidates: readonly FileReference[];
  readonly hasMore: boolean;
}

export interface FileRenderOptions {
  readonly format: FileFormat;
  /** NUL in place of the line feed that ends a record. */
  readonly isNulEnded: boolean;
  /** `--color` or `--no-color`, when given. */
  readonly color: boolean | undefined;
  readonly io: Io;
  readonly notice: (sentence: string) => void;
}

const KIND_WIDTH = 'directory'.length;

/** The text of `listing` in the form asked for. */
export async function renderFiles(listing: FileListing, options: FileRenderOptions): Promise<string> {
  const { candidates } = listing;
  const { stdout } = options.io;
  switch (options.format) {
    case 'table': {
      const { loadPalette } = await import('./colour.ts');
      return table(candidates, options.io, await loadPalette(options.io, options.color));
    }
    case 'ndjson':
      return jsonLines(candidates, stdout);
    case 'json': {
      const { cwd, query, hasMore } = listing;
      const returned = candidates.length;
      return jsonDocument({ schemaVersion: 1, cwd, query, returned, hasMore, candidates }, stdout);
    }
    case 'path':
      return records(
        candidates.map(({ path }) => path),
        options,
      );
    case 'mention':
      return records(
        candidates.map((candidate) => formatFileMention(candidate)),
        options,
      );
  }
}

function table(candidates: readonly FileReference[], io: Io, palette: Palette): string {
  if (candidates.length === 0) return '';
  const width = Math.max(1, terminalWidth(io.stdout, io.env) - KIND_WIDTH - 2);
  const rows = candidates.map(({ path, kind }) => {
    const shown = truncateStart(printable(kind === 'directory' ? `${path}/` : path), width);
    return `${palette.faint(padEnd(kind, KIND_WIDTH))}  ${shown}\n`;
  });
  return `${palette.heading(`${padEnd('KIND', KIND_WIDTH)}  PATH`)}\n${rows.join('')}`;
}

/** One a line, those left out that a line or a terminal cannot carry exactly: another path would be worse than none. */
function records(
  texts: readonly (string | undefined)[],
  { io, isNulEnded, notice }: FileRenderOptions,
): string {
  const fits = (text: string | undefined): text is string =>
    text !== undefined && (io.stdout.isTTY ? isPrintable(text) : isNulEnded || !hasControl(text));
  const written = texts.filter(fits);
  const left = texts.length - written.length;
  if (left > 0) {
    const what = left === 1 ? '1 path cannot' : `${left} paths cannot`;
    notice(`${what} be written in this form; --format ndjson has all`);
  }
  return written.map((text) => text + (isNulEnded ? '\0' : '\n')).join('');
}
