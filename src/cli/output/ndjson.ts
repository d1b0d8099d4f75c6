import { once } from 'node:events';
import ndjson from 'ndjson';
import type { OutputStream } from '../io.ts';
import { printableJson } from './printable.ts';

/** Each record as JSON on a line of its own; no record gives an empty text. The line end is LF everywhere. */
export async function ndjsonLines(records: readonly object[], stream: OutputStream): Promise<string> {
  const rows = ndjson.stringify();
  let text = '';
  rows.on('data', (row: Buffer | string) => {
    text += row;
  });
  const ended = once(rows, 'end');
  for (const record of records) rows.write(record);
  rows.end();
  await ended;
  // The package ends rows with the platform's line end; inside JSON a carriage return is always escaped.
  const lines = text.replaceAll('\r\n', '\n');
  return stream.isTTY ? printableJson(lines) : lines;
}
