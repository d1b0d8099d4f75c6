import { randomBytes as systemRandomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { throwIfCancelled } from '../errors.ts';
import { makePrivateDirectory } from '../places/private-directory.ts';
import { encodeSpillName, spillSessionName } from './names.ts';
import { assertPrivateDirectory } from './private-directory.ts';
import { publishFile } from './publish.ts';
import { checkKeepDays, type SpillWarning, sweepSpill } from './sweep.ts';
import { hasSystemCode } from './system-error.ts';

const RETRIEVAL_HINT = 'Read this file in pages with an offset and a limit, or search it with grep.';

// A directory that vanishes under the writer this often is not being cleaned up, it is being fought over.
const MAX_ATTEMPTS = 100;

/** Who produced a text; it describes, and grants nothing. */
export type SpillSource =
  | { readonly kind: 'session-reference'; readonly sessionId: string; readonly label: string }
  | { readonly kind: 'tool'; readonly toolName: string; readonly callId: string; readonly label: string };

/** A text to keep (spill-storage.md 1). */
export interface SpillRequest {
  /** The session it is kept for: the one that receives the context. */
  readonly owner: { readonly sessionId: string };
  readonly source: SpillSource;
  /** A hint for the file name, never a path. */
  readonly suggestedName: string;
  /**
   * Stored whole; a lone surrogate is written as U+FFFD. Given in parts, it is written part by part: a function,
   * since saving may have to begin again. Parts that are bytes are UTF-8, and valid until the part after the next is
   * asked for, so that one can be written while the next is made.
   */
  readonly content: string | (() => Iterable<string | Uint8Array>);
}

/** Where a text went; keys in this order. */
export interface SpillReference {
  /** Handle to show to the model. Nobody parses it. */
  readonly locator: string;
  /** UTF-8 length of what was stored. */
  readonly bytes: number;
  /** One sentence on how to read the locator. */
  readonly retrievalHint: string;
}

/** A place for texts. */
export interface SpillStore {
  /**
   * Keeps a text; each call makes a new one.
   *
   * @throws SessionReferenceError `SESSION_REFERENCE_CANCELLED`; then nothing was stored
   * @throws the storage's own error when the text could not be kept whole and private
   */
  saveText(request: SpillRequest, options?: { readonly signal?: AbortSignal }): Promise<SpillReference>;
}

/** A place for texts on this computer. */
export interface LocalSpill extends SpillStore {
  /** Waits for the cleanup that opening began. */
  close(): Promise<void>;
}

/** How a local place is set up. */
export interface LocalSpillOptions {
  /** Made on first need; relative to the process's own directory unless absolute. */
  readonly rootDir: string;
  /** Whole days a text stays, 0 for ever. Default 30. */
  readonly keepDays?: number;
  /** Unix epoch milliseconds. */
  readonly clock?: () => number;
  /** What the cleanup left alone. */
  readonly onWarning?: (warning: SpillWarning) => void;
  /** Ends the cleanup early. */
  readonly signal?: AbortSignal;
  /** Replaced by tests. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

/**
 * Texts in files of the user's own: `<root>/session-<12 hex>/<12 hex>-<encoded name>`, directories 0700,
 * files 0600 (spill-storage.md 2). Opening begins one cleanup (section 3) and does not wait for it.
 *
 * `saveText` rejects when the root or the session directory is not a real directory of the user's own or
 * is writable for others; the root alone may be a link, if he made it himself. A file is complete
 * from the moment it has its name; killed half-way, the writer leaves at most a hidden `.tmp` file.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_CONFIG` for `keepDays`
 */
export function openLocalSpill(options: LocalSpillOptions): LocalSpill {
  const { clock = Date.now, randomBytes = systemRandomBytes, onWarning, signal } = options;
  const rootDir = resolve(options.rootDir);
  const sweeping = sweepSpill({
    rootDir,
    keepDays: checkKeepDays(options.keepDays),
    nowMs: clock(),
    ...(onWarning && { onWarning }),
    ...(signal && { signal }),
  });
  return {
    saveText: (request, { signal } = {}) => saveText(request, { rootDir, randomBytes, signal }),
    close: () => sweeping,
  };
}

interface SaveContext {
  readonly rootDir: string;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly signal: AbortSignal | undefined;
}

async function saveText(
  request: SpillRequest,
  { rootDir, randomBytes, signal }: SaveContext,
): Promise<SpillReference> {
  throwIfCancelled(signal);
  const { content } = request;
  const parts = typeof content === 'string' ? () => [content] : content;
  const unique = Buffer.from(randomBytes(6)).toString('hex');
  const directory = join(rootDir, spillSessionName(request.owner.sessionId));
  const name = `${unique}-${encodeSpillName(request.suggestedName)}`;
  for (let attempt = 1; ; attempt++) {
    try {
      makeDirectories(rootDir, directory);
      const bytes = await publishFile({ directory, name, temporaryName: `.${unique}.tmp`, parts, signal });
      return Object.freeze({
        locator: join(directory, name),
        bytes,
        retrievalHint: RETRIEVAL_HINT,
      });
    } catch (error) {
      // The cleanup of another process took the directory between two of our steps.
      if (!hasSystemCode(error, 'ENOENT') || attempt === MAX_ATTEMPTS) throw error;
    }
    throwIfCancelled(signal);
  }
}

function makeDirectories(rootDir: string, sessionDir: string): void {
  makePrivateDirectory(rootDir);
  assertPrivateDirectory(rootDir, { ownLink: true });
  try {
    mkdirSync(sessionDir, { mode: 0o700 });
  } catch (error) {
    if (!hasSystemCode(error, 'EEXIST')) throw error;
  }
  assertPrivateDirectory(sessionDir);
}
