/** Compares answers as parsed values; key order means nothing, list order everything. */
import { createHash } from 'node:crypto';

/** Path of the first difference, or undefined where `actual` equals `expected`. */
export function difference(actual: unknown, expected: unknown, path = '$'): string | undefined {
  if (isLong(expected))
    return typeof actual === 'string' && isThatLong(actual, expected)
      ? undefined
      : `${path}: long text differs`;
  if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null) {
    return Object.is(actual, expected)
      ? undefined
      : `${path}: ${shown(actual)} in place of ${shown(expected)}`;
  }
  if (Array.isArray(actual) !== Array.isArray(expected))
    return `${path}: ${shown(actual)} in place of ${shown(expected)}`;
  const keys = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  for (const key of keys) {
    const inner = difference((actual as any)[key], (expected as any)[key], `${path}.${key}`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function isLong(
  value: unknown,
): value is { $long: { sha256: string; utf8Bytes: number; length: number; start: string; end: string } } {
  return typeof value === 'object' && value !== null && '$long' in value;
}

function isThatLong(
  text: string,
  { $long }: { $long: { sha256: string; utf8Bytes: number; length: number; start: string; end: string } },
): boolean {
  const bytes = Buffer.from(text, 'utf8');
  return (
    text.length === $long.length &&
    bytes.length === $long.utf8Bytes &&
    createHash('sha256').update(bytes).digest('hex') === $long.sha256 &&
    text.startsWith($long.start) &&
    text.endsWith($long.end)
  );
}

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 160 ? `${json.slice(0, 160)}…` : json;
}
