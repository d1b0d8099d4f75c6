/** Times for people: local and relative. Machines get the milliseconds. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LONGEST_RELATIVE_DAYS = 30;

/** `now`, `5 min ago`, `3 h ago`, `2 d ago`; the local date where it is older, in the future, or `?` where it is no time. */
export function relativeTime(epochMs: number, nowMs: number): string {
  const age = nowMs - epochMs;
  if (!(age >= 0) || age >= LONGEST_RELATIVE_DAYS * DAY_MS) return localDate(epochMs);
  if (age < MINUTE_MS) return 'now';
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
  return `${Math.floor(age / DAY_MS)} d ago`;
}

function localDate(epochMs: number): string {
  const date = new Date(epochMs);
  if (Number.isNaN(date.getTime())) return '?';
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${String(date.getFullYear()).padStart(4, '0')}-${month}-${day}`;
}
