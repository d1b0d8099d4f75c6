/**
 * One log from bytes to events: the pipe `bytes → chunks → lines → header and rows`, and the decision what
 * of a damaged end is dropped and what makes the log corrupt (format document, 2.4; contract, 6.11).
 */
import { SessionLogError } from '../errors.ts';
import type { LogBytes } from './bytes.ts';
import { type ContainerEnd, type DecodedChunk, decodeChunks, tooLarge } from './container.ts';
import type { Diagnostics } from './diagnostics.ts';
import { decodeHeader, type SessionHeader } from './header.ts';
import { MAX_HEADER_BYTES, MAX_LINE_BYTES } from './limits.ts';
import { LineSplitter } from './lines.ts';
import { type ScannedMessage, type ScannedRow, scanRow } from './row-scan.ts';
import { decodeRow, isTurnEndRow, maySpellTurnEnd, type StoredEvent } from './rows.ts';
import type { ZstdFrames } from './zstd.ts';

/** Receives a log in order: the header once, then each event that is not a packed chunk. */
export interface LogSink {
  header(header: SessionHeader): void;
  event(event: StoredEvent, line: number): void;
  /** What the sink does not need to see; without it every row is read in full. */
  readonly passOver?: PassOver;
}

/**
 * What may be passed over (`row-scan.ts`): log-only events of known types that carry no fact do not arrive at all,
 * nor does anything of an assistant message but its text blocks. Messages of these types arrive here alone, as
 * seqs: sound ones, appended, with a content array.
 */
export interface PassOver {
  readonly types: ReadonlySet<ScannedMessage>;
  unread(type: ScannedMessage, seq: number): void;
}

export interface LogSource {
  readonly bytes: LogBytes;
  /** The decoder of a compressed log, undefined for a plain one. */
  readonly zstd: ZstdFrames | undefined;
  /** Format number in the file's name, undefined where the name has none. */
  readonly nameVersion: number | undefined;
}

/** What is known when a log has been read to its end. */
export interface LogEnd {
  /** Seq of the last stored event; null when there is none. Members of packed rows count. */
  readonly lastSeq: number | null;
  /** The last place from which a later reading can go on; undefined where rows were dropped. */
  readonly border: LogBorder | undefined;
}

/** A place between two rows, and in a compressed log between two frames, with all before it sound. */
export interface LogBorder {
  readonly byteOffset: number;
  /** Number of the last frame before it; 0 in a plain log. */
  readonly frame: number;
  /** Number of the last line before it. */
  readonly line: number;
  readonly nextSeq: number;
}

/** Where a reading goes on: what an earlier one gave, and the header that it read. */
export interface LogResumption {
  readonly border: LogBorder;
  readonly header: SessionHeader;
}

/**
 * Reads a log into `sink`; yields after each chunk, so that a caller can look at its signal and let others run.
 * With `resumption` it goes on at a border of an earlier reading, whose events do not come again.
 * Errors: SESSION_LOG_EMPTY, SESSION_LOG_CORRUPT, SESSION_LOG_UNSUPPORTED, SESSION_LOG_TOO_LARGE, and what the
 * sink throws.
 */
export function* readLog(
  source: LogSource,
  sink: LogSink,
  diagnostics: Diagnostics,
  resumption?: LogResumption,
): Generator<void, LogEnd> {
  const reader = new RowReader(source, sink, diagnostics, resumption);
  const border = resumption?.border;
  const start = border && { byteOffset: border.byteOffset, frame: border.frame + 1 };
  const chunks = decodeChunks(source.bytes, source.zstd, start);
  let next = chunks.next();
  for (; !next.done; next = chunks.next()) {
    reader.push(next.value);
    yield;
  }
  return reader.end(next.value);
}

/** The header alone; of a compressed log the first frame and nothing else is read. Errors as `readLog`. */
export function readHeader(source: LogSource, diagnostics: Diagnostics): SessionHeader {
  let found: SessionHeader | undefined;
  const sink: LogSink = {
    header(header) {
      found = header;
    },
    event() {},
  };
  const reader = new RowReader(source, sink, diagnostics);
  for (const chunk of decodeChunks(source.bytes, source.zstd)) {
    reader.pushHeader(chunk.bytes);
    if (found !== undefined) return found;
  }
  throw noHeader(source.bytes);
}

class RowReader {
  readonly #source: LogSource;
  readonly #sink: LogSink;
  readonly #diagnostics: Diagnostics;
  readonly #lines: LineSplitter;
  #header: SessionHeader | undefined;
  #line = 0;
  #nextSeq = 0;
  #frame = 0;
  #byteOffset = 0;
  /** The first bad row. From then on rows are only searched for a `turn/end`. */
  #bad: { readonly line: number; readonly frame: number; readonly reason: string } | undefined;
  #border: LogBorder | undefined;

  constructor(source: LogSource, sink: LogSink, diagnostics: Diagnostics, resumption?: LogResumption) {
    this.#source = source;
    this.#sink = sink;
    this.#diagnostics = diagnostics;
    this.#lines = new LineSplitter(
      (buffer, start, end) => this.#onLine(buffer, start, end),
      () => {
        throw tooLarge(source.bytes, `has a line of more than ${MAX_LINE_BYTES} bytes`);
      },
    );
    if (resumption === undefined) return;
    const { header, border } = resumption;
    this.#header = header;
    this.#line = border.line;
    this.#nextSeq = border.nextSeq;
    this.#border = border;
    sink.header(header);
  }

  push({ bytes, frame, byteOffset, endOffset }: DecodedChunk): void {
    this.#frame = frame;
    this.#byteOffset = byteOffset;
    // Behind a bad row only a turn/end matters; bytes that cannot spell one need no lines.
    if (this.#bad !== undefined && !maySpellTurnEnd(bytes)) this.#lines.skip(bytes);
    else this.#lines.push(bytes);
    if (endOffset !== undefined) this.#noteBorder(endOffset);
  }

  #noteBorder(endOffset: number): void {
    const { unfinishedBytes } = this.#lines;
    if (this.#header === undefined || this.#bad !== undefined) return;
    // In a plain log any line end will do; a frame can only be entered at its beginning.
    if (this.#source.zstd !== undefined && unfinishedBytes > 0) return;
    this.#border = {
      byteOffset: endOffset - unfinishedBytes,
      frame: this.#frame,
      line: this.#line,
      nextSeq: this.#nextSeq,
    };
  }

  /** Feeds no more than the header line. */
  pushHeader(chunk: Uint8Array): void {
    const lineFeedAt = chunk.indexOf(10);
    this.#lines.push(lineFeedAt < 0 ? chunk : chunk.subarray(0, lineFeedAt + 1));
    if (this.#header === undefined) this.#refuseLongHeader(this.#lines.unfinishedBytes);
  }

  end(container: ContainerEnd): LogEnd {
    if (this.#header === undefined) throw noHeader(this.#source.bytes);
    if (container.tornFrameAt !== undefined) {
      this.#diagnostics.add('torn-frame', `the file ends inside a frame (byte ${container.tornFrameAt})`);
    }
    if (this.#lines.unfinishedBytes > 0) {
      this.#diagnostics.add('torn-line', 'the bytes behind the last line feed are not a row yet', {
        line: this.#line + 1,
      });
    }
    if (this.#bad !== undefined) {
      const { line, reason, frame } = this.#bad;
      this.#diagnostics.add('dropped-tail', `line ${line} ${reason}; it and all after it were dropped`, {
        line,
      });
      if (frame > 0 && frame !== container.tornFrame) {
        this.#diagnostics.add('damage-in-whole-frame', `the bad row of line ${line} lies in a whole frame`, {
          line,
        });
      }
    }
    return {
      lastSeq: this.#nextSeq === 0 ? null : this.#nextSeq - 1,
      // Facts of rows behind the border (in a torn frame, say) must not be gone on from.
      border: this.#border?.nextSeq === this.#nextSeq ? this.#border : undefined,
    };
  }

  #onLine(buffer: Buffer, start: number, end: number): void {
    this.#line += 1;
    if (this.#header === undefined) {
      this.#refuseLongHeader(end - start);
      const text = buffer.toString('utf8', start, end);
      const { path } = this.#source.bytes;
      this.#header = decodeHeader(text, path, this.#source.nameVersion, this.#diagnostics);
      this.#sink.header(this.#header);
      return;
    }
    if (this.#bad === undefined && this.#isScanned(buffer, start, end, this.#header.version)) return;
    const text = buffer.toString('utf8', start, end);
    if (this.#bad !== undefined) {
      if (isTurnEndRow(text)) throw this.#committedDamage(this.#bad.line, this.#bad.reason);
      return;
    }
    const row = decodeRow(text, this.#nextSeq, this.#header.version);
    switch (row.kind) {
      case 'event':
        this.#nextSeq += 1;
        this.#sink.event(row.event, this.#line);
        break;
      case 'packed':
        this.#nextSeq += row.count;
        break;
      case 'bad':
        if (row.isTurnEnd) throw this.#committedDamage(this.#line, row.reason);
        this.#bad = { line: this.#line, frame: this.#frame, reason: row.reason };
        break;
    }
  }

  /** Takes the row where the quick way proves it to be due and of no interest. */
  #isScanned(buffer: Buffer, start: number, end: number, version: number): boolean {
    const { passOver } = this.#sink;
    if (passOver === undefined) return false;
    const row = scanRow(buffer, start, end, version, this.#source.zstd?.runsFor(buffer));
    if (row === undefined || row.seq !== this.#nextSeq) return false;
    if (row.kind !== 'log-only') {
      if (passOver.types.has(row.kind)) passOver.unread(row.kind, row.seq);
      else if (row.kind === 'assistant/message') this.#sink.event(assistantEvent(buffer, row), this.#line);
      else return false;
    }
    this.#nextSeq += row.count;
    return true;
  }

  #refuseLongHeader(bytes: number): void {
    if (bytes > MAX_HEADER_BYTES) {
      throw tooLarge(this.#source.bytes, `has a header line of more than ${MAX_HEADER_BYTES} bytes`);
    }
  }

  #committedDamage(line: number, reason: string): SessionLogError {
    const { path } = this.#source.bytes;
    return new SessionLogError(
      'SESSION_LOG_CORRUPT',
      path,
      `the log ${JSON.stringify(path)} is damaged: line ${line} ${reason}, and a turn ends behind it`,
      { at: { line, seq: this.#nextSeq, byteOffset: this.#byteOffset, frame: this.#frame } },
    );
  }
}

/** Of an assistant message only the text blocks are made: the rest can be many times as long. */
function assistantEvent(buffer: Buffer, { seq, time, texts }: ScannedRow): StoredEvent {
  const content: unknown[] = [];
  for (let at = 0; at < texts.length; at += 2) {
    const text: unknown = JSON.parse(buffer.toString('utf8', texts[at], texts[at + 1]));
    content.push({ type: 'text', text });
  }
  return { type: 'assistant/message', seq, time, surfaceOp: 'append', data: { message: { content } } };
}

/** SESSION_LOG_EMPTY: not a log, or not yet. */
function noHeader(bytes: LogBytes): SessionLogError {
  return new SessionLogError(
    'SESSION_LOG_EMPTY',
    bytes.path,
    `the log ${JSON.stringify(bytes.path)} has no complete header line`,
  );
}
