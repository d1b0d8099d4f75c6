import type { OutputStream } from '../io.ts';
import { printableJson } from './printable.ts';

/** One JSON document with its line feed: indented and safe to show on a terminal, else on one line. */
export function jsonDocument(value: unknown, stream: OutputStream): string {
  const json = stream.isTTY ? printableJson(JSON.stringify(value, null, 2)) : JSON.stringify(value);
  return `${json}\n`;
}
