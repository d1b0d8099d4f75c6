/** Mentions of sessions in a text: writing one, and finding them all in linear time (contract, section 2). */

import { decodeSessionReferenceUri, encodeSessionReferenceUri, SESSION_REFERENCE_SCHEME } from './uri.ts';

/** A session as a text cites it. `label` is what people read; it need not be the session's title. */
export interface SessionReference {
  sessionId: string;
  label: string;
}

/** A text with each mention replaced by `@label`, and what was cited, in order of appearance, duplicates kept. */
export interface ParsedSessionReferences {
  text: string;
  references: SessionReference[];
}

/** The written form `@[label](uri)`, `\` and `]` of the label escaped. Without a label the id is the label. */
export function formatSessionReferenceMention(reference: {
  readonly sessionId: string;
  readonly label?: string | undefined;
}): string {
  const label = reference.label ?? reference.sessionId;
  return `@[${label.replace(/[\\\]]/g, '\\$&')}](${encodeSessionReferenceUri(reference.sessionId)})`;
}

/**
 * Finds every `@[label](dsh-session:…)` and every bare `dsh-session:…` of `text`, left to right, and makes the
 * text readable. Time and memory are linear in the text, whatever is in it.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_REFERENCE` at the first mention, in text order, whose
 *   URI is malformed.
 */
export function parseSessionReferenceText(text: string): ParsedSessionReferences {
  const references: SessionReference[] = [];
  const explicitMentionAt = createExplicitScan(text);
  const opening = /@\[|dsh-session:/g;
  let readable = '';
  let done = 0;
  while (opening.test(text)) {
    const from = opening.lastIndex;
    const isExplicit = text[from - 1] === '[';
    const match = isExplicit ? explicitMentionAt(from) : bareMentionAt(text, from);
    // The search goes on behind the opening: openings never overlap.
    if (match === undefined) continue;
    const { sessionId, label, start, end } = match;
    references.push({ sessionId, label });
    readable += `${text.slice(done, start)}@${label}`;
    done = end;
    opening.lastIndex = end;
  }
  return { text: readable + text.slice(done), references };
}

/** A mention that was found: what it cites and where it stands. */
type Match = SessionReference & { start: number; end: number };

/**
 * The scan for alternative 1, to be asked at rising offsets behind `@[`. It remembers where the last label and
 * the last URI stopped. All labels that begin in front of such a place share it: a label never begins inside an
 * escape, since the unit before it is `[`, so a later scan would visit the same units in the same state.
 */
function createExplicitScan(text: string): (labelStart: number) => Match | undefined {
  const separator = `](${SESSION_REFERENCE_SCHEME}`;
  let labelEnd = -1;
  let uriEnd = -1;
  return (labelStart) => {
    if (labelEnd < labelStart) labelEnd = endOfLabel(text, labelStart);
    if (!text.startsWith(separator, labelEnd)) return undefined;
    const uriStart = labelEnd + 2;
    if (uriEnd < uriStart) uriEnd = indexOfPattern(/[\s)]/g, text, uriStart);
    if (text[uriEnd] !== ')') return undefined;
    const sessionId = decodeSessionReferenceUri(text.slice(uriStart, uriEnd));
    const label = text.slice(labelStart, labelEnd).replace(/\\(.)/gu, '$1');
    return { sessionId, label, start: labelStart - 2, end: uriEnd + 1 };
  };
}

/** Alternative 2 behind a scheme; nothing where no base64url character follows. */
function bareMentionAt(text: string, payloadStart: number): Match | undefined {
  const end = indexOfPattern(/[^A-Za-z0-9_-]/g, text, payloadStart);
  if (end === payloadStart) return undefined;
  const start = payloadStart - SESSION_REFERENCE_SCHEME.length;
  const sessionId = decodeSessionReferenceUri(text.slice(start, end));
  return { sessionId, label: sessionId, start, end };
}

const BACKSLASH = 0x5c;
const RIGHT_BRACKET = 0x5d;

/** Where the label beginning at `from` stops: its `]`, a backslash that escapes nothing, or the end of the text. */
function endOfLabel(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === RIGHT_BRACKET) return at;
    if (unit !== BACKSLASH) continue;
    if (at + 1 === text.length || isLineTerminator(text.charCodeAt(at + 1))) return at;
    at++;
  }
  return text.length;
}

function isLineTerminator(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d || unit === 0x2028 || unit === 0x2029;
}

/** Offset of the first match of a global pattern at or after `from`, else the length of the text. */
function indexOfPattern(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
