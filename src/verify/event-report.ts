/** How a check says what it found in the event at hand; the place is known to the caller. */
import type { FindingKind } from './finding-kinds.ts';

export type Report = (kind: FindingKind, message: string) => void;

/** A value in a message: JSON, cut where it is long. */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return cut(JSON.stringify(value.slice(0, LONGEST_QUOTE)));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return value === undefined ? 'nothing' : String(value);
}

const LONGEST_QUOTE = 80;

function cut(json: string): string {
  return json.length <= LONGEST_QUOTE ? json : `${json.slice(0, LONGEST_QUOTE)}…`;
}
