/**
 * A corpus folder as one file: gzipped NDJSON, an entry a file. Some of its folders differ only by letter case,
 * which not every file system can check out; packed, they travel everywhere.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

interface Entry {
  readonly path: string;
  /** File content as text where it is UTF-8, else as base64. */
  readonly text?: string;
  readonly base64?: string;
}

export function packFolder(folder: string): Buffer {
  const lines: string[] = [];
  for (const file of filesBelow(folder)) {
    const bytes = readFileSync(file);
    const text = bytes.toString('utf8');
    const isText = Buffer.from(text, 'utf8').equals(bytes);
    const path = relative(folder, file).split(sep).join('/');
    lines.push(JSON.stringify(isText ? { path, text } : { path, base64: bytes.toString('base64') }));
  }
  return gzipSync(`${lines.join('\n')}\n`, { level: 9 });
}

/** Writes the packed files below `folder`; throws where two of them would be one on this file system. */
export function unpackFolder(archive: Buffer, folder: string): void {
  for (const line of gunzipSync(archive).toString('utf8').split('\n')) {
    if (line === '') continue;
    const { path, text, base64 } = JSON.parse(line) as Entry;
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (existsSync(file)) throw new Error(`two packed files are one here: ${path}`);
    writeFileSync(file, text === undefined ? Buffer.from(base64!, 'base64') : text);
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
    );
}
