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
  let readable = '';
  let done = 0;
  let explicit = text.indexOf('@[');
  let bare = text.indexOf(SESSION_REFERENCE_SCHEME);
  while (explicit !== -1 || bare !== -1) {
    const isExplicit = explicit !== -1 && (bare === -1 || explicit < bare);
    const start = isExplicit ? explicit : bare;
    const match = isExplicit ? explicitMentionAt(start) : bareMentionAt(text, start);
    if (match) {
      const { sessionId, label, end } = match;
      references.push({ sessionId, label });
      readable += `${text.slice(done, start)}@${label}`;
      done = end;
    }
    const from = match ? match.end : start + 1;
    if (explicit !== -1 && explicit < from) explicit = text.indexOf('@[', from);
    if (bare !== -1 && bare < from) bare = text.indexOf(SESSION_REFERENCE_SCHEME, from);
  }
  return { text: readable + text.slice(done), references };
}

/** A mention that was found: what it cites and the offset behind it. */
type Match = SessionReference & { end: number };

/**
 * The scan for alternative 1, to be asked at rising offsets of `@[`. It remembers where the last label and the
 * last URI stopped. All starts in front of such a place share it: a start behind `@[` is never inside an
 * escape, since the unit before it is `[`, so a later scan would visit the same units in the same state.
 */
function createExplicitScan(text: string): (start: number) => Match | undefined {
  const separator = `](${SESSION_REFERENCE_SCHEME}`;
  let labelEnd = -1;
  let uriEnd = -1;
  return (start) => {
    if (labelEnd < start + 2) labelEnd = endOfLabel(text, start + 2);
    if (!text.startsWith(separator, labelEnd)) return undefined;
    const uriStart = labelEnd + 2;
    if (uriEnd < uriStart) uriEnd = indexOfPattern(/[\s)]/g, text, uriStart);
    if (text[uriEnd] !== ')') return undefined;
    return {
      sessionId: decodeSessionReferenceUri(text.slice(uriStart, uriEnd)),
      label: text.slice(start + 2, labelEnd).replace(/\\(.)/gu, '$1'),
      end: uriEnd + 1,
    };
  };
}

/** Alternative 2 at the scheme found at `start`; nothing where no base64url character follows it. */
function bareMentionAt(text: string, start: number): Match | undefined {
  const payloadStart = start + SESSION_REFERENCE_SCHEME.length;
  const end = indexOfPattern(/[^A-Za-z0-9_-]/g, text, payloadStart);
  if (end === payloadStart) return undefined;
  const sessionId = decodeSessionReferenceUri(text.slice(start, end));
  return { sessionId, label: sessionId, end };
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
