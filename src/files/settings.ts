import { SessionReferenceError } from '../errors.ts';

/** How many candidates an answer holds at most. */
export const DEFAULT_MAX_RESULTS = 20;

/** How many files and directories of a tree are looked at for a query without `/`. */
export const DEFAULT_MAX_ENTRIES = 50_000;

/** Basenames of directories that are neither offered nor entered; case counts (file-references.md 7). */
export const DEFAULT_EXCLUDED_DIRECTORIES: readonly string[] = Object.freeze([
  '.git',
  'node_modules',
  'dist',
  'build',
  'out',
  'coverage',
  'target',
  '.next',
  '.nuxt',
  '.turbo',
  '.venv',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.gradle',
]);

/** What the caller may set. */
export interface SearchOptions {
  /** Positive safe integer, default 20. */
  readonly maxResults?: number;
  /** Positive safe integer, default 50 000. */
  readonly maxEntries?: number;
  /** Basenames; they replace the default, they do not add to it. */
  readonly excludedDirectories?: readonly string[];
}

/** Checked settings with the defaults filled in. */
export interface SearchSettings {
  readonly maxResults: number;
  readonly maxEntries: number;
  readonly excluded: ReadonlySet<string>;
}

/**
 * Checks the settings of a search and fills in the defaults (file-references.md 7).
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_CONFIG`, naming the key
 */
export function checkSearchSettings(options: SearchOptions): SearchSettings {
  return {
    maxResults: checkPositive('maxResults', options.maxResults ?? DEFAULT_MAX_RESULTS),
    maxEntries: checkPositive('maxEntries', options.maxEntries ?? DEFAULT_MAX_ENTRIES),
    excluded: checkBasenames(options.excludedDirectories ?? DEFAULT_EXCLUDED_DIRECTORIES),
  };
}

function checkPositive(key: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw invalidConfig(`${key} must be a positive safe integer`);
}

function checkBasenames(names: readonly string[]): ReadonlySet<string> {
  if (Array.isArray(names) && names.every(isBasename)) return new Set(names);
  throw invalidConfig('excludedDirectories entries must be non-empty directory basenames without / or \\');
}

function isBasename(name: unknown): boolean {
  return typeof name === 'string' && name !== '' && !/[/\\]/.test(name);
}

function invalidConfig(message: string): SessionReferenceError {
  return new SessionReferenceError('SESSION_REFERENCE_INVALID_CONFIG', `file references: ${message}`);
}
