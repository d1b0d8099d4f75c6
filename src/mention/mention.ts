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
  const mentionFrom = createMentionScan(text);
  const known = new Map<string, string>();
  let readable = '';
  let done = 0;
  for (let span = mentionFrom(0); span !== undefined; span = mentionFrom(done)) {
    const reference = readMention(text, span, known);
    references.push(reference);
    readable += `${text.slice(done, span.start)}@${reference.label}`;
    done = span.end;
  }
  return { text: readable + text.slice(done), references };
}

/** Where a mention stands, and its URI in it; a bare one is nothing but its URI. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly uriStart: number;
  readonly uriEnd: number;
}

const OPENING = '@[';
const SCHEME_UNITS = SESSION_REFERENCE_SCHEME.length;
const SEPARATOR_UNITS = `](${SESSION_REFERENCE_SCHEME}`.length;

// What is searched for by pattern ends behind a scheme; that offset says where it is.

/** The scheme of alternative 2. */
const BARE = /dsh-session:(?=[\w-])/;

/**
 * What stands around the scheme of alternative 1, and in some places that are none. Going back, an opening or an escape
 * comes before any other `]` or backslash; going on, a `)` comes before white space, or else a `]`, at which the next one
 * may begin. A pattern that asked for more would go over the same text again and again, or need a stack for it.
 */
const EXPLICIT = /(?<=(?:@\[|\\.)[^\\\]]*?\]\(dsh-session:)(?=[^\s)\]]*[)\]])/;

/** Every scheme of alternative 1, and some that are none. */
const SEPARATOR = new RegExp(`\\]\\(dsh-session:${EXPLICIT.source}`);

/** Every scheme of either, and some that are none. */
const SCHEME = new RegExp(`dsh-session:(?:(?=[\\w-])|${EXPLICIT.source})`);

/** A message may cite three sessions: a text with many mentions says the same URIs again and again. */
const MAX_KNOWN_URIS = 8;

function readMention(
  text: string,
  { start, uriStart, uriEnd }: Span,
  known: Map<string, string>,
): SessionReference {
  const uri = text.slice(uriStart, uriEnd);
  let sessionId = known.get(uri);
  if (sessionId === undefined) {
    sessionId = decodeSessionReferenceUri(uri);
    if (known.size < MAX_KNOWN_URIS) known.set(uri, sessionId);
  }
  if (start === uriStart) return { sessionId, label: sessionId };
  const label = text.slice(start + OPENING.length, uriStart - 2);
  return { sessionId, label: label.includes('\\') ? label.replace(/\\(.)/gu, '$1') : label };
}

/** Finds the mentions one after the other, to be asked at rising offsets. */
function createMentionScan(text: string): (from: number) => Span | undefined {
  const schemeFrom = createFinder(endOfPattern(text, SCHEME));
  const openingFrom = createFinder((from) => text.indexOf(OPENING, from));
  const explicit = createExplicitScan(text, openingFrom);
  const bareFrom = createBareScan(text);
  return (from) => {
    const opening = openingFrom(from);
    if (opening === -1) return bareFrom(from);
    // This is all of the work on most of a text. The other searches begin where it ends.
    const scheme = schemeFrom(from);
    if (scheme === -1) return undefined;
    const here = explicit.at(from, scheme);
    if (here !== undefined) return here;
    const bare = bareFrom(scheme - SCHEME_UNITS);
    const end = bare?.start ?? text.length;
    if (opening > end) return bare;
    const next = explicit.next(from, scheme);
    return next !== undefined && next.start < end ? next : bare;
  };
}

/** Finds alternative 2, to be asked at rising offsets. */
function createBareScan(text: string): (from: number) => Span | undefined {
  const payloadFrom = createFinder(endOfPattern(text, BARE));
  const endOfPayload = endOfPattern(text, /[\w-]*/);
  return (from) => {
    const payload = payloadFrom(from);
    if (payload === -1) return undefined;
    const start = payload - SCHEME_UNITS;
    const end = endOfPayload(payload);
    return { start, end, uriStart: start, uriEnd: end };
  };
}

/** Finds alternative 1, to be asked at rising offsets. */
interface ExplicitScan {
  /** The mention that begins at or after `from` and has the scheme that ends at `scheme`. */
  at(from: number, scheme: number): Span | undefined;
  /** The first mention that begins at or after `from`, where none has a scheme that ends before `scheme`. */
  next(from: number, scheme: number): Span | undefined;
}

function createExplicitScan(text: string, firstOpeningFrom: Search): ExplicitScan {
  const separatorFrom = endOfPattern(text, SEPARATOR);
  const openingOf = createOpeningSearch(text, firstOpeningFrom);
  const closingFrom = createFinder((from) => text.indexOf(')', from));
  const uriEndFrom = createFinder(endOfPattern(text, /[\s)]/));
  let found: Span | undefined;
  let searched = 0;
  const at = (from: number, scheme: number): Span | undefined => {
    const close = scheme - SEPARATOR_UNITS;
    if (close < from || text.charCodeAt(close) !== RIGHT_BRACKET) return undefined;
    if (text.charCodeAt(close + 1) !== LEFT_PARENTHESIS || isEscaped(text, close)) return undefined;
    const start = openingOf(close, from);
    if (start === undefined) return undefined;
    // One character is searched for much faster than the white space, and often there is none.
    const end = closingFrom(scheme) === -1 ? -1 : uriEndFrom(scheme);
    if (text[end - 1] === ')') return { start, end, uriStart: scheme - SCHEME_UNITS, uriEnd: end - 1 };
    // What ends this URI ends every one that begins before it does.
    searched = Math.max(searched, end === -1 ? text.length : end);
    return undefined;
  };
  // From one `](dsh-session:` to the next, since there is no mention without one.
  const next = (from: number, scheme: number): Span | undefined => {
    if (found !== undefined && found.start >= from) return found;
    found = undefined;
    searched = Math.max(searched, scheme - SEPARATOR_UNITS);
    while (found === undefined && searched < text.length) {
      const rest = separatorFrom(searched);
      searched = rest === -1 ? text.length : rest;
      if (rest !== -1) found = at(from, rest);
    }
    return found;
  };
  return { at, next };
}

/** A search gives the first opening at or after `from` whose label ends at the bracket `close`. */
function createOpeningSearch(
  text: string,
  firstOpeningFrom: Search,
): (close: number, from: number) => number | undefined {
  const openingFrom = createFinder((from) => text.indexOf(OPENING, from));
  return (close, from) => {
    const nearby = Math.max(from, close - NEARBY_UNITS);
    let floor = endOfLastLabel(text, nearby, close);
    if (floor === undefined) {
      const first = firstOpeningFrom(from);
      if (first === -1 || first > close) return undefined;
      floor = endOfLastLabel(text, first, nearby) ?? first;
    }
    let at = openingFrom(floor);
    if (at === -1 || at > close) return undefined;
    const hasEscapes = text.slice(floor, close).includes('\\');
    while (at !== -1 && at + OPENING.length <= close) {
      const end = hasEscapes ? endOfLabel(text, at + OPENING.length) : close;
      if (end === close) return at;
      // A backslash before a line end stopped the label, and so every one that begins before it.
      at = openingFrom(end);
    }
    return undefined;
  };
}

/** Searching backwards takes several times as long as forwards; most labels are shorter than this. */
const NEARBY_UNITS = 200;

/** Behind the last bracket between `from` and `to` that ends labels; a label reaches back no farther. */
function endOfLastLabel(text: string, from: number, to: number): number | undefined {
  for (let at = to - 1; at >= from; at -= 1) {
    if (text.charCodeAt(at) === RIGHT_BRACKET && !isEscaped(text, at)) return at + 1;
  }
  return undefined;
}

/** An odd number of backslashes stands before `at`: a label never begins among them, so they pair from the first. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (first > 0 && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

/** Searches from an offset on; gives an offset, or −1. */
type Search = (from: number) => number;

/** Gives where the first match ends. */
function endOfPattern(text: string, { source }: RegExp): Search {
  const pattern = new RegExp(source, 'g');
  return (from) => {
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex : -1;
  };
}

/** The same search, for rising offsets: it remembers what it found last, so that no text is searched twice. */
function createFinder(search: Search): Search {
  let searchedFrom = 0;
  let found: number | undefined;
  return (from) => {
    if (found === undefined || from < searchedFrom || (found !== -1 && from > found)) {
      searchedFrom = from;
      found = search(from);
    }
    return found;
  };
}

const LEFT_PARENTHESIS = 0x28;
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
