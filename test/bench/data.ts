/** What is measured on: roots and logs by seed, some hundred megabytes of them, made once and kept where asked. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Prng } from '../support/log-writer/prng.ts';
import { placeLog } from '../support/log-writer/write-root.ts';
import { encodeFrame } from '../support/log-writer/zstd-frame.ts';
import { BigLog, headerFrame, writeBigLog } from './big-log.ts';

export interface Sizes {
  /** Sessions of the small roots, for listing. */
  readonly listed: readonly number[];
  /** Sessions of two small roots, for finding one id. */
  readonly lookedUp: readonly [few: number, many: number];
  readonly titles: { readonly sessions: number; readonly bytes: number };
  /** Decoded bytes of the logs to prepare from. */
  readonly logBytes: readonly number[];
  /** Messages to retain; the last two for the growth. */
  readonly messages: readonly number[];
  readonly textUnits: number;
  /** Entries of the trees to complete paths in. */
  readonly files: readonly number[];
  /** Runs of a whole process; calls are made more often. */
  readonly runs: number;
}

export const FULL: Sizes = {
  listed: [1000, 10_000],
  lookedUp: [10, 10_000],
  titles: { sessions: 1000, bytes: 900e6 },
  logBytes: [50e6, 200e6],
  messages: [5000, 25_000, 100_000],
  textUnits: 10e6,
  files: [1000, 10_000, 50_000],
  runs: 7,
};

/** For a check that everything runs; its times mean nothing. */
export const SMALL: Sizes = {
  listed: [30],
  lookedUp: [3, 30],
  titles: { sessions: 30, bytes: 3e6 },
  logBytes: [1e6, 2e6],
  messages: [500, 2000],
  textUnits: 200_000,
  files: [200],
  runs: 1,
};

/** One log in a root of its own, and a file that names it. */
export interface LogRoot {
  readonly root: string;
  readonly id: string;
  readonly list: string;
  readonly decodedBytes: number;
}

const VERSION = 0;
export const LOG_NAME = 'session.jsonl.zstd';
const V4_LOG_NAME = 'session.v4.jsonl.zstd';

/** Data below `directory`; whatever is there already from an earlier run is taken as it is. */
export class BenchData {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true });
  }

  /** A root of `count` tiny sessions in up to 100 projects, one frame of rows each. */
  listedRoot(count: number): string {
    return this.#once(`listed-${count}`, (root) => {
      const title = { type: 'session/title', seq: 0, time: 1, data: { title: 'A tiny session' } };
      const body = encodeFrame(Buffer.from(`${JSON.stringify(title)}\n`));
      const projects = Math.min(100, Math.ceil(count / 10));
      for (let at = 0; at < count; at += 1) this.#place(root, at, projects, body);
    });
  }

  /** Sessions of very different lengths, `bytes` decoded in all: forty bodies under many headers. */
  titlesRoot({ sessions, bytes }: Sizes['titles']): string {
    return this.#once(`titles-${sessions}-${bytes}`, (root) => {
      const random = new Prng(21);
      const weights = Array.from({ length: 40 }, () => 0.1 + 4 * random.next() ** 3);
      const average = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
      const bodies = weights.map((weight, at) => {
        const log = new BigLog({ version: VERSION, seed: 100 + at });
        const contents = [...log.frames(((bytes / sessions) * weight) / average)];
        return Buffer.concat(contents.map((content) => encodeFrame(content)));
      });
      const paths = Array.from({ length: sessions }, (_none, at) =>
        this.#place(root, at, 20, bodies[at % bodies.length]!),
      );
      writeFileSync(`${root}.list`, paths.join('\n'));
    });
  }

  bigLog(version: 0 | 4, bytes: number): LogRoot {
    const id = `big-${version}-${bytes}`;
    const root = this.#once(id, (directory) => {
      const name = version === 0 ? LOG_NAME : V4_LOG_NAME;
      const path = join(directory, '--bench-big--', id, name);
      const header = { id, cwd: '/bench/big' };
      const facts = writeBigLog(path, { version, seed: 31, bytes }, header);
      writeFileSync(`${directory}.list`, path);
      const { bytesByType, ...rest } = facts;
      writeFileSync(`${directory}.json`, JSON.stringify({ ...rest, bytesByType: [...bytesByType] }));
    });
    const facts = JSON.parse(readFileSync(`${root}.json`, 'utf8')) as { decodedBytes: number };
    return { root, id, list: `${root}.list`, decodedBytes: facts.decodedBytes };
  }

  /** Frames to append to a session of `listedRoot`, one a line in hexadecimal. */
  growth(turns: number): string {
    const path = join(this.#directory, `growth-${turns}`);
    const log = new BigLog({ version: VERSION, seed: 41, firstSeq: 1 });
    const frames = Array.from({ length: turns }, () => encodeFrame(log.turn()).toString('hex'));
    writeFileSync(path, frames.join('\n'));
    return path;
  }

  #place(root: string, at: number, projects: number, body: Buffer): string {
    const id = `session-${String(at).padStart(6, '0')}`;
    const cwd = `/bench/project-${at % projects}`;
    const header = headerFrame(VERSION, { id, cwd, createdAt: 1_787_000_000_000 + at * 1000 });
    return placeLog(root, { id, cwd, name: LOG_NAME, bytes: Buffer.concat([header, body]) });
  }

  #once(name: string, make: (path: string) => void): string {
    const path = join(this.#directory, name);
    const done = `${path}.done`;
    if (existsSync(done)) return path;
    mkdirSync(path, { recursive: true });
    make(path);
    writeFileSync(done, '');
    return path;
  }
}
