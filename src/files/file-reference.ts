/** A path that may follow `@` in a message. */
export interface FileReference {
  /** As the user sees and sends it: `/` between segments on every system, none at the end. */
  readonly path: string;
  /** A file ends a mention, a directory lets completion go on. */
  readonly kind: 'file' | 'directory';
}

/** Order of UTF-16 code units, for `sort`: the same answer in every locale. */
export function compareCodeUnits(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
