/** A value from a log, short enough for a message. Never walks into it: hostile values are nested without end. */

const LONGEST_TEXT = 60;

export function shown(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value);
    case 'undefined':
      return 'none';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? 'a list' : 'an object';
    default:
      return String(value);
  }
}
