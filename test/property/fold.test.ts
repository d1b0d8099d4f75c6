import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../src/log/diagnostics.ts';
import type { SessionHeader } from '../../src/log/header.ts';
import type { StoredEvent } from '../../src/log/rows.ts';
import { SessionFold } from '../../src/surface/session-fold.ts';
import { type Format, headerOf, type Json, LogScript } from '../support/log-writer/log-script.ts';
import { codeOf, eventsOf } from '../support/log-writer/read-back.ts';
import { foldSlowly } from '../support/slow-surface.ts';

/** One step of a random log: what is written, and where it goes, as shares of what there is. */
interface Step {
  readonly type: 'user' | 'assistant' | 'result' | 'system' | 'developer' | 'log-only' | 'prune' | 'bad';
  readonly isReplacement: boolean;
  readonly from: number;
  readonly length: number;
  /** How the endpoints or the citation are spoiled, if at all. */
  readonly spoil:
    | 'not'
    | 'cite less'
    | 'cite pairs'
    | 'cite more'
    | 'backwards'
    | 'elsewhere'
    | 'other spelling';
}

const share = fc.double({ min: 0, max: 0.999, noNaN: true });
const often = <T>(value: T, ...others: T[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(value) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  );
const step: fc.Arbitrary<Step> = fc.record({
  type: fc.oneof(
    {
      weight: 80,
      arbitrary: fc.constantFrom<Step['type']>('user', 'assistant', 'result', 'system', 'prune'),
    },
    { weight: 20, arbitrary: fc.constantFrom<Step['type']>('developer', 'log-only') },
    { weight: 1, arbitrary: fc.constant<Step['type']>('bad') },
  ),
  isReplacement: fc.boolean(),
  from: share,
  length: share.map((value) => value ** 2),
  spoil: often<Step['spoil']>(
    'not',
    'cite less',
    'cite pairs',
    'cite more',
    'backwards',
    'elsewhere',
    'other spelling',
  ),
});
const steps = fc.array(step, { minLength: 1, maxLength: 30 });
const format = fc.constantFrom<Format>(0, 1, 2, 3, 4);

/** Writes the steps; endpoints are chosen on the list that the slow fold has so far. */
function write(version: Format, list: readonly Step[]): StoredEvent[] {
  const script = new LogScript(version);
  for (const next of list) {
    const states = foldSlowly(version, eventsOf(script.rows));
    const state = states.at(-1) ?? [];
    writeStep(script, next, state === 'error' ? [] : state);
  }
  return eventsOf(script.rows);
}

function writeStep(script: LogScript, next: Step, nodes: readonly number[]): void {
  const extra = next.isReplacement && nodes.length > 0 ? replacement(script, next, nodes) : {};
  switch (next.type) {
    case 'user':
      script.user('u', extra);
      return;
    case 'assistant':
      script.assistant('a', extra);
      return;
    case 'result':
      script.toolResult('c', 't', extra);
      return;
    case 'system':
      script.system('s', extra);
      return;
    case 'developer':
      script.developer('d', extra);
      return;
    case 'log-only':
      script.event('todo/write', { n: 1 });
      return;
    case 'prune':
      prune(script, next, nodes);
      return;
    case 'bad':
      script.event('user/message', { content: 'text' }, { surfaceOp: 'append' });
  }
}

function replacement(script: LogScript, { from, length, spoil }: Step, nodes: readonly number[]): Json {
  const i = Math.floor(from * nodes.length);
  const j = i + Math.floor(length * (nodes.length - i));
  const shadowed = nodes.slice(i, j + 1);
  const [start, end] = [nodes[i]!, nodes[j]!];
  const sorted = [...shadowed].sort((a, b) => a - b);
  const plain = { surfaceOp: script.replace(start, end), sourceEventSeqs: shadowed as unknown[] };
  switch (spoil) {
    case 'cite less':
      return { ...plain, sourceEventSeqs: shadowed.slice(1) };
    case 'cite pairs':
      return { ...plain, sourceEventSeqs: sorted.map((seq) => [seq, seq]) };
    case 'cite more':
      return { ...plain, sourceEventSeqs: [[0, script.nextSeq - 1]] };
    case 'backwards':
      return { ...plain, surfaceOp: script.replace(end, start) };
    case 'elsewhere':
      return { ...plain, surfaceOp: script.replace(start, (end * 7 + 1) % (script.nextSeq + 2)) };
    case 'other spelling':
      return { ...plain, surfaceOp: { op: 'replace', start, end } };
    default:
      return plain;
  }
}

/** Cuts the content of a tool result on the surface, or, spoiled, changes more of it. */
function prune(script: LogScript, { from, spoil }: Step, nodes: readonly number[]): void {
  const events = eventsOf(script.rows);
  const results = nodes.filter((seq) => events[seq]!.type === 'tool/result');
  const seq = results[Math.floor(from * results.length)];
  if (seq === undefined) return;
  const id = (events[seq]!.data as { message: { id: string } }).message.id;
  const data = script.toolResultData(
    spoil === 'elsewhere' ? 'other' : 'c',
    'cut',
    spoil === 'backwards' ? 'x' : id,
  );
  script.prune(seq, data);
}

function foldOf(version: Format): SessionFold<number> {
  const header = headerOf(version) as unknown as SessionHeader;
  return new SessionFold({
    header,
    path: '/log',
    keep: (event) => event.seq,
    diagnostics: new Diagnostics(),
  });
}

/** The surface after each event, by one fold that is asked all the time. */
function foldStepwise(version: Format, events: readonly StoredEvent[]): (number[] | 'error')[] {
  const fold = foldOf(version);
  let isBroken = false;
  return events.map((event) => {
    const before = [...fold.surface()];
    isBroken ||= codeOf(() => fold.apply(event, 1)) !== 'none';
    if (isBroken) expect([...fold.surface()]).toEqual(before);
    return isBroken ? 'error' : [...fold.surface()];
  });
}

describe('the fold', () => {
  test('step by step, over and over, and in full, equals the slow and obvious one', () => {
    const seen = { error: 0, sound: 0, replaced: 0, unsorted: 0 };
    fc.assert(
      fc.property(format, steps, (version, list) => {
        const events = write(version, list);
        const slow = foldSlowly(version, events);
        expect(foldStepwise(version, events)).toEqual(slow);
        for (const length of [events.length, events.length >> 1]) {
          const fresh = foldOf(version);
          const code = codeOf(() => {
            for (const event of events.slice(0, length)) fresh.apply(event, 1);
          });
          expect(code === 'none' ? [...fresh.surface()] : 'error').toEqual(slow[length - 1] ?? []);
        }
        count(seen, slow);
      }),
      { numRuns: 1500 },
    );
    expect(seen.error).toBeGreaterThan(200);
    expect(seen.sound).toBeGreaterThan(200);
    expect(seen.unsorted).toBeGreaterThan(100);
  });

  test('log-only events change nothing', () => {
    fc.assert(
      fc.property(format, steps, fc.array(fc.nat(30), { maxLength: 10 }), (version, list, places) => {
        const events = write(version, list);
        const fold = foldOf(version);
        let isBroken = false;
        for (const event of events) {
          if (places.includes(event.seq)) {
            const before = [...fold.surface()];
            for (const type of ['turn/start', 'nobody/knows', 'image/offload', 'assistant/chunk']) {
              const surfaceOp = { op: 'replace', startSeq: 0, endSeq: 0, start: 0, end: 0 };
              fold.apply({ type, seq: event.seq, time: 1, data: { content: [] }, surfaceOp }, 1);
            }
            expect([...fold.surface()]).toEqual(before);
          }
          isBroken ||= codeOf(() => fold.apply(event, 1)) !== 'none';
          if (isBroken) break;
        }
        const slow = foldSlowly(version, events).at(-1) ?? [];
        expect(isBroken ? 'error' : [...fold.surface()]).toEqual(slow);
      }),
      { numRuns: 300 },
    );
  });
});

function count(seen: Record<string, number>, slow: readonly (number[] | 'error')[]): void {
  const last = slow.at(-1) ?? [];
  seen[last === 'error' ? 'error' : 'sound']! += 1;
  if (last !== 'error' && last.some((seq, at) => at > 0 && seq < last[at - 1]!)) seen.unsorted! += 1;
}
