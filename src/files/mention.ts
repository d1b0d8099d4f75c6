import type { FileReference } from './file-reference.ts';

const WHITE_SPACE = /\s/;
const NOT_WRITABLE = /[\u0000-\u001f\u007f-\u009f"]/;

/**
 * The text to insert for a picked path, or undefined when the grammar cannot carry it: a control
 * character or a quote mark in the path (file-references.md 2.2).
 *
 * @param candidate - the path that was picked
 * @param options - `preserveQuote`: the user opened a quote himself, so it stays even where it is not needed
 *
 * A directory ends in `/`, and its quote is left open so that typing on descends.
 */
export function formatFileMention(
  candidate: FileReference,
  options: { readonly preserveQuote?: boolean } = {},
): string | undefined {
  const isDirectory = candidate.kind === 'directory';
  const path = isDirectory ? `${candidate.path}/` : candidate.path;
  if (NOT_WRITABLE.test(path)) return undefined;
  if (!options.preserveQuote && !WHITE_SPACE.test(path)) return `@${path}`;
  return isDirectory ? `@"${path}` : `@"${path}"`;
}
