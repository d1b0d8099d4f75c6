/** A pattern that is made when it is first used: where a literal stands, Node looks up what Unicode says of it. */
export function lazyPattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(source, flags);
    // One that searches on from where it was keeps that place.
    pattern.lastIndex = 0;
    return pattern;
  };
}
