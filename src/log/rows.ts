/**
 * Rows to events: JSON, the envelope, packed chunk rows, and the rule about bad rows (format document, 2.4,
 * 4.1 and 4.4). The last place that meets unknown JSON in a row's envelope.
 */
import { isCount, isObject } from './header.ts';
import { shown } from './shown.ts';

/** One stored event. `data` and the two surface members are as the file has them, unchecked. */
export interface StoredEvent {
  readonly type: string;
  readonly seq: number;
  readonly time: number;
  readonly data: unknown;
  readonly surfaceOp?: unknown;
  readonly sourceEventSeqs?: unknown;
  readonly ignorable?: unknown;
}

/** What one line of a log is. `isTurnEnd` tells whether a bad row still reads as the end of a turn. */
export type Row =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  | { readonly kind: 'packed'; readonly count: number }
  | { readonly kind: 'bad'; readonly reason: string; readonly isTurnEnd: boolean };

/** Names of the array of members in each packed row, by its type tag. */
const PACKED_MEMBERS: Record<string, 'texts' | 'args'> = {
  'text-chunks': 'texts',
  'reasoning-chunks': 'texts',
  'tool-call-chunks': 'args',
};

/** Decodes one line that must continue the log at `expectedSeq`. Never throws. */
export function decodeRow(text: string, expectedSeq: number, version: number): Row {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    // Not JSON is one of the answers.
    return { kind: 'bad', reason: 'is not JSON', isTurnEnd: false };
  }
  if (!isObject(row)) return { kind: 'bad', reason: 'is not an object', isTurnEnd: false };
  const { type } = row;
  if (typeof type !== 'string') return { kind: 'bad', reason: 'has no type', isTurnEnd: false };
  if (Object.hasOwn(PACKED_MEMBERS, type)) return decodePackedRow(row, type, expectedSeq, version);
  if (row.seq !== expectedSeq || Object.is(row.seq, -0)) {
    return {
      kind: 'bad',
      reason: `has seq ${shown(row.seq)} where ${expectedSeq} is due`,
      isTurnEnd: type === 'turn/end',
    };
  }
  return { kind: 'event', event: row as unknown as StoredEvent };
}

/** False for bytes in which no `turn/end` can stand, plain or with escapes. */
export function maySpellTurnEnd(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.includes('turn/end') || buffer.includes('\\');
}

/** True for a line that, whatever its seq, is a readable `turn/end`: then damage before it is committed damage. */
export function isTurnEndRow(text: string): boolean {
  if (!text.includes('turn/end') && !text.includes('\\')) return false;
  try {
    const row: unknown = JSON.parse(text);
    return isObject(row) && row.type === 'turn/end';
  } catch {
    // Not JSON is one of the answers.
    return false;
  }
}

function decodePackedRow(
  row: Record<string, unknown>,
  type: string,
  expectedSeq: number,
  version: number,
): Row {
  const bad = (reason: string): Row => ({ kind: 'bad', reason, isTurnEnd: false });
  if (version > 1) return bad(`is a packed row, which format v${version} does not have`);
  const count = packedCount(row, type);
  if (count === undefined) return bad('is a malformed packed row');
  if (row.seq0 !== expectedSeq) {
    return bad(`has seq0 ${shown(row.seq0)} where ${expectedSeq} is due`);
  }
  return { kind: 'packed', count };
}

/** Number of events that a packed row stands for, or undefined when it breaks a rule of section 4.4. */
function packedCount(row: Record<string, unknown>, type: string): number | undefined {
  const { seq0, time0, data } = row;
  if (Object.keys(row).length !== 4 || !isCount(seq0) || !Number.isSafeInteger(time0) || !isObject(data)) {
    return undefined;
  }
  const members = data[PACKED_MEMBERS[type]!];
  const { dt } = data;
  if (!Array.isArray(members) || members.length === 0 || !members.every(isString)) return undefined;
  if (!Array.isArray(dt) || dt.length !== members.length - 1) return undefined;
  const isToolCall = type === 'tool-call-chunks';
  if (!hasExactKeys(data, isToolCall)) return undefined;
  if (isToolCall && !isString(data.id)) return undefined;
  if (isToolCall && 'name' in data && !isString(data.name)) return undefined;
  if (![data.turn, data.step, data.index].every((value) => typeof value === 'number')) return undefined;
  let time = time0 as number;
  for (const gap of dt) {
    if (!Number.isSafeInteger(gap)) return undefined;
    time += gap;
    if (!Number.isSafeInteger(time)) return undefined;
  }
  return Number.isSafeInteger(seq0 + members.length) ? members.length : undefined;
}

function hasExactKeys(data: Record<string, unknown>, isToolCall: boolean): boolean {
  const keys = Object.keys(data).length;
  // turn, step, index, dt and the members; a tool call has its id and perhaps a name as well.
  return isToolCall ? keys === ('name' in data ? 7 : 6) : keys === 5;
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}
