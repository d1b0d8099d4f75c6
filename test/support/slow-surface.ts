/** The fold as the format document has it (5.1 to 5.5): a plain list, `indexOf` and `splice`. Slow and obvious. */

type Json = Record<string, any>;

const TYPES: readonly (readonly string[])[] = [
  ['user/message', 'assistant/message', 'tool/result', 'steering/message'],
  ['user/message', 'assistant/message', 'tool/result'],
  ['user/message', 'assistant/message', 'tool/result'],
  ['user/message', 'assistant/message', 'tool/result', 'system/message'],
  ['user/message', 'assistant/message', 'tool/result', 'system/message', 'developer/message'],
];

/** The surface after each event as a list of seqs; 'error' from the first event that breaks a rule. */
export function foldSlowly(version: number, events: readonly Json[]): (number[] | 'error')[] {
  const states: (number[] | 'error')[] = [];
  let nodes: number[] = [];
  for (const event of events) {
    const before: number[] | 'error' = states.at(-1) ?? [];
    if (before === 'error') {
      states.push('error');
      continue;
    }
    nodes = [...before];
    states.push(step(version, events, event, nodes) ? nodes : 'error');
  }
  return states;
}

/** Applies one event to `nodes`; false where a rule is broken. `events[seq]` has the event of that seq. */
function step(version: number, events: readonly Json[], event: Json, nodes: number[]): boolean {
  if (!TYPES[version]!.includes(event.type)) return true;
  if (!Array.isArray((event.type === 'user/message' ? event.data : event.data.message).content)) return false;
  const sources = expand(event.sourceEventSeqs ?? [], event.seq);
  if (sources === undefined) return false;
  if (event.surfaceOp === 'append') {
    nodes.push(event.seq);
    return true;
  }
  const endpoints = endpointsOf(version, event.surfaceOp);
  if (endpoints === undefined) return false;
  const i = nodes.indexOf(endpoints[0]);
  const j = nodes.indexOf(endpoints[1]);
  if (i < 0 || j < 0 || i > j) return false;
  const shadowed = nodes.slice(i, j + 1);
  if (!shadowed.every((seq) => sources.includes(seq))) return false;
  if (event.type === 'tool/result' && !prunes(events, event, shadowed)) return false;
  const isSystem = (seq: number) => events[seq]!.type === 'system/message';
  if (version >= 3 && i === 0 && isSystem(nodes[0]!)) {
    if (event.type !== 'system/message' || shadowed.length > 1) return false;
  }
  nodes.splice(i, j - i + 1, event.seq);
  return true;
}

function endpointsOf(version: number, op: unknown): [number, number] | undefined {
  if (typeof op !== 'object' || op === null || Object.keys(op).length !== 3) return undefined;
  const replace = op as Json;
  const [start, end] = version <= 2 ? [replace.start, replace.end] : [replace.startSeq, replace.endSeq];
  if (replace.op !== 'replace' || !isCount(start) || !isCount(end)) return undefined;
  return [start, end];
}

/** 5.5: only the content of one tool result may change. */
function prunes(events: readonly Json[], event: Json, shadowed: readonly number[]): boolean {
  const [only] = shadowed;
  const old = events[only!]!;
  if (shadowed.length !== 1 || old.type !== 'tool/result') return false;
  return JSON.stringify(withoutContent(old.data)) === JSON.stringify(withoutContent(event.data));
}

function withoutContent(data: Json): Json {
  const copy = structuredClone(data);
  const [first] = copy.message.content;
  if (copy.message.content.length === 1 && first.type === 'tool-result') first.content = null;
  else copy.message.content = null;
  return copy;
}

/** 4.2: the expanded list, or undefined where a rule is broken. */
function expand(list: any, ownSeq: number): number[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const seqs: number[] = [];
  for (const element of list) {
    const [first, last] = Array.isArray(element) ? element : [element, element];
    if (Array.isArray(element) && element.length !== 2) return undefined;
    if (!isCount(first) || !isCount(last) || first > last || last >= ownSeq) return undefined;
    for (let seq = first; seq <= last; seq += 1) seqs.push(seq);
  }
  if (new Set(seqs).size < seqs.length) return undefined;
  const isIncreasing = seqs.every((seq, at) => at === 0 || seq > seqs[at - 1]!);
  return list.some(Array.isArray) && !isIncreasing ? undefined : seqs;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0);
}
