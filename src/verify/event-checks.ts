/** All checks of the events of one log, the fold of the reader among them. */
import { type LogPosition, SessionLogError } from '../errors.ts';
import { Diagnostics } from '../log/diagnostics.ts';
import type { SessionHeader } from '../log/header.ts';
import type { StoredEvent } from '../log/rows.ts';
import { messageParts, surfaceTypesOf } from '../surface/message.ts';
import { decodeSourceSeqs } from '../surface/provenance.ts';
import { SessionFold } from '../surface/session-fold.ts';
import { decodeSurfaceOp } from '../surface/surface-op.ts';
import { checkEnvelope } from './envelope-checks.ts';
import type { Report } from './event-report.ts';
import type { FindingKind } from './finding-kinds.ts';
import { type FindingList, messageOf } from './findings.ts';
import { checkMessage } from './message-checks.ts';
import { checkPayload } from './payload-checks.ts';
import { CurrentNodes } from './surface-checks.ts';
import { TurnChecks } from './turn-checks.ts';

export class EventChecks {
  readonly #findings: FindingList;
  readonly #version: number;
  readonly #surfaceTypes: ReadonlySet<string>;
  readonly #fold: SessionFold<undefined>;
  readonly #turns = new TurnChecks();
  readonly #nodes = new CurrentNodes();
  /** Events that the fold refused: what replaces one of them later is no finding of its own. */
  readonly #refused = new Set<number>();
  /** Rows are missing: what hangs on earlier events cannot be told any more. */
  #isBehindDamage = false;

  constructor(header: SessionHeader, path: string, findings: FindingList) {
    this.#findings = findings;
    this.#version = header.version;
    this.#surfaceTypes = surfaceTypesOf(header.version);
    this.#fold = new SessionFold({ header, path, keep: () => undefined, diagnostics: new Diagnostics() });
  }

  /** From here on events are only checked one by one. */
  noteDamage(): void {
    this.#isBehindDamage = true;
  }

  apply(event: StoredEvent, place: LogPosition): void {
    const report: Report = (kind, message) => this.#findings.add(kind, message, place);
    const isOnSurface = this.#surfaceTypes.has(event.type);
    checkEnvelope(event, this.#version, report);
    if (isOnSurface && messageParts(event) !== undefined) checkMessage(event, this.#version, report);
    checkPayload(event, this.#version, report);
    if (this.#isBehindDamage) return;
    this.#turns.apply(event, report);
    if (event.type === 'image/offload') this.#nodes.checkOffload(event, report);
    this.#applyFold(event, isOnSurface, place);
  }

  /** What can only be known at the end; `eventCount` events were stored. */
  end(eventCount: number): void {
    if (this.#isBehindDamage) return;
    try {
      this.#fold.end();
    } catch (error) {
      if (!(error instanceof SessionLogError)) throw error;
      this.#findings.add('seed-mark', messageOf(error));
    }
    const { seedLength } = this.#fold.header;
    if (seedLength !== undefined && seedLength > eventCount) {
      const message = `the header says that ${seedLength} events are inherited, but the log has ${eventCount}`;
      this.#findings.add('seed-length', message, { line: 1 });
    }
  }

  #applyFold(event: StoredEvent, isOnSurface: boolean, place: LogPosition): void {
    try {
      this.#fold.apply(event, place.line ?? 0);
    } catch (error) {
      if (!(error instanceof SessionLogError)) throw error;
      if (!this.#isConsequence(event))
        this.#findings.add(this.#kindOfRefusal(event), messageOf(error), place);
      this.#refused.add(event.seq);
      return;
    }
    if (!isOnSurface) return;
    const op = decodeSurfaceOp(event.surfaceOp, this.#version);
    if (op !== undefined) this.#nodes.apply(event, op);
    this.#checkSources(event, place);
  }

  #kindOfRefusal(event: StoredEvent): FindingKind {
    if (messageParts(event) === undefined) return 'message-content';
    if (decodeSurfaceOp(event.surfaceOp, this.#version) === undefined) return 'surface-op';
    const { sourceEventSeqs } = event;
    const areSourcesBad =
      sourceEventSeqs !== undefined && typeof decodeSourceSeqs(sourceEventSeqs, event.seq) === 'string';
    return areSourcesBad ? 'sources-invalid' : 'replacement-invalid';
  }

  /** A replacement of an event that was refused itself. */
  #isConsequence(event: StoredEvent): boolean {
    if (this.#kindOfRefusal(event) !== 'replacement-invalid') return false;
    const op = decodeSurfaceOp(event.surfaceOp, this.#version);
    return (
      op !== undefined && op !== 'append' && [op.startSeq, op.endSeq].some((seq) => this.#refused.has(seq))
    );
  }

  /** A list that the fold accepts, and the format does not (format document, 5.4). */
  #checkSources(event: StoredEvent, place: LogPosition): void {
    if (event.sourceEventSeqs === undefined) return;
    const { type } = event;
    const isEmpty = (event.sourceEventSeqs as readonly unknown[]).length === 0;
    const isMessage = type === 'assistant/message';
    if (isMessage && this.#version >= 2) {
      this.#findings.add('sources-odd', `${type} cites events, which it may not from v2 on`, place);
    } else if (isEmpty && !isMessage) {
      this.#findings.add('sources-odd', `${type} has an empty sourceEventSeqs`, place);
    }
  }
}
