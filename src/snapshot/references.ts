/** Checks what a message cites before anything is read (contract, section 4). */

import { SessionReferenceError } from '../errors.ts';

/** A distinct session to read. `inputIndex` counts from 0 in the list without duplicates. */
export interface NormalisedReference {
  readonly sessionId: string;
  readonly label: string;
  readonly inputIndex: number;
}

/**
 * The distinct references in mention order: of several to one session the first stays, with its label; without
 * a label the id stands in. Each is checked for its shape, then against `self` (the asking session's id, where
 * known); the count comes last, after duplicates are gone.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_REFERENCE`, `SESSION_REFERENCE_SELF_REFERENCE` or
 *   `SESSION_REFERENCE_TOO_MANY`; of several bad references the first is reported.
 */
export function normaliseReferences(
  references: readonly unknown[],
  options: { readonly self?: string | undefined; readonly maxReferences: number },
): NormalisedReference[] {
  const distinct = new Map<string, NormalisedReference>();
  references.forEach((reference, at) => {
    if (!isReference(reference)) throw invalidReference(at);
    const { sessionId, label = sessionId } = reference;
    if (sessionId === options.self) throw selfReference(sessionId);
    if (!distinct.has(sessionId)) distinct.set(sessionId, { sessionId, label, inputIndex: distinct.size });
  });
  if (distinct.size > options.maxReferences) throw tooMany(distinct.size, options.maxReferences);
  return [...distinct.values()];
}

function isReference(value: unknown): value is { sessionId: string; label?: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { sessionId, label } = value as { sessionId?: unknown; label?: unknown };
  return typeof sessionId === 'string' && (label === undefined || typeof label === 'string');
}

function invalidReference(at: number): SessionReferenceError {
  return new SessionReferenceError(
    'SESSION_REFERENCE_INVALID_REFERENCE',
    `reference ${at + 1} is not an object with a string sessionId and, if any, a string label`,
  );
}

function selfReference(sessionId: string): SessionReferenceError {
  return new SessionReferenceError(
    'SESSION_REFERENCE_SELF_REFERENCE',
    `session ${JSON.stringify(sessionId)} is the asking session and cannot cite itself`,
  );
}

function tooMany(count: number, allowed: number): SessionReferenceError {
  return new SessionReferenceError(
    'SESSION_REFERENCE_TOO_MANY',
    `${count} distinct sessions are cited, at most ${allowed} may be`,
  );
}
