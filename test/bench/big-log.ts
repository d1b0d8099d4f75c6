/**
 * Large logs by seed, in the shape of the harness's own: its spelling and order of keys, frames of 70 to 85 KB
 * decoded, and the byte shares that were measured on real ones (`SHARES`).
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { headerOf } from '../support/log-writer/log-script.ts';
import { Prng } from '../support/log-writer/prng.ts';
import { encodeFrame } from '../support/log-writer/zstd-frame.ts';
import { TextPool } from './text-pool.ts';

export interface BigLogSpec {
  readonly version: 0 | 4;
  readonly seed: number;
  /** Goes on until so many bytes are written, decoded. */
  readonly bytes: number;
}

/** What was written. */
export interface BigLogFacts {
  readonly decodedBytes: number;
  readonly fileBytes: number;
  readonly frames: number;
  readonly rows: number;
  readonly lastSeq: number;
  /** Decoded bytes by type. */
  readonly bytesByType: ReadonlyMap<string, number>;
}

/** Bytes of each sort in one step, on average: tool results 40 %, streamed deltas 31 %, and so on. */
const SHARES = { result: 14_000, deltas: 10_800, answer: 4_600, requestHeader: 3_100, call: 1_000 };
/** Units of one streamed delta. */
const DELTA_UNITS = 8;
const STEPS_PER_TURN = 6;

const pools = new Map<number, TextPool>();

function poolOf(seed: number): TextPool {
  let pool = pools.get(seed);
  if (pool === undefined) {
    pool = new TextPool(seed);
    pools.set(seed, pool);
  }
  return pool;
}

/** The frames of a log behind its header, each whole rows. */
export class BigLog {
  readonly #version: 0 | 4;
  readonly #random: Prng;
  readonly #text: TextPool;
  #seq: number;
  #time = 1_787_000_001_000;
  #turn = 0;
  #messages = 0;
  rows = 0;
  readonly bytesByType = new Map<string, number>();
  #open: string[] = [];
  #openBytes = 0;

  constructor({ version, seed, firstSeq = 0 }: Omit<BigLogSpec, 'bytes'> & { readonly firstSeq?: number }) {
    this.#version = version;
    this.#seq = firstSeq;
    this.#random = new Prng(seed);
    this.#text = poolOf(1);
  }

  get lastSeq(): number {
    return this.#seq - 1;
  }

  /** Decoded frames until about `bytes` are given out; the last one ends a turn. */
  *frames(bytes: number): Generator<Buffer> {
    let given = 0;
    while (given + this.#openBytes < bytes) {
      for (const step of this.#turnSteps()) {
        step();
        if (this.#openBytes < 60_000) continue;
        const frame = this.#takeFrame();
        given += frame.length;
        yield frame;
      }
    }
    if (this.#openBytes > 0) yield this.#takeFrame();
  }

  /** One more turn in a frame of its own: what a living log grows by. */
  turn(): Buffer {
    for (const step of this.#turnSteps()) step();
    return this.#takeFrame();
  }

  *#turnSteps(): Generator<() => void> {
    this.#turn += 1;
    yield () => {
      this.#event('turn/start', { turn: this.#turn });
      const content = [{ type: 'text', text: this.#text.slice(this.#around(2_300)) }];
      const message = { content, source: { kind: 'user' }, role: 'user', id: this.#id() };
      this.#event('user/message', message, { surfaceOp: 'append' });
      if (this.#turn % 4 === 1) {
        const title = this.#text.slice(30).replaceAll('\n', ' ');
        this.#event('session/title', { title, messageSeqs: [this.#seq - 1], source: { kind: 'fallback' } });
      }
    };
    for (let step = 1; step <= STEPS_PER_TURN; step += 1) yield () => this.#step(step);
    yield () => this.#event('turn/end', { turn: this.#turn, reason: { kind: 'completed' } });
  }

  #step(step: number): void {
    const place = { turn: this.#turn, step };
    this.#event('step/start', place);
    const header = {
      config: { provider: 'deepseek', model: 'deepseek-chat' },
      system: this.#text.slice(this.#around(SHARES.requestHeader)),
    };
    this.#event('request/header', { header, reason: 'initial' });
    if (step === 1) {
      this.#event('request/context', {
        provider: 'deepseek',
        model: 'deepseek-chat',
        contextWindow: 131_072,
      });
    }
    const callId = `call-${this.#turn}-${step}`;
    const firstChunk = this.#seq;
    const stream = this.#stream(callId);
    if (this.#version === 0) for (const item of stream) this.#packedRow(place, item);
    const source = { kind: 'model', provider: 'deepseek', model: 'deepseek-chat' };
    const content = [
      { type: 'reasoning', text: this.#text.slice(this.#around(SHARES.answer / 2)) },
      { type: 'text', text: this.#text.slice(this.#around(SHARES.answer / 2)) },
      { type: 'tool-call', id: callId, name: 'read', arguments: '{"path":"src/a.ts"}' },
    ];
    const message = { role: 'assistant', content, source, id: this.#id() };
    const usage = { inputTokens: 4827, outputTokens: 802 };
    if (this.#version === 0) {
      const sourceEventSeqs = Array.from({ length: this.#seq - firstChunk }, (_none, at) => firstChunk + at);
      this.#event(
        'assistant/message',
        { ...place, message, usage },
        { sourceEventSeqs, surfaceOp: 'append' },
      );
    } else {
      const items = stream.map(({ type, ...item }) => ({ type, time0: this.#time, ...item }));
      this.#event('assistant/message', { ...place, message, usage, stream: items }, { surfaceOp: 'append' });
    }
    const call = { callId, name: 'read', arguments: this.#text.slice(this.#around(SHARES.call)) };
    this.#event('tool/call', { ...place, ...call });
    this.#event('tool/result', { ...place, message: this.#result(callId) }, { surfaceOp: 'append' });
    this.#event('step/end', place);
  }

  #result(callId: string): object {
    // Most results are short and a few are long.
    const units = this.#random.chance(0.15) ? SHARES.result * 4 : SHARES.result * 0.47;
    const content = [{ type: 'text', text: this.#text.slice(this.#around(units)) }];
    const source = { kind: 'tool', callId };
    if (this.#version === 4) {
      return { source, content, isError: false, role: 'tool', toolCallId: callId, id: this.#id() };
    }
    const block = { type: 'tool-result', toolCallId: callId, content, isError: false };
    return { source, content: [block], role: 'user', id: this.#id() };
  }

  #stream(callId: string) {
    const third = SHARES.deltas / 3;
    return [
      { type: 'reasoning-chunks', index: 0, ...this.#deltas(third, 'texts') },
      { type: 'text-chunks', index: 1, ...this.#deltas(third, 'texts') },
      { type: 'tool-call-chunks', index: 2, id: callId, name: 'read', ...this.#deltas(third, 'args') },
    ];
  }

  #deltas(averageBytes: number, name: 'texts' | 'args'): { dt: number[] } & Record<string, unknown> {
    const text = this.#text.slice(this.#around((averageBytes * DELTA_UNITS) / (DELTA_UNITS + 6)));
    const members: string[] = [];
    for (let at = 0; at < text.length; at += DELTA_UNITS) members.push(text.slice(at, at + DELTA_UNITS));
    const dt = members.slice(1).map(() => this.#random.int(1, 40));
    return { dt, [name]: members };
  }

  #packedRow(
    place: object,
    { type, ...data }: { type: string; dt: number[] } & Record<string, unknown>,
  ): void {
    this.#write(type, { type, seq0: this.#seq, time0: this.#time, data: { ...place, ...data } });
    this.#seq += data.dt.length + 1;
  }

  #event(type: string, data: object, extra: object = {}): void {
    this.#write(type, { type, seq: this.#seq, time: this.#time, data, ...extra });
    this.#seq += 1;
    this.#time += 700;
  }

  #write(type: string, row: object): void {
    const line = JSON.stringify(row);
    const bytes = Buffer.byteLength(line) + 1;
    this.#open.push(line);
    this.#openBytes += bytes;
    this.rows += 1;
    this.bytesByType.set(type, (this.bytesByType.get(type) ?? 0) + bytes);
  }

  #takeFrame(): Buffer {
    const frame = Buffer.from(`${this.#open.join('\n')}\n`);
    this.#open = [];
    this.#openBytes = 0;
    return frame;
  }

  /** Between a fifth and nine fifths of `average`. */
  #around(average: number): number {
    return Math.max(1, Math.round(average * (0.2 + 1.6 * this.#random.next())));
  }

  #id(): string {
    this.#messages += 1;
    return `6dcb0c2e-5f5e-4e6f-9f0c-${String(this.#messages).padStart(12, '0')}`;
  }
}

/** The header line of a session, in a frame of its own. */
export function headerFrame(version: 0 | 4, fields: Record<string, unknown>): Buffer {
  return encodeFrame(Buffer.from(`${JSON.stringify(headerOf(version, fields))}\n`));
}

/** Writes the whole log at `path`, frame by frame, so that its size does not matter. */
export function writeBigLog(path: string, spec: BigLogSpec, header: Record<string, unknown>): BigLogFacts {
  mkdirSync(dirname(path), { recursive: true });
  const log = new BigLog(spec);
  const descriptor = openSync(path, 'wx');
  try {
    let fileBytes = writeSync(descriptor, headerFrame(spec.version, header));
    let decodedBytes = 0;
    let frames = 1;
    for (const content of log.frames(spec.bytes)) {
      fileBytes += writeSync(descriptor, encodeFrame(content));
      decodedBytes += content.length;
      frames += 1;
    }
    const { rows, lastSeq, bytesByType } = log;
    return { decodedBytes, fileBytes, frames, rows, lastSeq, bytesByType };
  } finally {
    closeSync(descriptor);
  }
}
