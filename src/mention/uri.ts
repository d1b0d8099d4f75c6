/** The URI of a session (contract, section 1). Cheap to import: nothing but `Buffer` and `JSON`. */

import { SessionReferenceError } from '../errors.ts';

/** The case-sensitive start of every session reference URI. */
export const SESSION_REFERENCE_SCHEME = 'dsh-session:';

/** Longest part of a URI that an error message quotes, in UTF-16 units. */
const MAX_QUOTED_UNITS = 500;

/**
 * `dsh-session:` and the base64url (no padding) of the UTF-8 bytes of `JSON.stringify(id)`. Total and
 * reversible for every JavaScript string, lone surrogates included.
 */
export function encodeSessionReferenceUri(id: string): string {
  return SESSION_REFERENCE_SCHEME + Buffer.from(JSON.stringify(id)).toString('base64url');
}

/**
 * The session id of a URI; accepts exactly what `encodeSessionReferenceUri` can produce.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_REFERENCE` for anything else, quoting the URI as a
 *   JSON string (its start, when it is longer than 500 UTF-16 units).
 */
export function decodeSessionReferenceUri(uri: string): string {
  const json = Buffer.from(uri.slice(SESSION_REFERENCE_SCHEME.length), 'base64url').toString();
  const id = parseJsonString(json);
  // Encoding again refuses a wrong scheme, stray characters, bad UTF-8 and every second spelling at once.
  if (id === undefined || encodeSessionReferenceUri(id) !== uri) {
    throw new SessionReferenceError(
      'SESSION_REFERENCE_INVALID_REFERENCE',
      `not a session reference URI: ${quote(uri)}`,
    );
  }
  return id;
}

function parseJsonString(json: string): string | undefined {
  // Without the quote it cannot be a string; a payload of a million brackets need not be built as arrays.
  if (!json.startsWith('"')) return undefined;
  try {
    return JSON.parse(json) as string;
  } catch {
    // Not JSON: the caller reports the URI, which says more than the parser's position.
    return undefined;
  }
}

function quote(uri: string): string {
  if (uri.length <= MAX_QUOTED_UNITS) return JSON.stringify(uri);
  return `${JSON.stringify(uri.slice(0, MAX_QUOTED_UNITS))}… (${uri.length} characters in all)`;
}
