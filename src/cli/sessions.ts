/** Sessions as people name them on the command line: an id, the beginning of one, a URI or a mention. */

import { SessionLogError, SessionReferenceError } from '../errors.ts';
import { parseSessionReferenceText } from '../mention/mention.ts';
import { decodeSessionReferenceUri, SESSION_REFERENCE_SCHEME } from '../mention/uri.ts';
import type { SessionStore } from '../store.ts';

export interface NamedSession {
  readonly sessionId: string;
  /** False for an id that no log under the roots has. */
  readonly isStored: boolean;
  /** Of a mention, what people read in it. */
  readonly label?: string;
}

interface SessionArgument {
  readonly text: string;
  /** A URI or a mention says the whole id; anything else may be its beginning. */
  readonly isWhole: boolean;
  readonly label?: string;
}

/**
 * The session that `given` names. A whole id without a log is no error here: a mention of it can be written, and
 * the asking session may not have been stored yet.
 *
 * @throws SessionReferenceError for an empty text, a pattern, a malformed URI or mention; SessionLogError for a
 *   beginning that several ids share
 */
export async function nameSession(
  store: SessionStore,
  given: string,
  signal: AbortSignal,
): Promise<NamedSession> {
  const { text, isWhole, label } = readSessionArgument(given);
  const named = label === undefined ? {} : { label };
  try {
    const sessionId = await store.resolveSessionId(text, isWhole ? { signal } : { prefix: true, signal });
    return { sessionId, isStored: true, ...named };
  } catch (error) {
    if (!(error instanceof SessionLogError)) throw error;
    if (error.code === 'SESSION_LOG_AMBIGUOUS' && isWhole)
      return { sessionId: text, isStored: true, ...named };
    if (error.code !== 'SESSION_LOG_NOT_FOUND') throw error;
    if (!isWhole && text.trim() === '') throw invalid(text, 'no session has this blank id');
    if (!isWhole && /[*?]/.test(text))
      throw invalid(text, 'patterns are not expanded, and no session has this id');
    return { sessionId: text, isStored: false, ...named };
  }
}

function readSessionArgument(given: string): SessionArgument {
  const trimmed = given.trim();
  if (given === '') throw invalid(given, 'an empty text names no session');
  if (trimmed.startsWith(SESSION_REFERENCE_SCHEME)) {
    return { text: decodeSessionReferenceUri(trimmed), isWhole: true };
  }
  if (trimmed.startsWith('@[')) {
    const { text, references } = parseSessionReferenceText(trimmed);
    const [reference] = references;
    if (reference !== undefined && references.length === 1 && text === `@${reference.label}`) {
      return { text: reference.sessionId, isWhole: true, label: reference.label };
    }
    if (references.length > 0) throw invalid(given, 'one mention and nothing else is expected');
  }
  return { text: given, isWhole: false };
}

function invalid(given: string, why: string): SessionReferenceError {
  const shown = JSON.stringify(given.length > 200 ? `${given.slice(0, 200)}…` : given);
  return new SessionReferenceError(
    'SESSION_REFERENCE_INVALID_REFERENCE',
    `${shown} names no session: ${why}`,
  );
}
