/** Measuring whole processes and calls: subject and baseline in turn, so that the machine's noise meets both. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface Times {
  readonly subjectMs: readonly number[];
  readonly baselineMs: readonly number[];
}

/** Runs both once unmeasured, then `runs` times in turn, each going first every other time. */
export function inTurn(subject: () => number, baseline: () => number, runs: number): Times {
  const subjectMs: number[] = [];
  const baselineMs: number[] = [];
  subject();
  baseline();
  for (let run = 0; run < runs; run += 1) {
    if (run % 2 === 0) subjectMs.push(subject());
    baselineMs.push(baseline());
    if (run % 2 === 1) subjectMs.push(subject());
  }
  return { subjectMs, baselineMs };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Milliseconds that `call` takes. */
export function timeCall(call: () => unknown): number {
  const start = performance.now();
  call();
  return performance.now() - start;
}

/** A clean place for child processes: nothing of the user's settings, caches of their own. */
export class Processes {
  readonly node: string;
  readonly #home: string;

  constructor(node: string, home: string) {
    this.node = node;
    this.#home = home;
  }

  /** Wall time of `node argv…` in milliseconds, from before it is started until it has ended. */
  time(argv: readonly string[], env: Record<string, string> = {}): number {
    const start = performance.now();
    this.#spawn(argv, env, 'ignore');
    return performance.now() - start;
  }

  output(argv: readonly string[], env: Record<string, string> = {}): string {
    return this.#spawn(argv, env, 'pipe');
  }

  /** Peak resident memory of `node argv…` in bytes. */
  peakBytes(argv: readonly string[], env: Record<string, string> = {}): number {
    const file = join(this.#home, 'peak');
    rmSync(file, { force: true });
    const preload = join(import.meta.dirname, 'baselines', 'peak-memory.cjs');
    this.#spawn(['--require', preload, ...argv], { ...env, PEAK_MEMORY_FILE: file }, 'ignore');
    return Number(readFileSync(file, 'utf8'));
  }

  #spawn(argv: readonly string[], env: Record<string, string>, stdout: 'ignore' | 'pipe'): string {
    const {
      status,
      signal,
      stdout: output,
      stderr,
      error,
    } = spawnSync(this.node, argv, {
      stdio: ['ignore', stdout, 'pipe'],
      cwd: this.#home,
      env: { PATH: process.env.PATH, HOME: this.#home, XDG_CACHE_HOME: join(this.#home, 'cache'), ...env },
      maxBuffer: 64 * 1024 * 1024,
    });
    if (error !== undefined) throw error;
    if (status !== 0) {
      throw new Error(`${this.node} ${argv.join(' ')}: exit ${status ?? signal}\n${stderr.toString()}`);
    }
    return output?.toString() ?? '';
  }
}
