/** The rows of the table: what is measured, against what, and the goal. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { encodeSessionReferenceUri } from '../../src/mention/uri.ts';
import { type BenchData, LOG_NAME, type LogRoot, type Sizes } from './data.ts';
import { mentionRows, retentionRows } from './in-process.ts';
import { inTurn, type Processes } from './measure.ts';
import type { Result } from './report.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const PROGRAM = join(PROJECT, 'bin', 'dsh-ref.js');
const LIBRARY = join(PROJECT, 'dist', 'index.js');
const baseline = (name: string) => join(import.meta.dirname, 'baselines', name);

export interface Bench {
  readonly data: BenchData;
  readonly sizes: Sizes;
  /** Where child processes have their home, caches and index. */
  readonly home: string;
}

/** Everything measured on whole processes of one Node. */
export function* processRows(bench: Bench, processes: Processes, label: string): Generator<Result> {
  yield* startRows(bench, processes, label);
  yield* listingRows(bench, processes, label);
  yield firstCallRow(bench, processes, label);
  yield* prepareRows(bench, processes, label);
  yield lookUpRow(bench, processes, label);
  yield* residentRows(bench, processes, label);
}

/** Pure functions: on one Node only. */
export function* callRows({ sizes }: Bench): Generator<Result> {
  yield* retentionRows(sizes);
  yield* mentionRows(sizes);
}

function* startRows({ sizes }: Bench, processes: Processes, label: string): Generator<Result> {
  const floor = () => processes.time([baseline('empty.cjs')]);
  for (const [argv, goalRatio] of [
    [['uri', 'encode', 'x'], 1.08],
    [['--version'], 1.08],
    [['--help'], 1.3],
  ] as const) {
    const times = inTurn(() => processes.time([PROGRAM, ...argv]), floor, sizes.runs * 2 + 1);
    yield { what: `\`${argv.join(' ')}\`${label}`, against: 'floor', goalRatio, ...times };
  }
}

function* listingRows({ data, sizes, home }: Bench, processes: Processes, label: string): Generator<Result> {
  for (const count of sizes.listed) {
    const root = data.listedRoot(count);
    const env = { DSH_REF_INDEX_DIR: mkdtempSync(join(home, 'index-')) };
    const argv = [PROGRAM, 'candidates', 'zz no title has this', '--root', root];
    // The first process writes the index; all others find it.
    processes.time(argv, env);
    const walk = [baseline('walk.cjs'), root, LOG_NAME];
    const runs = sizes.runs * 2 + 1;
    yield {
      what: `the walk with a second look at each session, ${count} sessions${label}`,
      against: 'walk',
      goalRatio: undefined,
      ...inTurn(
        () => processes.time([...walk, 'twice']),
        () => processes.time(walk),
        runs,
      ),
    };
    const times = inTurn(
      () => processes.time(argv, env),
      () => processes.time(walk),
      runs,
    );
    const what = `\`candidates QUERY\`, ${count} sessions, index warm${label}`;
    const peak = { bytes: processes.peakBytes(argv, env), goalBytes: undefined };
    yield { what, against: 'walk', goalRatio: 1.35, ...times, peak };
  }
}

function firstCallRow({ data, sizes, home }: Bench, processes: Processes, label: string): Result {
  const root = data.titlesRoot(sizes.titles);
  const argv = [PROGRAM, 'candidates', 'zz no title has this', '--root', root];
  const env = () => ({ DSH_REF_INDEX_DIR: mkdtempSync(join(home, 'index-')) });
  const times = inTurn(
    () => processes.time(argv, env()),
    () => processes.time([baseline('decode.mjs'), `${root}.list`]),
    Math.min(sizes.runs, 5),
  );
  const megabytes = Math.round(sizes.titles.bytes / 1e6);
  const what = `first call without an index, titles of ${sizes.titles.sessions} sessions, ${megabytes} MB${label}`;
  const peak = { bytes: processes.peakBytes(argv, env()), goalBytes: undefined };
  return { what, against: 'decode', goalRatio: 1.25, ...times, peak };
}

const PEAK_GOALS_BYTES = [130e6, 160e6];

function* prepareRows({ data, sizes }: Bench, processes: Processes, label: string): Generator<Result> {
  for (const version of [0, 4] as const) {
    for (const [at, bytes] of sizes.logBytes.entries()) {
      const log = data.bigLog(version, bytes);
      for (const [more, how] of [
        [['--no-spill'], ', no full text kept'],
        [[], ''],
      ] as const) {
        const argv = [...prepareArguments(log), ...more];
        const times = inTurn(
          () => processes.time(argv),
          () => processes.time([baseline('decode.mjs'), log.list]),
          sizes.runs,
        );
        const what = `\`prepare\`, one v${version} log of ${Math.round(log.decodedBytes / 1e6)} MB${how}${label}`;
        const peak = { bytes: processes.peakBytes(argv), goalBytes: PEAK_GOALS_BYTES[at] };
        yield { what, against: 'decode', goalRatio: 1.4, ...times, peak };
      }
    }
  }
}

function prepareArguments({ root, id }: Pick<LogRoot, 'root' | 'id'>): string[] {
  return [PROGRAM, 'prepare', '--root', root, `see ${encodeSessionReferenceUri(id)} please`];
}

function lookUpRow({ data, sizes }: Bench, processes: Processes, label: string): Result {
  const [few, many] = sizes.lookedUp;
  const argv = (count: number) => prepareArguments({ root: data.listedRoot(count), id: 'session-000002' });
  const [fromMany, fromFew] = [argv(many), argv(few)];
  const times = inTurn(
    () => processes.time(fromMany),
    () => processes.time(fromFew),
    sizes.runs,
  );
  const what = `\`prepare\`, one id in a root of ${many}${label}`;
  return { what, against: `a root of ${few}`, goalRatio: 1.2, ...times };
}

function* residentRows({ data, sizes }: Bench, processes: Processes, label: string): Generator<Result> {
  // Short calls.
  const runs = Math.max(3 * sizes.runs, 5);
  const growth = data.growth(runs);
  for (const count of sizes.listed) {
    const root = data.listedRoot(count);
    const argv = [baseline('resident.mjs'), LIBRARY, root, LOG_NAME, String(runs), growth];
    const times = JSON.parse(processes.output(argv)) as Record<
      'twice' | 'again' | 'paused' | 'grown',
      [subject: number[], baseline: number[]]
    >;
    const row = (kind: keyof typeof times, what: string, against = 'walk', goalRatio?: number): Result => {
      const [subjectMs, baselineMs] = times[kind];
      return { what: `${what}, ${count} sessions${label}`, against, goalRatio, subjectMs, baselineMs };
    };
    const listing = 'listing in a process that stays';
    yield row('twice', 'the walk with a second look, in a process that stays');
    yield row('again', `${listing}, nothing changed, one after the other`, 'walk', 1.1);
    yield row('paused', `${listing}, nothing changed, 150 ms between`, 'walk', 1.1);
    yield row('grown', `${listing}, one log grew by a turn`, 'walk + decode of the new frame', 1.1);
  }
}
