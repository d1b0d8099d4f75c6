/** Reads bytes with the code under test: what a log of these bytes gives. */
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogBytes } from '../../../src/log/bytes.ts';
import { type Diagnostic, Diagnostics } from '../../../src/log/diagnostics.ts';
import type { SessionHeader } from '../../../src/log/header.ts';
import { type LogSource, readHeader, readLog } from '../../../src/log/read-log.ts';
import type { StoredEvent } from '../../../src/log/rows.ts';
import { loadZstd } from '../../../src/log/zstd.ts';
import { SessionFold } from '../../../src/surface/session-fold.ts';
import { headerOf } from './log-script.ts';

export interface ReadBack {
  readonly header: SessionHeader;
  readonly events: readonly StoredEvent[];
  readonly lastSeq: number | null;
  readonly diagnostics: readonly Diagnostic[];
  /** Kinds of the diagnostics, in order. */
  readonly kinds: readonly string[];
}

const zstd = await loadZstd();

/**
 * Runs `use` on an open file with these bytes; the file is gone afterwards. Without a folder of its own: making one takes
 * longer than the reading, and nobody would remove one that is kept, as test processes end without a word.
 */
export function withLogBytes<T>(bytes: Uint8Array, use: (bytes: LogBytes) => T): T {
  const path = join(tmpdir(), `dsh-ref-log-${randomUUID()}`);
  writeFileSync(path, bytes, { flag: 'wx' });
  try {
    const open = LogBytes.open(path);
    try {
      return use(open);
    } finally {
      open.close();
    }
  } finally {
    rmSync(path);
  }
}

/** Reads a log to its end; compressed where it begins with anything but `{`, unless said otherwise. */
export function readBytes(
  bytes: Uint8Array,
  nameVersion?: number,
  isCompressed = bytes[0] !== 0x7b,
): ReadBack {
  return withLogBytes(bytes, (open) =>
    readSource({ bytes: open, zstd: isCompressed ? zstd : undefined, nameVersion }),
  );
}

export function readPath(path: string, isCompressed = path.endsWith('.zstd')): ReadBack {
  const open = LogBytes.open(path);
  try {
    return readSource({ bytes: open, zstd: isCompressed ? zstd : undefined, nameVersion: undefined });
  } finally {
    open.close();
  }
}

function readSource(source: LogSource): ReadBack {
  const diagnostics = new Diagnostics();
  const events: StoredEvent[] = [];
  let header: SessionHeader | undefined;
  const sink = {
    header: (found: SessionHeader) => {
      header = found;
    },
    event: (event: StoredEvent) => {
      events.push(event);
    },
  };
  const reading = readLog(source, sink, diagnostics);
  let step = reading.next();
  while (!step.done) step = reading.next();
  const list = diagnostics.list();
  return {
    header: header!,
    events,
    lastSeq: step.value.lastSeq,
    diagnostics: list,
    kinds: list.map(({ kind }) => kind),
  };
}

/** The header alone, as a listing reads it. */
export function readHeaderOf(bytes: Uint8Array, nameVersion?: number): SessionHeader {
  return withLogBytes(bytes, (open) =>
    readHeader({ bytes: open, zstd: bytes[0] === 0x7b ? undefined : zstd, nameVersion }, new Diagnostics()),
  );
}

/** Code of what `run` throws, or `none`; anything that is no error of ours is thrown on. */
export function codeOf(run: () => unknown): string {
  try {
    run();
    return 'none';
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (typeof code === 'string' && code.startsWith('SESSION_')) return code;
    throw error;
  }
}

export interface FoldBack {
  readonly fold: SessionFold<number>;
  readonly seqs: number[];
  readonly kinds: string[];
}

/** Folds events; `seqs` is the surface at the end. */
export function foldEvents(
  version: number,
  events: Iterable<unknown>,
  header: Record<string, unknown> = {},
): FoldBack {
  const diagnostics = new Diagnostics();
  const fold = new SessionFold({
    header: headerOf(version, header) as unknown as SessionHeader,
    path: '/log',
    keep: (event) => event.seq,
    diagnostics,
  });
  for (const event of events) fold.apply(event as StoredEvent, (event as StoredEvent).seq + 2);
  return { fold, seqs: [...fold.surface()], kinds: diagnostics.list().map(({ kind }) => kind) };
}

/** The events of a script's rows, packed rows left out, as the log stage would give them. */
export function eventsOf(rows: readonly string[]): StoredEvent[] {
  return rows.map((row) => JSON.parse(row)).filter((row) => typeof row.seq === 'number');
}
