/** Writes a whole root in the harness layout: projects, sessions, generations. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainLog, type ZstdOptions, zstdLog } from './container.ts';
import { randomConversation } from './conversation.ts';
import type { Format } from './log-script.ts';

export type Encoding = 'plain' | 'zstd';

export interface SessionSpec {
  readonly id: string;
  /** Undefined = a session without a working directory. */
  readonly cwd: string | undefined;
  readonly createdAt?: number;
  readonly format?: Format;
  readonly encoding?: Encoding;
  /** Older generations that stand beside it. */
  readonly olderFormats?: readonly Format[];
  readonly bytes?: number;
  readonly seed?: number;
  readonly zstd?: ZstdOptions;
  readonly header?: Record<string, unknown>;
}

export interface RootSpec {
  readonly sessions: Iterable<SessionSpec>;
}

/** Writes the root below `directory`; returns the path of each session's newest log, in order. */
export function writeRoot(directory: string, { sessions }: RootSpec): string[] {
  const paths: string[] = [];
  let seed = 1;
  for (const spec of sessions) {
    for (const format of [...(spec.olderFormats ?? []), spec.format ?? 4]) {
      const path = writeSession(directory, { seed, ...spec, format });
      if (format === (spec.format ?? 4)) paths.push(path);
    }
    seed += 1;
  }
  return paths;
}

function writeSession(directory: string, spec: SessionSpec): string {
  const { id, cwd, createdAt = 1_787_000_000_000, format = 4, bytes = 2000, seed = 1 } = spec;
  const header = JSON.parse(JSON.stringify({ ...spec.header, id, createdAt }));
  const { script } = randomConversation({ format, seed, bytes, header: { ...header, cwd } });
  return writeLog(directory, {
    id,
    cwd,
    format,
    lines: script.lines,
    encoding: spec.encoding,
    zstd: spec.zstd,
  });
}

export interface LogFile {
  readonly id: string;
  readonly cwd: string | undefined;
  readonly format: number;
  readonly lines: readonly string[];
  readonly encoding?: Encoding | undefined;
  readonly zstd?: ZstdOptions | undefined;
}

/** Writes one log where its header says that it belongs; returns its path. */
export function writeLog(
  root: string,
  { id, cwd, format, lines, encoding = 'zstd', zstd = {} }: LogFile,
): string {
  const bytes = encoding === 'plain' ? plainLog(lines) : zstdLog(lines, zstd);
  return placeLog(root, { id, cwd, name: logName(format, encoding), bytes });
}

/** Writes bytes as the log `name` of a session. */
export function placeLog(
  root: string,
  { id, cwd, name, bytes }: { id: string; cwd: string | undefined; name: string; bytes: Uint8Array | string },
): string {
  const directory = join(root, keyOf(cwd), segmentOf(id));
  mkdirSync(directory, { recursive: true });
  const path = join(directory, name);
  writeFileSync(path, bytes);
  return path;
}

export function logName(format: number, encoding: Encoding): string {
  return `session${format === 0 ? '' : `.v${format}`}.jsonl${encoding === 'zstd' ? '.zstd' : ''}`;
}

/** Project directory of a working directory, spelled unit by unit as the format document has it (1.3). */
export function keyOf(cwd: string | undefined): string {
  if (cwd === undefined) return '_no-cwd';
  let key = '';
  let isInRun = false;
  for (let at = 0; at < cwd.length; at += 1) {
    const unit = cwd.charAt(at);
    const isSeparator = unit === '/' || unit === '\\' || unit === ':';
    if (!isSeparator) key += escaped(unit);
    else if (!isInRun) key += '-';
    isInRun = isSeparator;
  }
  while (key.startsWith('-')) key = key.slice(1);
  return `--${(key === '' ? 'root' : key).slice(0, 251)}--`;
}

/** Session directory of an id (format document, 1.4). */
export function segmentOf(id: string): string {
  if (id === '.' || id === '..') return id.replaceAll('.', '~002E');
  return id.split('').map(escaped).join('');
}

function escaped(unit: string): string {
  if (/^[A-Za-z0-9._-]$/.test(unit)) return unit;
  return `~${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
