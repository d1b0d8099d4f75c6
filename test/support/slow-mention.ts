import type { ParsedSessionReferences, SessionReference } from '../../src/mention/mention.ts';
import { decodeSessionReferenceUri } from '../../src/mention/uri.ts';

const MENTION = /@\[((?:\\.|[^\\\]])*)\]\((dsh-session:[^\s)]*)\)|dsh-session:[A-Za-z0-9_-]+/gu;

/** The contract's two alternatives as one regular expression: obvious, and quadratic on hostile texts. */
export function parseSlowly(text: string): ParsedSessionReferences {
  const references: SessionReference[] = [];
  const readable = text.replace(MENTION, (whole: string, label?: string, uri?: string) => {
    const sessionId = decodeSessionReferenceUri(uri ?? whole);
    const shown = label === undefined ? sessionId : label.replace(/\\(.)/gu, '$1');
    references.push({ sessionId, label: shown });
    return `@${shown}`;
  });
  return { text: readable, references };
}
