/** Results as a Markdown table, with what is known of the machine. */
import { cpus, loadavg, totalmem } from 'node:os';
import { median, type Times } from './measure.ts';

export interface Result extends Times {
  readonly what: string;
  /** What the baseline is. */
  readonly against: string;
  /** Most that the ratio of the medians may be; undefined where something else is the goal. */
  readonly goalRatio: number | undefined;
  readonly peak?: { readonly bytes: number; readonly goalBytes: number | undefined };
}

const HEAD = [
  '| what | against | subject ms | baseline ms | ratio | goal | | peak MB |',
  '|---|---|---:|---:|---:|---:|---|---:|',
];

export function renderTable(results: readonly Result[]): string {
  return [...HEAD, ...results.map(renderRow)].join('\n');
}

export function renderRow({ what, against, subjectMs, baselineMs, goalRatio, peak }: Result): string {
  const subject = median(subjectMs);
  const baseline = median(baselineMs);
  const ratio = subject / baseline;
  const isOver = (goalRatio !== undefined && ratio > goalRatio) || isPeakOver(peak);
  const goal = goalRatio === undefined ? '' : `≤ ${goalRatio}`;
  const verdict = goalRatio === undefined && peak?.goalBytes === undefined ? '' : isOver ? 'over' : 'ok';
  const cells = [
    what,
    against,
    inMs(subject),
    inMs(baseline),
    ratio.toFixed(2),
    goal,
    verdict,
    peakCell(peak),
  ];
  return `| ${cells.join(' | ')} |`;
}

function isPeakOver(peak: Result['peak']): boolean {
  return peak?.goalBytes !== undefined && peak.bytes > peak.goalBytes;
}

function peakCell(peak: Result['peak']): string {
  if (peak === undefined) return '';
  const goal = peak.goalBytes === undefined ? '' : ` (≤ ${Math.round(peak.goalBytes / 1e6)})`;
  return `${Math.round(peak.bytes / 1e6)}${goal}`;
}

function inMs(value: number): string {
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : String(Math.round(value));
}

export function machineFacts(nodes: readonly string[]): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
  return (
    `${process.platform} ${process.arch}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ` +
    `${memory} GiB, load ${load}; Node ${nodes.join(', ')}`
  );
}
