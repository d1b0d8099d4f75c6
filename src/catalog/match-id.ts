/** From what a person typed to one session id: the id itself, or an unambiguous beginning of it. Never a guess. */
import { SessionLogError } from '../errors.ts';
import { findSession, listCatalog, type OnStep } from './catalog.ts';

const SHORTEST_PREFIX = 4;
const MOST_NAMED = 5;

/**
 * The id that `given` is, or, with `prefix`, the only one that begins with it. A session that exists but cannot
 * be read still counts: its id was asked for. Errors: SESSION_LOG_NOT_FOUND; SESSION_LOG_AMBIGUOUS, naming what
 * matched.
 */
export async function matchSessionId(
  given: string,
  prefix: boolean,
  { roots, onStep }: { readonly roots: readonly string[]; readonly onStep: OnStep },
): Promise<string> {
  let missing: SessionLogError;
  try {
    return (await findSession(roots, given, onStep)).sessionId;
  } catch (error) {
    if (!(error instanceof SessionLogError)) throw error;
    if (error.code.startsWith('SESSION_ROOT_')) throw error;
    if (error.kind !== 'not-found') return given;
    missing = error;
  }
  if (!prefix || given.length < SHORTEST_PREFIX) throw missing;
  const { entries, skips } = await listCatalog(roots, onStep);
  const ids = new Set<string>();
  for (const { sessionId } of [...entries, ...skips]) {
    if (sessionId?.startsWith(given) === true) ids.add(sessionId);
  }
  const [first] = ids;
  if (first === undefined) throw missing;
  if (ids.size === 1) return first;
  throw ambiguousPrefix(given, [...ids].sort());
}

function ambiguousPrefix(given: string, ids: readonly string[]): SessionLogError {
  const named = ids.slice(0, MOST_NAMED).map((id) => JSON.stringify(id));
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
  return new SessionLogError(
    'SESSION_LOG_AMBIGUOUS',
    '',
    `${JSON.stringify(given)} begins ${ids.length} session ids: ${named.join(', ')}${more}; give more of the one you mean`,
  );
}
