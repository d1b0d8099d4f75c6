/** Run by the hazard tests in a process of its own: reads logs and reports how, how fast, and how much memory it took. */
import { Session } from 'node:inspector';
import { SessionLogError } from '../../src/errors.ts';
import { readSession } from '../../src/store/read-session.ts';
import { FACTS } from '../../src/store/sessions.ts';

export interface ChildReport {
  /** Last seq, or the code of the failure. */
  readonly outcome: number | null | string;
  readonly surface: number;
  readonly ms: number;
  /** How much more memory was resident at the peak than before, in MB. */
  readonly grownMb: number;
}

const [, , warmUp, path, isQuick, rounds] = process.argv as string[];

async function read(log: string): Promise<Pick<ChildReport, 'outcome' | 'surface'>> {
  const place = { path: log, isCompressed: log.endsWith('.zstd'), nameVersion: undefined, place: undefined };
  const keep = () => () => undefined;
  const reading = isQuick === 'true' ? FACTS : { keep };
  try {
    const { capturedThroughSeq, surface } = await readSession(place, reading, undefined);
    return { outcome: capturedThroughSeq, surface: surface.length };
  } catch (error) {
    if (!(error instanceof SessionLogError)) throw error;
    return { outcome: error.code, surface: 0 };
  }
}

/** Lets the collector run, so that the peak is what is needed and not what nobody has cleared yet. */
function collect(): void {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

// Code, decoder and buffers are there before the measuring begins.
for (let round = 0; round < 3; round += 1) await read(warmUp!);
collect();
const before = process.memoryUsage.rss();
const peakBefore = process.resourceUsage().maxRSS * 1024;
const start = performance.now();
let report = await read(path!);
for (let round = 1; round < Number(rounds); round += 1) report = await read(path!);
const ms = performance.now() - start;
const peak = process.resourceUsage().maxRSS * 1024;
const grownMb = (Math.max(peak > peakBefore ? peak : 0, process.memoryUsage.rss()) - before) / 1e6;
process.stdout.write(JSON.stringify({ ...report, ms, grownMb } satisfies ChildReport));
