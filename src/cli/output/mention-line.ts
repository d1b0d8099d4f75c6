import { formatSessionReferenceMention } from '../../mention/mention.ts';
import type { OutputStream } from '../io.ts';
import { onOneLine, printable } from './printable.ts';

/** A mention that takes one line, and that a terminal can show. The label may change for that, the session never. */
export function mentionLine(
  { sessionId, label }: { readonly sessionId: string; readonly label: string },
  stream: OutputStream,
): string {
  return formatSessionReferenceMention({
    sessionId,
    label: stream.isTTY ? printable(label) : onOneLine(label),
  });
}
