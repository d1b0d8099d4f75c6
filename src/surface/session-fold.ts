/**
 * The fold of a whole log: the current surface, and the facts that are folded beside it (title, subagent
 * label, context window, ownership). Feed it events in seq order; it may be asked at any time.
 */
import { SessionLogError } from '../errors.ts';
import type { Diagnostics } from '../log/diagnostics.ts';
import { KNOWN_TYPES } from '../log/event-types.ts';
import type { SessionHeader } from '../log/header.ts';
import type { StoredEvent } from '../log/rows.ts';
import {
  type MessageParts,
  messageParts,
  type SurfaceType,
  surfaceTypeOf,
  surfaceTypesOf,
  toolResultEnvelope,
} from './message.ts';
import { decodeSourceSeqs, type SeqRanges } from './provenance.ts';
import { type FactsState, SessionFacts } from './session-facts.ts';
import { SurfaceList } from './surface.ts';
import { decodeSurfaceOp } from './surface-op.ts';

/** What a caller keeps of a surface event: nothing, its text, or all of it. */
export type Keep<T> = (event: StoredEvent, type: SurfaceType, message: MessageParts) => T;

export interface SessionFoldOptions<T> {
  readonly header: SessionHeader;
  /** Path of the log, for error messages. */
  readonly path: string;
  readonly keep: Keep<T>;
  readonly diagnostics: Diagnostics;
  /** Facts of an earlier fold that this one goes on from; then only appends can be folded (`MustReadInFull`). */
  readonly continued?: FactsState | undefined;
}

const NO_SOURCES: SeqRanges = [];

export class SessionFold<T> {
  readonly header: SessionHeader;
  readonly facts: SessionFacts;
  readonly #path: string;
  readonly #keep: Keep<T>;
  readonly #diagnostics: Diagnostics;
  readonly #surface: SurfaceList<T>;
  readonly #surfaceTypes: ReadonlySet<string>;

  constructor(options: SessionFoldOptions<T>) {
    this.header = options.header;
    this.facts = new SessionFacts(options.header, options.continued);
    this.#path = options.path;
    this.#keep = options.keep;
    this.#diagnostics = options.diagnostics;
    this.#surface = new SurfaceList(options.header.version, options.continued !== undefined);
    this.#surfaceTypes = surfaceTypesOf(options.header.version);
  }

  /** Folds the next event. Errors: SESSION_LOG_CORRUPT when the surface would be invalid; then nothing changed. */
  apply(event: StoredEvent, line: number): void {
    const at = { line, seq: event.seq };
    if (!Number.isSafeInteger(event.time) || !('data' in event)) {
      this.#diagnostics.add('odd-envelope', `${event.type} lacks a valid time or its data`, at);
    }
    if (this.#surfaceTypes.has(event.type)) this.#applySurface(event, line);
    else this.#applyLogOnly(event, at);
  }

  /** Folds a sound message that is appended and whose contents nobody needs; `value` is kept for it. */
  applyUnread(type: SurfaceType, seq: number, value: T): void {
    this.#surface.apply({ seq, type, op: 'append', sources: NO_SOURCES, envelope: undefined, value });
  }

  /** Kept values of the current surface, in surface order. */
  surface(): Generator<T> {
    return this.#surface.values();
  }

  /** Checks what can only be known at the end of a log. Errors: SESSION_LOG_CORRUPT. */
  end(): void {
    const fault = this.facts.seedFault();
    if (fault !== undefined) throw this.#corrupt(fault, {});
  }

  #applyLogOnly(event: StoredEvent, at: { line: number; seq: number }): void {
    if (event.surfaceOp !== undefined && KNOWN_TYPES.has(event.type)) {
      this.#diagnostics.add(
        'odd-envelope',
        `${event.type} carries a surfaceOp, which has no meaning there`,
        at,
      );
    }
    if (!KNOWN_TYPES.has(event.type)) {
      this.#diagnostics.add('unknown-event-type', `unknown event type ${JSON.stringify(event.type)}`, at);
    }
    this.facts.apply(event);
  }

  #applySurface(event: StoredEvent, line: number): void {
    const at = { line, seq: event.seq };
    const type = surfaceTypeOf(event);
    const message = messageParts(event);
    if (message === undefined) throw this.#corrupt(`${event.type} has no message with a content array`, at);
    const op = decodeSurfaceOp(event.surfaceOp, this.header.version);
    if (op === undefined) throw this.#corrupt(`${event.type} has no valid surfaceOp`, at);
    const fault = this.#surface.apply({
      seq: event.seq,
      type,
      op,
      sources: this.#sources(event, type, at),
      envelope: type === 'tool/result' ? toolResultEnvelope(event) : undefined,
      value: this.#keep(event, type, message),
    });
    if (fault !== undefined) throw this.#corrupt(`${event.type} ${fault}`, at);
  }

  #sources(event: StoredEvent, type: SurfaceType, at: { line: number; seq: number }): SeqRanges {
    if (event.sourceEventSeqs === undefined) return NO_SOURCES;
    const sources = decodeSourceSeqs(event.sourceEventSeqs, event.seq);
    if (typeof sources === 'string') throw this.#corrupt(`${event.type}: sourceEventSeqs ${sources}`, at);
    const isMessage = type === 'assistant/message';
    const isOdd =
      this.header.version <= 1 ? sources.length === 0 && !isMessage : sources.length === 0 || isMessage;
    if (isOdd) {
      this.#diagnostics.add(
        'odd-provenance',
        `${event.type} has sourceEventSeqs that its format does not allow`,
        at,
      );
    }
    return sources;
  }

  #corrupt(what: string, at: { line?: number; seq?: number }): SessionLogError {
    const place = at.seq === undefined ? '' : ` (seq ${at.seq}, line ${at.line})`;
    return new SessionLogError(
      'SESSION_LOG_CORRUPT',
      this.#path,
      `the log ${JSON.stringify(this.#path)} cannot be folded: ${what}${place}`,
      { at },
    );
  }
}
