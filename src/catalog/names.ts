/** How sessions are spelled on disk: project directories, session directories, log names (format document, 1.3 to 1.5). */

const NO_CWD_PROJECT = '_no-cwd';
const LONGEST_SLUG = 251;
const LOG_NAME = /^session(?:\.v([1-9][0-9]*))?\.jsonl(\.zstd)?$/;

/** Name of the project directory for a recorded working directory, exactly as recorded; undefined = none. */
export function projectKey(cwd: string | undefined): string {
  if (cwd === undefined) return NO_CWD_PROJECT;
  const slug = cwd
    .replace(/[/\\:]+|[^A-Za-z0-9._-]/g, (match) => (/^[/\\:]/.test(match) ? '-' : escapeUnit(match)))
    .replace(/^-+/, '');
  return `--${(slug === '' ? 'root' : slug).slice(0, LONGEST_SLUG)}--`;
}

/** True for the names that only the harness layout uses: what lies in such a directory is no pile. */
export function isProjectDirectory(name: string): boolean {
  return name === NO_CWD_PROJECT || (name.length > 4 && name.startsWith('--') && name.endsWith('--'));
}

/** Session id as a directory name; one-to-one on all strings but the empty one, which has none. */
export function idSegment(id: string): string {
  if (id === '.') return '~002E';
  if (id === '..') return '~002E~002E';
  return id.replace(/[^A-Za-z0-9._-]/g, escapeUnit);
}

/** The id whose segment `segment` is, or undefined when it is none's. */
export function decodeIdSegment(segment: string): string | undefined {
  const id = segment.replace(/~([0-9A-F]{4})/g, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return id !== '' && idSegment(id) === segment ? id : undefined;
}

/** What a file name says about a log. */
export interface LogName {
  /** Generation, 0 and up. */
  readonly version: number;
  readonly isCompressed: boolean;
}

const parsedNames = new Map<string, LogName>();

/** Reads a canonical log name; any other name, temporary ones included, is undefined (format document, 1.5). */
export function parseLogName(name: string): LogName | undefined {
  const known = parsedNames.get(name);
  if (known !== undefined) return known;
  const match = LOG_NAME.exec(name);
  if (match === null) return undefined;
  const version = match[1] === undefined ? 0 : Number(match[1]);
  if (!Number.isSafeInteger(version)) return undefined;
  const parsed = { version, isCompressed: match[2] !== undefined };
  // Ten names are enough for all logs but hostile ones.
  if (parsedNames.size < 100) parsedNames.set(name, parsed);
  return parsed;
}

function escapeUnit(unit: string): string {
  return `~${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
