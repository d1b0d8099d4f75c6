/** Which messages are current at each moment, and what an image offload says of them (format document, 5.3 and 5.7). */
import { isCount, isObject } from '../log/header.ts';
import type { StoredEvent } from '../log/rows.ts';
import { messageParts } from '../surface/message.ts';
import type { SurfaceOp } from '../surface/surface-op.ts';
import { countImages } from './block-checks.ts';
import { quoted, type Report } from './event-report.ts';

interface CurrentNode {
  readonly seq: number;
  readonly type: string;
  readonly images: number;
  previous: CurrentNode | undefined;
  next: CurrentNode | undefined;
}

/** A shadow of the fold that knows membership by seq; only transitions that the fold accepted belong here. */
export class CurrentNodes {
  readonly #bySeq = new Map<number, CurrentNode>();
  #last: CurrentNode | undefined;

  apply(event: StoredEvent, op: SurfaceOp): void {
    const { seq, type } = event;
    const images = countImages(messageParts(event)?.content ?? []);
    const node: CurrentNode = { seq, type, images, previous: this.#last, next: undefined };
    if (op !== 'append') {
      node.previous = this.#bySeq.get(op.startSeq)?.previous;
      node.next = this.#removeSpan(op.startSeq, op.endSeq);
    }
    if (node.previous !== undefined) node.previous.next = node;
    if (node.next === undefined) this.#last = node;
    else node.next.previous = node;
    this.#bySeq.set(seq, node);
  }

  /** Removes the nodes from `start` to `end`, and gives the one behind them. */
  #removeSpan(start: number, end: number): CurrentNode | undefined {
    let node = this.#bySeq.get(start);
    for (; node !== undefined; node = node.next) {
      this.#bySeq.delete(node.seq);
      if (node.seq === end) return node.next;
    }
    return undefined;
  }

  checkOffload(event: StoredEvent, report: Report): void {
    const targets = isObject(event.data) ? event.data.targets : undefined;
    if (!Array.isArray(targets)) {
      report('offload-target', 'image/offload has no list of targets');
      return;
    }
    for (const target of targets as readonly unknown[]) {
      const fault = this.#targetFault(target);
      if (fault !== undefined) report('offload-target', `image/offload ${fault}`);
    }
  }

  #targetFault(target: unknown): string | undefined {
    if (!isObject(target) || !Array.isArray(target.imageIndexes)) return 'has a malformed target';
    const node = typeof target.seq === 'number' ? this.#bySeq.get(target.seq) : undefined;
    if (node === undefined) return `names seq ${quoted(target.seq)}, which is not on the surface`;
    if (node.type !== 'user/message' && node.type !== 'tool/result') return `names a ${node.type}`;
    let previous = -1;
    for (const index of target.imageIndexes as readonly unknown[]) {
      if (!isCount(index) || index <= previous) return 'has image indexes that do not increase';
      if (index >= node.images) return `names image ${index} of seq ${target.seq}, which has ${node.images}`;
      previous = index;
    }
    return undefined;
  }
}
