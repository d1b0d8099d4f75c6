/** Which rule a bad row breaks, and where the numbering goes on behind it (format document, 2.4). */
import { isCount, isObject } from '../log/header.ts';
import { decodeRow } from '../log/rows.ts';
import type { FindingKind } from './finding-kinds.ts';

const PACKED_TAGS: ReadonlySet<unknown> = new Set(['text-chunks', 'reasoning-chunks', 'tool-call-chunks']);

export interface RowDamage {
  readonly kind: FindingKind;
  /** The seq that is due next if this row's own number is believed; undefined where it has none. */
  readonly nextSeq: number | undefined;
}

/** `text` is a line that `decodeRow` refused. */
export function explainRow(text: string, version: number): RowDamage {
  const row = parse(text);
  if (row === undefined) return { kind: 'row-json', nextSeq: undefined };
  if (!isObject(row) || typeof row.type !== 'string') return { kind: 'row-shape', nextSeq: undefined };
  const isPacked = PACKED_TAGS.has(row.type);
  if (isPacked && version > 1) return { kind: 'row-packed-format', nextSeq: undefined };
  const ownSeq = isPacked ? row.seq0 : row.seq;
  if (!isCount(ownSeq)) return { kind: isPacked ? 'row-packed' : 'row-seq', nextSeq: undefined };
  const believed = decodeRow(text, ownSeq, version);
  if (believed.kind === 'bad') return { kind: 'row-packed', nextSeq: undefined };
  return { kind: 'row-seq', nextSeq: ownSeq + (believed.kind === 'packed' ? believed.count : 1) };
}

/** The seq that a row says it has, whatever is due. */
export function ownSeqOf(text: string): number | undefined {
  const row = parse(text);
  if (!isObject(row)) return undefined;
  const seq = PACKED_TAGS.has(row.type) ? row.seq0 : row.seq;
  return isCount(seq) ? seq : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON is one of the answers.
    return undefined;
  }
}
