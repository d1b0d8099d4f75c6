import type { OutputStream } from '../io.ts';
import { printableJson } from './printable.ts';

/** One JSON document with its line feed: indented and safe to show on a terminal, else on one line. */
export function jsonDocument(value: unknown, stream: OutputStream): string {
  const json = stream.isTTY ? printableJson(JSON.stringify(value, null, 2)) : JSON.stringify(value);
  return `${json}\n`;
}

/**
 * Each record as JSON on a line of its own; no record gives an empty text. For lists that are asked for with each key
 * pressed: loading the package that writes the longer ones takes longer than finding what they hold.
 */
export function jsonLines(records: readonly object[], stream: OutputStream): string {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  return stream.isTTY ? printableJson(lines) : lines;
}
