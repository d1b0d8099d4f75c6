/**
 * The published packages add closing events to an open last turn and count them (format document, 9.1); ours
 * cites stored events only (contract, 6.1). These take the closers out of an expected answer again, so that all
 * the rest of it is still compared.
 */

export const CLOSERS_REASON =
  'contract 6.1: the captured seq is that of the last stored event, without closers (all else compared equal)';

/** True when `expected` counts closers: behind our last seq come one for the turn, perhaps more. */
export function countsClosers(actualSeq: number | null, expectedSeq: number | null): boolean {
  return typeof actualSeq === 'number' && typeof expectedSeq === 'number' && expectedSeq > actualSeq;
}

/** An expected surface without synthetic tool results; undefined where what is left out are no closers. */
export function surfaceWithoutClosers(expected: any, actualSeq: number): any {
  const isCloser = (event: any) =>
    event.seq > actualSeq && event.data.message?.id?.startsWith('interrupted-tool-result-') === true;
  const events = expected.events.filter((event: any) => !isCloser(event));
  const closed = expected.events.length - events.length;
  const others = expected.capturedThroughSeq - actualSeq - closed;
  // The end of the turn, and that of a step where one was open.
  if (others !== 1 && others !== 2) return undefined;
  return { ...expected, capturedThroughSeq: actualSeq, events };
}
