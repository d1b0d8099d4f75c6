/** Writes the events of one log, in the shapes of its format. Seqs and times count up by themselves. */

export type Format = 0 | 1 | 2 | 3 | 4;
export type Json = Record<string, unknown>;

export const ALL_FORMATS: readonly Format[] = [0, 1, 2, 3, 4];

/** A sound header of the format; what `fields` sets to undefined is left out. */
export function headerOf(version: number, fields: Json = {}): Json {
  const seed = version <= 1 ? {} : { isSeeded: false };
  const base = { type: 'session', version, id: 's-1', createdAt: 1_787_000_000_000, cwd: '/home/ana/shop' };
  return { ...base, ...seed, delegationDepth: 0, ...fields };
}

export class LogScript {
  readonly format: Format;
  readonly header: Json;
  /** Lines behind the header. */
  readonly rows: string[] = [];
  nextSeq = 0;
  time = 1_787_000_001_000;
  turn = 0;
  #messages = 0;

  constructor(format: Format, header: Json = {}) {
    this.format = format;
    this.header = headerOf(format, header);
  }

  /** All lines, the header first. */
  get lines(): string[] {
    return [JSON.stringify(this.header), ...this.rows];
  }

  /** Any event; returns its seq. */
  event(type: string, data: unknown, extra: Json = {}): number {
    const seq = this.nextSeq;
    this.nextSeq += 1;
    this.time += 7;
    this.rows.push(JSON.stringify({ type, seq, time: this.time, ...extra, data }));
    return seq;
  }

  /** A line as it is, which uses up no seq. */
  raw(line: string): this {
    this.rows.push(line);
    return this;
  }

  startTurn(): number {
    this.turn += 1;
    this.event('turn/start', { turn: this.turn });
    return this.event('step/start', { turn: this.turn, step: 1 });
  }

  endTurn(kind = 'completed'): number {
    this.event('step/end', { turn: this.turn, step: 1 });
    return this.event('turn/end', { turn: this.turn, reason: { kind } });
  }

  user(text: string, { source = { kind: 'user' }, ...extra }: { source?: Json } & Json = {}): number {
    const data = { id: this.#id(), role: 'user', source, content: [textBlock(text)] };
    return this.event('user/message', data, { surfaceOp: 'append', ...extra });
  }

  assistant(text: string, { blocks = [], ...extra }: { blocks?: readonly Json[] } & Json = {}): number {
    const source = { kind: 'model', provider: 'deepseek', model: 'm' };
    const content = [...(text === '' ? [] : [textBlock(text)]), ...blocks];
    const message = { id: this.#id(), role: 'assistant', source, content };
    const stream = this.format >= 2 ? { stream: [] } : {};
    return this.event(
      'assistant/message',
      { ...this.#place(), message, ...stream },
      { surfaceOp: 'append', ...extra },
    );
  }

  toolResult(callId: string, text: string, extra: Json = {}): number {
    return this.event('tool/result', this.toolResultData(callId, text, this.#id()), {
      surfaceOp: 'append',
      ...extra,
    });
  }

  toolResultData(callId: string, text: string, id: string): Json {
    const source = { kind: 'tool', callId };
    const content = [textBlock(text)];
    const message =
      this.format === 4
        ? { id, role: 'tool', toolCallId: callId, source, content }
        : { id, role: 'user', source, content: [{ type: 'tool-result', toolCallId: callId, content }] };
    return { ...this.#place(), message };
  }

  /** An assistant message that calls a tool, the call, and its result; returns the result's seq. */
  toolRound(callId: string, output: string): number {
    const call = { type: 'tool-call', id: callId, name: 'read', arguments: '{"path":"a"}' };
    this.assistant('', { blocks: [call] });
    this.event('tool/call', { ...this.#place(), callId, name: 'read', arguments: { path: 'a' } });
    return this.toolResult(callId, output);
  }

  system(text: string, extra: Json = {}): number {
    const source =
      this.format === 3
        ? { kind: 'plugin', plugin: '@deepseek-ai/dsh-system-prompt' }
        : { kind: 'system-prompt' };
    const content = text === '' ? [] : [textBlock(text)];
    const message = { id: this.#id(), role: 'system', source, content };
    return this.event('system/message', { ...this.#place(), message }, { surfaceOp: 'append', ...extra });
  }

  developer(text: string, extra: Json = {}): number {
    const message = {
      id: this.#id(),
      role: 'developer',
      source: { kind: 'tool-registry' },
      content: [textBlock(text)],
    };
    return this.event('developer/message', { ...this.#place(), message }, { surfaceOp: 'append', ...extra });
  }

  /** The `surfaceOp` of a replacement, in the format's spelling. */
  replace(start: number, end: number): Json {
    return this.format <= 2 ? { op: 'replace', start, end } : { op: 'replace', startSeq: start, endSeq: end };
  }

  /** A compaction of the span from `start` to `end`, which stands for `shadowed`; returns the checkpoint's seq. */
  compact(summary: string, start: number, end: number, shadowed: readonly number[]): number {
    const compactionId = `c-${this.nextSeq}`;
    const startSeq = this.event('compaction/start', { compactionId });
    const summarySeq = this.event('compaction/summary', {
      compactionId,
      summary: [textBlock(summary)],
      shadowedRange: { start, end },
      shadowedSeqs: shadowed,
    });
    const source =
      this.format === 4
        ? { kind: 'compact-checkpoint', compactionId }
        : { kind: 'plugin', plugin: 'compact', compactionId };
    const seq = this.user(summary, {
      source,
      surfaceOp: this.replace(start, end),
      sourceEventSeqs: [...shadowed, startSeq, summarySeq],
    });
    this.event('compaction/end', { compactionId });
    return seq;
  }

  /** Cuts the output of the tool result `seq`, whose data is otherwise `data`. */
  prune(seq: number, data: Json): number {
    this.event('compaction/prune', { shadowedSeqs: [seq] });
    return this.event('tool/result', data, { surfaceOp: this.replace(seq, seq), sourceEventSeqs: [seq] });
  }

  /** Streamed deltas of v0 and v1: one packed row, or an event each. */
  chunks(texts: readonly string[], isPacked: boolean): void {
    const place = { ...this.#place(), index: 0 };
    if (isPacked) {
      const dt = texts.slice(1).map(() => 3);
      const row = {
        type: 'text-chunks',
        seq0: this.nextSeq,
        time0: this.time,
        data: { ...place, dt, texts },
      };
      this.rows.push(JSON.stringify(row));
      this.nextSeq += texts.length;
      return;
    }
    const { turn, step, index } = place;
    for (const text of texts) {
      this.event('assistant/chunk', { turn, step, chunk: { type: 'text-delta', index, text } });
    }
  }

  title(title: unknown, source: Json = { kind: 'fallback' }): number {
    return this.event('session/title', { title, messageSeqs: [], source });
  }

  descriptor(fields: Json): number {
    return this.event('subagent/descriptor', { version: 2, mode: 'one-shot', provider: 'basic', ...fields });
  }

  contextWindow(tokens?: number): number {
    const window = tokens === undefined ? {} : { contextWindow: tokens };
    return this.event('request/context', { provider: 'deepseek', model: 'm', ...window });
  }

  endSeed(isInherited: boolean): number {
    return this.event('session/end-seed', isInherited ? { inherited: true } : {});
  }

  #id(): string {
    this.#messages += 1;
    return `m-${this.#messages}`;
  }

  #place(): { turn: number; step: number } {
    return { turn: Math.max(this.turn, 1), step: 1 };
  }
}

export function textBlock(text: string): Json {
  return { type: 'text', text };
}
