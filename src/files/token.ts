/** The piece of text before the caret that asks for a path. */
export interface FileToken {
  /** The whole token with its `@`; a pick replaces it: the span `[caret − prefix.length, caret)`. */
  readonly prefix: string;
  /** What follows `@` or `@"`. */
  readonly query: string;
  /** The token began with `@"`, so its query may hold white space. */
  readonly quoted: boolean;
}

const WHITE_SPACE = /\s/;

/**
 * The `@path` token that ends at the caret, or undefined (file-references.md 2.1).
 *
 * @param text - the whole draft; what stands after the caret plays no part
 * @param caret - offset in UTF-16 code units; outside of the text it counts as the nearer end
 *
 * Linear in the text for any input.
 */
export function findFileToken(text: string, caret: number): FileToken | undefined {
  const before = text.slice(0, Math.max(0, caret));
  return findQuoted(before) ?? findPlain(before);
}

function findQuoted(before: string): FileToken | undefined {
  // The run holds no quote mark, so only the last one can have opened it.
  const start = before.lastIndexOf('"') - 1;
  if (start < 0 || before[start] !== '@' || !beginsWord(before, start)) return undefined;
  return Object.freeze({ prefix: before.slice(start), query: before.slice(start + 2), quoted: true });
}

function findPlain(before: string): FileToken | undefined {
  // The run holds no white space, so the token can only be the last word.
  let start = before.length;
  while (!beginsWord(before, start)) start--;
  if (before[start] !== '@') return undefined;
  return Object.freeze({ prefix: before.slice(start), query: before.slice(start + 1), quoted: false });
}

function beginsWord(text: string, offset: number): boolean {
  return offset === 0 || WHITE_SPACE.test(text[offset - 1]!);
}
