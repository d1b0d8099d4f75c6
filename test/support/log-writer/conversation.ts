/** Random conversations: everything a log may hold, decided by a seed. */
import { type Format, LogScript } from './log-script.ts';
import { Prng } from './prng.ts';

export interface ConversationSpec {
  readonly format: Format;
  readonly seed: number;
  /** Goes on until the lines have about this many bytes. */
  readonly bytes: number;
  readonly header?: Record<string, unknown>;
  /** Pack streamed deltas of v0 and v1 in rows; default true. */
  readonly isPacked?: boolean;
  /** End with a finished turn; default true. */
  readonly isComplete?: boolean;
}

/** The current surface as this writer means it: what a reader must arrive at. */
export interface Conversation {
  readonly script: LogScript;
  readonly surfaceSeqs: readonly number[];
  readonly title: string | undefined;
}

interface Draft {
  readonly script: LogScript;
  readonly random: Prng;
  readonly isPacked: boolean;
  surface: number[];
  title: string | undefined;
  bytes: number;
  counted: number;
  calls: number;
}

export function randomConversation(spec: ConversationSpec): Conversation {
  const { format, seed, bytes, header = {}, isPacked = true, isComplete = true } = spec;
  const script = new LogScript(format, header);
  const draft: Draft = {
    script,
    random: new Prng(seed),
    isPacked,
    surface: [],
    title: undefined,
    bytes: 0,
    counted: 0,
    calls: 0,
  };
  script.contextWindow(131_072);
  do addTurn(draft);
  while (written(draft) < bytes);
  if (!isComplete) draft.surface.push(...openTurn(draft));
  return { script, surfaceSeqs: draft.surface, title: draft.title };
}

function written(draft: Draft): number {
  const { rows } = draft.script;
  for (; draft.counted < rows.length; draft.counted += 1) draft.bytes += rows[draft.counted]!.length + 1;
  return draft.bytes;
}

function addTurn(draft: Draft): void {
  const { script, random } = draft;
  const { format } = script;
  script.startTurn();
  if (format >= 3 && draft.surface.length === 0) draft.surface.push(script.system(random.text(120)));
  draft.surface.push(script.user(random.text(random.int(5, 400))));
  if (random.chance(0.2)) {
    const source = format === 4 ? { kind: 'plan-mode' } : { kind: 'plugin', plugin: 'plan-mode' };
    draft.surface.push(script.user(random.text(60), { source }));
  }
  if (random.chance(0.1)) script.event('agent/inbox/spliced', { inserted: [] });
  for (let round = random.int(0, 3); round > 0; round -= 1) addToolRound(draft);
  addAnswer(draft);
  if (random.chance(0.3)) {
    draft.title = random.text(20);
    script.title(draft.title, random.pick([{ kind: 'user' }, { kind: 'fallback' }]));
  }
  script.endTurn();
  if (random.chance(0.08) && draft.surface.length > 6) compact(draft);
}

function openTurn({ script, random }: Draft): number[] {
  script.startTurn();
  return [script.user(random.text(30))];
}

function addAnswer(draft: Draft): void {
  const { script, random } = draft;
  const text = random.text(random.int(0, 900));
  if (script.format >= 2) {
    draft.surface.push(script.assistant(text));
    return;
  }
  const sources: number[] = [];
  const words = text.split(' ');
  for (let at = 0; at < words.length; ) {
    const run = words.slice(at, at + random.int(3, 40));
    const first = script.nextSeq;
    script.chunks(run, draft.isPacked);
    for (let seq = first; seq < script.nextSeq; seq += 1) sources.push(seq);
    at += run.length;
  }
  draft.surface.push(script.assistant(text, { sourceEventSeqs: sources }));
}

function addToolRound(draft: Draft): void {
  const { script, random } = draft;
  draft.calls += 1;
  const callId = `call-${draft.calls}`;
  const output = random.text(random.int(20, 3000));
  const result = script.toolRound(callId, output);
  // The assistant message with the call stands two events before its result.
  draft.surface.push(result - 2, result);
  if (!random.chance(0.15)) return;
  const stored = JSON.parse(script.rows.at(-1)!).data as Record<string, unknown>;
  const cut = script.toolResultData(callId, 'pruned', (stored.message as { id: string }).id);
  draft.surface[draft.surface.length - 1] = script.prune(result, cut);
}

function compact(draft: Draft): void {
  const { script, random, surface } = draft;
  const from = random.int(script.format >= 3 ? 1 : 0, surface.length - 3);
  const to = random.int(from, surface.length - 2);
  const shadowed = surface.slice(from, to + 1);
  const seq = script.compact(random.text(200), surface[from]!, surface[to]!, shadowed);
  draft.surface = [...surface.slice(0, from), seq, ...surface.slice(to + 1)];
}
