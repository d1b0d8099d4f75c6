/**
 * Checks one log from its bytes to its surface, with the stages of the reader, and goes on behind a fault where
 * that makes sense. There is an error among the findings exactly when the reader refuses the log, every row read in
 * full: the quick ways of a citation look less closely at rows that a checksum vouches for.
 */
import { isUtf8 } from 'node:buffer';
import { type LogPosition, SessionLogError } from '../errors.ts';
import { type ContainerEnd, type ContainerStart, type DecodedChunk, decodeChunks } from '../log/container.ts';
import { Diagnostics } from '../log/diagnostics.ts';
import { decodeHeader, type SessionHeader } from '../log/header.ts';
import { MAX_HEADER_BYTES, MAX_LINE_BYTES } from '../log/limits.ts';
import { LineSplitter } from '../log/lines.ts';
import type { LogSource } from '../log/read-log.ts';
import { decodeRow, isTurnEndRow } from '../log/rows.ts';
import { EventChecks } from './event-checks.ts';
import type { Finding } from './findings.ts';
import { FindingList, messageOf } from './findings.ts';
import { explainDamage } from './frame-damage.ts';
import { checkHeader } from './header-checks.ts';
import { explainRow, ownSeqOf } from './row-damage.ts';

export interface LogVerdict {
  readonly findings: readonly Finding[];
  /** Format of the log; undefined without a sound header. */
  readonly formatVersion: number | undefined;
  /** Stored events up to the first bad row, members of packed rows counted. */
  readonly events: number;
}

/** Checks an open log; yields after each chunk, so that a caller can look at its signal. Never throws for the log. */
export function* verifyLog(source: LogSource, sessionId: string | undefined): Generator<void, LogVerdict> {
  const walk = new LogWalk(source, new FindingList(source.bytes.path, sessionId));
  yield* walk.run();
  return walk.verdict();
}

const CARRIAGE_RETURN = 13;

interface BadRow {
  readonly kind: ReturnType<typeof explainRow>['kind'];
  readonly reason: string;
  readonly place: LogPosition;
}

class LogWalk {
  readonly #source: LogSource;
  readonly #findings: FindingList;
  #lines: LineSplitter;
  #header: SessionHeader | undefined;
  #isHeaderRefused = false;
  #events: EventChecks | undefined;
  #line = 0;
  /** Undefined behind damage: the next row's own number is then believed. */
  #dueSeq: number | undefined = 0;
  #eventCount = 0;
  /** Bad rows that may still turn out to be no more than a dropped tail. */
  #badRows: BadRow[] = [];
  #hasBadRow = false;
  #isCommittedDamage = false;
  /** Where the frame that is being decoded begins. */
  #frameStart: ContainerStart = { byteOffset: 0, frame: 1 };
  /** Frame and file offset of the line that comes next. */
  #lineStart: LogPosition = { byteOffset: 0, frame: 0 };
  #chunk: LogPosition = { byteOffset: 0, frame: 0 };
  /** By how much the container counts frames too high (`#enterFirstFrame`). */
  #frameShift = 0;

  constructor(source: LogSource, findings: FindingList) {
    this.#source = source;
    this.#findings = findings;
    this.#lines = this.#newLines();
  }

  verdict(): LogVerdict {
    return {
      findings: this.#findings.list(),
      formatVersion: this.#header?.version,
      events: this.#eventCount,
    };
  }

  *run(): Generator<void> {
    let start: ContainerStart | undefined = this.#frameStart;
    while (start !== undefined) {
      try {
        this.#end(yield* this.#decodeFrom(start));
        return;
      } catch (error) {
        if (!(error instanceof SessionLogError) || error.kind === 'unreadable') throw error;
        start = this.#noteDamage(error);
      }
    }
    this.#settleBadRows(false);
  }

  *#decodeFrom(start: ContainerStart): Generator<void, ContainerEnd> {
    const { bytes, zstd } = this.#source;
    const chunks = decodeChunks(bytes, zstd, start);
    for (let next = chunks.next(); ; next = chunks.next()) {
      if (next.done === true) return next.value;
      this.#push(next.value);
      yield;
    }
  }

  #push({ bytes, frame, byteOffset, endOffset }: DecodedChunk): void {
    this.#chunk = { byteOffset, frame: frame - this.#frameShift };
    if (frame > 0 && this.#lines.unfinishedBytes === 0) this.#lineStart = this.#chunk;
    this.#lines.push(bytes);
    if (endOffset === undefined || frame === 0) return;
    this.#frameStart = { byteOffset: endOffset, frame: frame + 1 };
    const hasChecksum = (this.#source.bytes.view(byteOffset + 4, 1)[0]! & 0b100) !== 0;
    if (!hasChecksum) this.#findings.add('frame-without-checksum', 'the frame has no checksum', this.#chunk);
    if (this.#lines.unfinishedBytes > 0) {
      const place = { ...this.#chunk, line: this.#line + 1 };
      this.#findings.add('frame-ends-inside-line', 'the frame is whole, but ends inside a line', place);
    }
  }

  #newLines(): LineSplitter {
    return new LineSplitter(
      (buffer, start, end) => this.#onLine(buffer, start, end),
      () => {
        const { path } = this.#source.bytes;
        const message = `the line is longer than ${MAX_LINE_BYTES} bytes`;
        const at = { ...this.#lineStart, line: this.#line + 1 };
        throw new SessionLogError('SESSION_LOG_TOO_LARGE', path, message, { at });
      },
    );
  }

  #onLine(buffer: Buffer, start: number, end: number): void {
    this.#line += 1;
    const place = { ...this.#lineStart, line: this.#line };
    const { byteOffset = 0, frame = 0 } = this.#lineStart;
    this.#lineStart = frame === 0 ? { byteOffset: byteOffset + end - start + 1, frame } : this.#chunk;
    if (this.#isHeaderRefused) return;
    if (end > start && buffer[end - 1] === CARRIAGE_RETURN) {
      this.#findings.add('line-carriage-return', 'the line ends with a carriage return', place);
    }
    if (!isUtf8(buffer.subarray(start, end))) {
      this.#findings.add('line-encoding', 'the line is not valid UTF-8', place);
    }
    const text = buffer.toString('utf8', start, end);
    if (this.#header === undefined) this.#onHeader(text, end - start, place);
    else this.#onRow(text, this.#header.version, place);
  }

  #onHeader(text: string, sizeBytes: number, place: LogPosition): void {
    const { bytes, nameVersion } = this.#source;
    if (sizeBytes > MAX_HEADER_BYTES) {
      this.#findings.add('log-too-large', `the header line is longer than ${MAX_HEADER_BYTES} bytes`, place);
      this.#isHeaderRefused = true;
      return;
    }
    try {
      this.#header = decodeHeader(text, bytes.path, nameVersion, new Diagnostics());
    } catch (error) {
      if (!(error instanceof SessionLogError)) throw error;
      this.#isHeaderRefused = true;
      const isUnsupported = error.kind === 'unsupported';
      const kind = isUnsupported ? 'session-unsupported' : this.#headerFault(text);
      this.#findings.add(kind, messageOf(error), place);
      return;
    }
    checkHeader(this.#header, (kind, message) => this.#findings.add(kind, message, place));
    this.#events = new EventChecks(this.#header, bytes.path, this.#findings);
  }

  /** Tells a name that does not fit from everything else: without the name the header would be sound. */
  #headerFault(text: string): 'header-version' | 'header-invalid' {
    if (this.#source.nameVersion === undefined) return 'header-invalid';
    try {
      decodeHeader(text, this.#source.bytes.path, undefined, new Diagnostics());
      return 'header-version';
    } catch {
      // Refused whatever the name says.
      return 'header-invalid';
    }
  }

  #onRow(text: string, version: number, place: LogPosition): void {
    if (this.#hasBadRow && isTurnEndRow(text)) this.#settleBadRows(true);
    const due = this.#dueSeq ?? ownSeqOf(text);
    const row = decodeRow(text, due ?? 0, version);
    if (row.kind === 'bad') {
      this.#onBadRow(text, row, due === undefined ? place : { ...place, seq: due }, version);
      return;
    }
    const count = row.kind === 'packed' ? row.count : 1;
    this.#dueSeq = (due ?? 0) + count;
    if (this.#hasBadRow) return;
    this.#eventCount += count;
    if (row.kind === 'event') this.#events?.apply(row.event, { ...place, seq: row.event.seq });
  }

  #onBadRow(
    text: string,
    row: { reason: string; isTurnEnd: boolean },
    place: LogPosition,
    version: number,
  ): void {
    const { kind, nextSeq } = explainRow(text, version);
    this.#dueSeq = nextSeq;
    this.#hasBadRow = true;
    this.#badRows.push({ kind, reason: row.reason, place });
    if (row.isTurnEnd) this.#settleBadRows(true);
  }

  /** Reports the bad rows so far: as damage when a turn ends behind them, else as a tail that is dropped. */
  #settleBadRows(isCommitted: boolean): void {
    this.#isCommittedDamage ||= isCommitted;
    const why = isCommitted ? ', and a turn ends behind it' : '; it and all behind it are dropped';
    for (const { kind, reason, place } of this.#badRows) {
      this.#findings.add(kind, `the row ${reason}${why}`, place, isCommitted ? 'error' : 'warning');
    }
    this.#badRows = [];
  }

  /** Reports a fault of the container and gives the place to go on at. */
  #noteDamage(error: SessionLogError): ContainerStart | undefined {
    const { kind, next } = explainDamage(error, this.#source, this.#frameStart);
    const { line, byteOffset = this.#frameStart.byteOffset } = error;
    const frame = this.#source.zstd === undefined ? 0 : this.#frameStart.frame - this.#frameShift;
    this.#findings.add(kind, messageOf(error), {
      byteOffset,
      frame,
      ...(line === undefined ? {} : { line }),
    });
    this.#lines = this.#newLines();
    if (kind === 'first-frame') return this.#enterFirstFrame();
    if (next === undefined) return undefined;
    this.#events?.noteDamage();
    this.#dueSeq = undefined;
    // Without the header frame there is no telling what the rows behind it have to be.
    if (this.#header === undefined) this.#isHeaderRefused = true;
    this.#frameStart = next;
    return next;
  }

  /** Reads the rows of a log that stands in one frame all the same: entered as a later frame, it may hold them. */
  #enterFirstFrame(): ContainerStart {
    this.#line = 0;
    this.#header = undefined;
    this.#frameShift = 1;
    this.#frameStart = { byteOffset: 0, frame: 2 };
    return this.#frameStart;
  }

  #end({ tornFrameAt }: ContainerEnd): void {
    if (tornFrameAt !== undefined) {
      const place = { byteOffset: tornFrameAt, frame: this.#frameStart.frame - this.#frameShift };
      this.#findings.add('frame-torn', 'the file ends inside this frame', place);
    }
    if (this.#lines.unfinishedBytes > 0 && !this.#isHeaderRefused) {
      const message = `${this.#lines.unfinishedBytes} bytes behind the last line feed are not a row yet`;
      this.#findings.add('line-torn', message, { ...this.#lineStart, line: this.#line + 1 });
    }
    if (this.#header === undefined && !this.#isHeaderRefused) {
      this.#findings.add('log-empty', 'there is no complete header line', { byteOffset: 0, line: 1 });
    }
    this.#settleBadRows(false);
    if (!this.#isCommittedDamage) this.#events?.end(this.#eventCount);
  }
}
