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
  // Most texts cite nothing, and no mention is without a scheme.
  if (!text.includes(SESSION_REFERENCE_SCHEME)) return { text, references };
  const nextExplicit = createExplicitScan(text);
  const nextBare = createBareScan(text);
  let readable = '';
  let done = 0;
  for (;;) {
    const explicit = nextExplicit(done);
    const bare = nextBare(done);
    const span =
      explicit !== undefined && (bare === undefined || explicit.start < bare.start) ? explicit : bare;
    if (span === undefined) return { text: readable + text.slice(done), references };
    const { sessionId, label } = readMention(text, span);
    references.push({ sessionId, label });
    readable += `${text.slice(done, span.start)}@${label}`;
    done = span.end;
  }
}

/** Where a mention stands, and its URI in it; a bare one is nothing but its URI. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly uriStart: number;
  readonly uriEnd: number;
}

const SEPARATOR = `](${SESSION_REFERENCE_SCHEME}`;
const OPENING = '@[';

function readMention(text: string, { start, uriStart, uriEnd }: Span): SessionReference {
  const sessionId = decodeSessionReferenceUri(text.slice(uriStart, uriEnd));
  if (start === uriStart) return { sessionId, label: sessionId };
  const label = text.slice(start + OPENING.length, uriStart - 2).replace(/\\(.)/gu, '$1');
  return { sessionId, label };
}

/**
 * Finds alternative 1, to be asked at rising offsets. It goes from one `](dsh-session:` to the next, since there is
 * no mention without one, and looks back from there: a label reaches back to the bracket that ends the one before.
 */
function createExplicitScan(text: string): (from: number) => Span | undefined {
  const separatorFrom = createFinder(text, SEPARATOR);
  const openingFrom = createFinder(text, OPENING);
  let found: Span | undefined;
  let searched = 0;
  let uriEnd = -1;
  return (from) => {
    if (found !== undefined && found.start >= from) return found;
    found = undefined;
    searched = Math.max(searched, from);
    for (let close = separatorFrom(searched); close !== -1; close = separatorFrom(searched)) {
      searched = close + 1;
      if (isEscaped(text, close)) continue;
      const uriStart = close + 2;
      if (uriEnd < uriStart) uriEnd = indexOfPattern(/[\s)]/g, text, uriStart);
      if (text[uriEnd] !== ')') continue;
      const start = openingOf(text, close, Math.max(from, labelFloor(text, close, from)), openingFrom);
      if (start === undefined) continue;
      found = { start, end: uriEnd + 1, uriStart, uriEnd };
      return found;
    }
    return undefined;
  };
}

/** The first opening at or after `floor` whose label ends at the bracket `close`. */
function openingOf(
  text: string,
  close: number,
  floor: number,
  openingFrom: (from: number) => number,
): number | undefined {
  for (let at = openingFrom(floor); at !== -1 && at + OPENING.length <= close; ) {
    const end = endOfLabel(text, at + OPENING.length);
    if (end === close) return at;
    // A backslash before a line end stopped the label, and so every one that begins before it.
    at = openingFrom(end);
  }
  return undefined;
}

/** Behind the last bracket before `close` that ends labels; not before `from`. */
function labelFloor(text: string, close: number, from: number): number {
  for (
    let at = text.lastIndexOf(']', close - 1);
    close > 0 && at >= from;
    at = text.lastIndexOf(']', at - 1)
  ) {
    if (!isEscaped(text, at)) return at + 1;
    if (at === 0) break;
  }
  return from;
}

/** An odd number of backslashes stands before `at`: a label never begins among them, so they pair from the first. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (first > 0 && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

/** Finds alternative 2, to be asked at rising offsets: a scheme with a base64url character behind it. */
function createBareScan(text: string): (from: number) => Span | undefined {
  const schemeFrom = createFinder(text, SESSION_REFERENCE_SCHEME);
  return (from) => {
    for (let start = schemeFrom(from); start !== -1; start = schemeFrom(start + 1)) {
      const payloadStart = start + SESSION_REFERENCE_SCHEME.length;
      if (!isPayload(text.charCodeAt(payloadStart))) continue;
      const end = indexOfPattern(/[^A-Za-z0-9_-]/g, text, payloadStart);
      return { start, end, uriStart: start, uriEnd: end };
    }
    return undefined;
  };
}

function isPayload(unit: number): boolean {
  const isLetter = (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
  return isLetter || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f || unit === 0x2d;
}

/** First place of `needle` at or after an offset, else −1; it remembers the last one, so that no text is searched twice. */
function createFinder(text: string, needle: string): (from: number) => number {
  let searchedFrom = 0;
  let at = text.indexOf(needle);
  return (from) => {
    if (at === -1 && from >= searchedFrom) return -1;
    if (from < searchedFrom || from > at) {
      searchedFrom = from;
      at = text.indexOf(needle, from);
    }
    return at;
  };
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
