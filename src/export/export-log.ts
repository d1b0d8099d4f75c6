/**
 * The stored log of one session, decoded: its lines as they are, or an event a line. The log is checked to its end
 * before the first line is given out, so that what is written is complete or nothing.
 */
import { findSession } from '../catalog/catalog.ts';
import type { FoundLog } from '../catalog/found-log.ts';
import { logSource } from '../catalog/identify.ts';
import { SessionLogError, throwIfCancelled } from '../errors.ts';
import { LogBytes } from '../log/bytes.ts';
import { decodeChunks, tooLarge } from '../log/container.ts';
import { type Diagnostic, Diagnostics } from '../log/diagnostics.ts';
import type { SessionHeader } from '../log/header.ts';
import { MAX_LINE_BYTES } from '../log/limits.ts';
import { LineSplitter } from '../log/lines.ts';
import { type LogSink, type LogSource, readLog } from '../log/read-log.ts';
import { LineBatch } from './line-batch.ts';
import { unpackRow } from './packed-rows.ts';

export interface ExportOptions {
  readonly roots: readonly string[];
  readonly sessionId: string;
  /** Events alone, one a line, packed rows unpacked; default the lines as stored, the header first. */
  readonly events?: boolean;
  readonly signal?: AbortSignal;
}

export interface LogExport {
  readonly path: string;
  readonly session: SessionHeader;
  /** What stands at the end of the file and is not part of the log: a torn frame or line, rows that were dropped. */
  readonly leftOut: readonly Diagnostic[];
  /** Whole lines in pieces; reading goes on as they are asked for. To be called once. */
  chunks(): AsyncGenerator<Uint8Array>;
  /** Closes the file; to be called whatever happens. */
  close(): void;
}

/** What an export needs of the store. */
export interface ExportPorts {
  /** Runs long work to its end, with a look at the signal at each step. */
  pace<T>(work: Generator<void, T>): Promise<T>;
}

interface CheckedLog {
  readonly header: SessionHeader;
  /** Lines behind this one are not part of the log. */
  readonly lastLine: number;
  readonly leftOut: readonly Diagnostic[];
}

/** Kinds of diagnostics that say that something of the file is not in the export. */
const LEFT_OUT: ReadonlySet<Diagnostic['kind']> = new Set(['torn-frame', 'torn-line', 'dropped-tail']);

/** Opens and checks the log. Errors: SessionLogError for the look-up and the log; SESSION_REFERENCE_CANCELLED. */
export async function openExport(options: ExportOptions, { pace }: ExportPorts): Promise<LogExport> {
  const { roots, sessionId, signal, events = false } = options;
  throwIfCancelled(signal);
  const { log } = await findSession(roots, sessionId, () => throwIfCancelled(signal));
  const { source, checked } = await openChecked(log, pace);
  return {
    path: log.path,
    session: checked.header,
    leftOut: checked.leftOut,
    chunks: () => exportLines(source, checked, events, signal),
    close: () => source.bytes.close(),
  };
}

/** One open file serves both passes: what is written is what was checked. */
async function openChecked(
  log: FoundLog,
  pace: ExportPorts['pace'],
): Promise<{ source: LogSource; checked: CheckedLog }> {
  for (let attempt = 1; ; attempt += 1) {
    const bytes = LogBytes.open(log.path);
    try {
      const source = await logSource(log, bytes);
      return { source, checked: await pace(checkLog(source)) };
    } catch (error) {
      const isRetryable = error instanceof SessionLogError && attempt === 1 && bytes.hasChanged();
      bytes.close();
      // A writer that cut a torn tail and wrote on can make one read look damaged, not two.
      if (!isRetryable) throw error;
    }
  }
}

function* checkLog(source: LogSource): Generator<void, CheckedLog> {
  const diagnostics = new Diagnostics();
  let header: SessionHeader | undefined;
  const sink: LogSink = {
    header(found) {
      header = found;
    },
    event() {},
    passOver: { types: new Set(['tool/result', 'assistant/message']), unread() {} },
  };
  yield* readLog(source, sink, diagnostics);
  const found = diagnostics.list();
  const firstDropped = found.find(({ kind }) => kind === 'dropped-tail')?.line;
  const lastLine = firstDropped === undefined ? Number.POSITIVE_INFINITY : firstDropped - 1;
  return { header: header!, lastLine, leftOut: found.filter(({ kind }) => LEFT_OUT.has(kind)) };
}

async function* exportLines(
  source: LogSource,
  { header, lastLine }: CheckedLog,
  isUnpacked: boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const batch = new LineBatch();
  const mayBePacked = isUnpacked && header.version <= 1;
  let line = 0;
  const lines = new LineSplitter(
    (buffer, start, end) => {
      line += 1;
      if (line > lastLine || (isUnpacked && line === 1)) return;
      const unpacked = mayBePacked ? unpackRow(buffer.subarray(start, end)) : undefined;
      if (unpacked === undefined) batch.add(buffer, start, end);
      else for (const event of unpacked) batch.addText(event);
    },
    () => {
      throw tooLarge(source.bytes, `has a line of more than ${MAX_LINE_BYTES} bytes`);
    },
  );
  for (const chunk of decodeChunks(source.bytes, source.zstd)) {
    throwIfCancelled(signal);
    lines.push(chunk.bytes);
    const piece = batch.take(false);
    if (piece !== undefined) yield piece;
    if (line >= lastLine) break;
  }
  const rest = batch.take(true);
  if (rest !== undefined) yield rest;
}
