/** The first line of a log: who the session is (format document, section 3). */
import { SessionLogError } from '../errors.ts';
import type { Diagnostics } from './diagnostics.ts';

/** Newest format that this reader knows. */
export const NEWEST_VERSION = 4;

/** The header as stored; keys that no format knows may stand beside these. */
export interface SessionHeader {
  readonly type: 'session';
  readonly version: number;
  readonly id: string;
  /** Unix epoch milliseconds. */
  readonly createdAt: number;
  /** Directory on the machine that wrote the log: text, never touched on disk. */
  readonly cwd?: string;
  readonly parentSession?: string;
  readonly origin?: 'subagent';
  /** May be absent in v0 and v1, where it then means 0. */
  readonly delegationDepth?: number;
  readonly agentPreset?: string;
  /** v0 and v1: number of events copied from the parent. */
  readonly seedLength?: number;
  /** v2 and later: whether the log begins with copied events. */
  readonly isSeeded?: boolean;
}

/** The keys that some format has; others are tolerated, and noted. */
export const HEADER_KEYS: ReadonlySet<string> = new Set([
  'type',
  'version',
  'id',
  'createdAt',
  'cwd',
  'parentSession',
  'origin',
  'delegationDepth',
  'agentPreset',
  'seedLength',
  'isSeeded',
]);

/** A safe integer of zero or more that is not negative zero. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Checks the header line `text` of the log at `path`. `nameVersion` is the number in the file's name, or
 * undefined where the name carries none. Unknown and retired keys are tolerated with a diagnostic.
 * Errors: SESSION_LOG_UNSUPPORTED for a newer format, SESSION_LOG_CORRUPT for everything else.
 */
export function decodeHeader(
  text: string,
  path: string,
  nameVersion: number | undefined,
  diagnostics: Diagnostics,
): SessionHeader {
  const corrupt = (what: string) =>
    new SessionLogError('SESSION_LOG_CORRUPT', path, `the header of ${JSON.stringify(path)} ${what}`, {
      at: { line: 1 },
    });
  const header = parseObject(text);
  if (header === undefined) throw corrupt('is not a JSON object');
  if (header.type !== 'session') throw corrupt('is not of type "session"');
  const { version } = header;
  if (!isCount(version)) throw corrupt('has no format version');
  if (version > NEWEST_VERSION) throw unsupportedVersion(path, version);
  if (nameVersion !== undefined && nameVersion !== version) {
    throw corrupt(`says format v${version}, but the name of the file says v${nameVersion}`);
  }
  const fault = headerFault(header, version);
  if (fault !== undefined) throw corrupt(fault);
  for (const key of Object.keys(header)) {
    if (!HEADER_KEYS.has(key)) {
      diagnostics.add('unknown-header-field', `the header has the unknown field ${JSON.stringify(key)}`, {
        line: 1,
      });
    }
  }
  return header as unknown as SessionHeader;
}

/** SESSION_LOG_UNSUPPORTED: the log is newer than this reader, which is not the same as damaged. */
export function unsupportedVersion(path: string, version: number): SessionLogError {
  return new SessionLogError(
    'SESSION_LOG_UNSUPPORTED',
    path,
    `the log ${JSON.stringify(path)} has format v${version}; this program reads up to v${NEWEST_VERSION}, ` +
      'so a newer harness wrote it',
  );
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Not JSON is one of the answers.
    return undefined;
  }
}

/** The first broken rule, as a phrase that follows "the header of PATH". */
function headerFault(header: Record<string, unknown>, version: number): string | undefined {
  if (typeof header.id !== 'string' || header.id === '') return 'has no session id';
  if (!isCount(header.createdAt)) return 'has no valid "createdAt"';
  if (!isAbsentOr(header, 'cwd', isNonEmptyString)) return 'has a "cwd" that is not a path';
  if (!isAbsentOr(header, 'parentSession', isString)) return 'has a "parentSession" that is not a string';
  if (!isAbsentOr(header, 'agentPreset', isString)) return 'has an "agentPreset" that is not a string';
  if (!isAbsentOr(header, 'origin', (value) => value === 'subagent')) return 'has an unknown "origin"';
  const mayLackDepth = version <= 1 && !('delegationDepth' in header);
  if (!mayLackDepth && !isCount(header.delegationDepth)) return 'has no valid "delegationDepth"';
  return seedFault(header, version);
}

function seedFault(header: Record<string, unknown>, version: number): string | undefined {
  if (version <= 1) {
    if ('isSeeded' in header) return `has "isSeeded", which format v${version} does not know`;
    return isAbsentOr(header, 'seedLength', isCount) ? undefined : 'has no valid "seedLength"';
  }
  if ('seedLength' in header) return `has "seedLength", which format v${version} does not know`;
  return typeof header.isSeeded === 'boolean' ? undefined : 'has no "isSeeded"';
}

function isAbsentOr(
  header: Record<string, unknown>,
  key: string,
  isValid: (value: unknown) => boolean,
): boolean {
  return !Object.hasOwn(header, key) || isValid(header[key]);
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isNonEmptyString(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
