import { createHash } from 'node:crypto';

/** A directory that holds the texts of one session. */
export const SPILL_SESSION_PATTERN = /^session-[0-9a-f]{12}$/;

/**
 * A suggested name as one path segment (spill-storage.md 2). Code units in `A-Z a-z 0-9 . _ -` stay, every
 * other one, `~` too, becomes `~` and four upper-case hex digits; `.` and `..` are written out and the
 * empty name is `~`. One-to-one on all strings, lone surrogates included.
 */
export function encodeSpillName(suggestedName: string): string {
  if (suggestedName === '') return '~';
  if (suggestedName === '.' || suggestedName === '..') return suggestedName.replaceAll('.', '~002E');
  return suggestedName.replace(/[^A-Za-z0-9._-]/g, escapeCodeUnit);
}

/** Name of the directory for the texts of a session: from the SHA-256 of its id in UTF-8. */
export function spillSessionName(sessionId: string): string {
  return `session-${createHash('sha256').update(sessionId, 'utf8').digest('hex').slice(0, 12)}`;
}

function escapeCodeUnit(unit: string): string {
  return `~${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
