/** The byte budget of one reference, and the settings it comes from (contract 4.3 and 5). */

import { SessionReferenceError } from '../errors.ts';

/** Budget of one reference in UTF-8 bytes where nothing else is known. */
export const DEFAULT_REFERENCE_BYTES = 65_536;
/** Rule of thumb that turns a window in tokens into bytes. */
export const BYTES_PER_TOKEN = 4;
/** Share of a known context window that one reference may take. */
export const DEFAULT_CONTEXT_FRACTION = 0.2;
/** Most distinct sessions that one message may cite. */
export const MAX_REFERENCES = 3;

/** Settings of a prepare or a listing; `undefined` is the default. */
export interface ReferenceSettings {
  /** Distinct sessions per message, 1 to 3. */
  readonly maxReferences?: number | undefined;
  /** Budget of one reference in UTF-8 bytes; overrides the context window. */
  readonly maxReferenceBytes?: number | undefined;
  /** Context window of the asking session's model, in tokens. */
  readonly contextWindow?: number | undefined;
  /** Share of the window for one reference, 0 to 1. */
  readonly referenceContextFraction?: number | undefined;
  /** Longest list of candidates. */
  readonly candidateLimit?: number | undefined;
}

/** A budget in UTF-8 bytes and the rule it was settled by. */
export interface ReferenceBudget {
  readonly bytes: number;
  readonly rule: 'max-bytes' | 'context-window' | 'default';
}

interface Range {
  readonly words: string;
  readonly holds: (value: unknown) => boolean;
}

const POSITIVE: Range = { words: 'a whole number, 1 or more', holds: isPositive };

const RANGES: Record<keyof ReferenceSettings, Range> = {
  maxReferences: {
    words: `a whole number from 1 to ${MAX_REFERENCES}`,
    holds: (value) => isPositive(value) && value <= MAX_REFERENCES,
  },
  maxReferenceBytes: POSITIVE,
  contextWindow: POSITIVE,
  referenceContextFraction: {
    words: 'a number from 0 to 1',
    holds: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  },
  candidateLimit: POSITIVE,
};

/**
 * The settings among values from anywhere; `undefined` and `null` (a key that a configuration leaves blank) mean
 * the default, other keys are not looked at.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_CONFIG` for the first value of a wrong type or out of
 *   range, naming the key, the value and the range.
 */
export function readReferenceSettings(
  given: {
    readonly [Key in keyof ReferenceSettings]?: unknown;
  },
): ReferenceSettings {
  const settings: Partial<Record<keyof ReferenceSettings, unknown>> = {};
  for (const key of Object.keys(RANGES) as (keyof ReferenceSettings)[]) {
    const value = given[key] ?? undefined;
    if (value === undefined) continue;
    if (!RANGES[key].holds(value)) {
      throw new SessionReferenceError(
        'SESSION_REFERENCE_INVALID_CONFIG',
        `${key} must be ${RANGES[key].words}, not ${describe(value)}`,
      );
    }
    settings[key] = value;
  }
  return settings as ReferenceSettings;
}

/** The budget of each reference: the given bytes, else a share of the known window but at least the default. */
export function settleBudget(settings: ReferenceSettings): ReferenceBudget {
  const { maxReferenceBytes, contextWindow, referenceContextFraction = DEFAULT_CONTEXT_FRACTION } = settings;
  if (maxReferenceBytes !== undefined) return { bytes: maxReferenceBytes, rule: 'max-bytes' };
  if (contextWindow === undefined) return { bytes: DEFAULT_REFERENCE_BYTES, rule: 'default' };
  const share = Math.floor(contextWindow * BYTES_PER_TOKEN * referenceContextFraction);
  return { bytes: Math.max(DEFAULT_REFERENCE_BYTES, share), rule: 'context-window' };
}

function isPositive(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return `a value of type ${typeof value}`;
}
