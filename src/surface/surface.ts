/**
 * The surface: the ordered list of messages that a model sees now. One body serves a full and an incremental
 * fold: each transition is checked completely, and only then applied (format document, section 5).
 */
import { isSameEnvelope, type SurfaceType, type ToolResultEnvelope } from './message.ts';
import { citesAll, type SeqRanges } from './provenance.ts';
import type { SurfaceOp } from './surface-op.ts';

/** A transition whose event has been checked by itself: what it is, where it goes, what it cites. */
export interface Transition<T> {
  readonly seq: number;
  readonly type: SurfaceType;
  readonly op: SurfaceOp;
  readonly sources: SeqRanges;
  /** Of a tool result that was read: everything but its content (`toolResultEnvelope`), else undefined. */
  readonly envelope: ToolResultEnvelope | undefined;
  /** What the caller keeps of this event. */
  readonly value: T;
}

interface Node<T> {
  readonly seq: number;
  readonly type: SurfaceType;
  readonly envelope: ToolResultEnvelope | undefined;
  readonly value: T;
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
}

/**
 * Something that was passed over is being replaced: a tool result whose contents were not read, or a node from
 * before the place where this fold went on. Not a fault of the log; it has to be read in full.
 */
export class MustReadInFull extends Error {}

/**
 * Current nodes in a linked list with a map from seq to node. A replacement walks its span once and removes
 * it, so a whole log is folded in time proportional to its events.
 */
export class SurfaceList<T> {
  readonly #bySeq = new Map<number, Node<T>>();
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;
  readonly #protectsSystemHead: boolean;
  readonly #isContinued: boolean;

  /**
   * `version` is the format of the log: from v3 on a leading system message is protected. `isContinued`: nodes
   * from before are not in this list, so it can append but not replace.
   */
  constructor(version: number, isContinued: boolean) {
    this.#protectsSystemHead = version >= 3;
    this.#isContinued = isContinued;
  }

  get size(): number {
    return this.#bySeq.size;
  }

  /** Applies a transition, or gives the broken rule as a phrase and changes nothing. */
  apply(transition: Transition<T>): string | undefined {
    const { op } = transition;
    if (op === 'append') {
      this.#insert(transition, this.#last, undefined);
      return undefined;
    }
    if (this.#isContinued) throw new MustReadInFull();
    const start = this.#bySeq.get(op.startSeq);
    const end = this.#bySeq.get(op.endSeq);
    if (start === undefined) return `replaces from seq ${op.startSeq}, which is not on the surface`;
    if (end === undefined) return `replaces up to seq ${op.endSeq}, which is not on the surface`;
    const span = spanOf(start, end);
    if (span === undefined) return `replaces from seq ${op.startSeq} to ${op.endSeq}, which stands before it`;
    const fault = this.#spanFault(transition, start, span);
    if (fault !== undefined) return fault;
    for (const seq of span) this.#bySeq.delete(seq);
    this.#insert(transition, start.previous, end.next);
    return undefined;
  }

  /** The kept values, in surface order. */
  *values(): Generator<T> {
    for (let node = this.#first; node !== undefined; node = node.next) yield node.value;
  }

  #spanFault(transition: Transition<T>, start: Node<T>, span: readonly number[]): string | undefined {
    const { type, envelope, sources } = transition;
    if (!citesAll(sources, span)) return 'does not cite every event that it replaces';
    if (type === 'tool/result') {
      if (span.length !== 1 || start.type !== 'tool/result')
        return 'is a tool result that replaces something else';
      if (start.envelope === undefined) throw new MustReadInFull();
      if (envelope === undefined || !isSameEnvelope(envelope, start.envelope))
        return 'is a tool result that replaces more than the content of another';
    }
    const coversHead = start === this.#first && start.type === 'system/message';
    if (this.#protectsSystemHead && coversHead && (type !== 'system/message' || span.length !== 1)) {
      return 'replaces the leading system message';
    }
    return undefined;
  }

  #insert(transition: Transition<T>, previous: Node<T> | undefined, next: Node<T> | undefined): void {
    const { seq, type, envelope, value } = transition;
    const node: Node<T> = { seq, type, envelope, value, previous, next };
    if (previous === undefined) this.#first = node;
    else previous.next = node;
    if (next === undefined) this.#last = node;
    else next.previous = node;
    this.#bySeq.set(seq, node);
  }
}

/** Seqs from `start` to `end` in list order; undefined when `end` does not come after `start`. */
function spanOf<T>(start: Node<T>, end: Node<T>): number[] | undefined {
  const span: number[] = [];
  for (let node: Node<T> | undefined = start; node !== undefined; node = node.next) {
    span.push(node.seq);
    if (node === end) return span;
  }
  return undefined;
}
