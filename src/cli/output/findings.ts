/** The forms of a report of findings. Each gives the whole text of standard output. */

import type { Finding, KindSummary, Verified, VerifyReport } from '../../store.ts';
import type { Io } from '../io.ts';
import { loadPalette, type Palette } from './colour.ts';
import { jsonDocument } from './json.ts';
import { printable } from './printable.ts';
import { padEnd } from './width.ts';

export const FINDING_FORMATS = ['table', 'ndjson', 'json'] as const;
export type FindingFormat = (typeof FINDING_FORMATS)[number];

export interface FindingsView {
  readonly roots: readonly string[];
  readonly report: VerifyReport;
  /** No session was named: a summary by kind is worth its place. */
  readonly isWhole: boolean;
}

export interface FindingsOptions {
  readonly format: FindingFormat;
  /** `--color` or `--no-color`, when given. */
  readonly color: boolean | undefined;
  readonly io: Io;
}

export async function renderFindings(view: FindingsView, options: FindingsOptions): Promise<string> {
  const { report } = view;
  const { io } = options;
  switch (options.format) {
    case 'table':
      return table(view, await loadPalette(io, options.color));
    case 'ndjson': {
      const { ndjsonLines } = await import('./ndjson.ts');
      return report.findings.length === 0 ? '' : ndjsonLines(report.findings, io.stdout);
    }
    case 'json':
      return jsonDocument(jsonReport(view), io.stdout);
  }
}

/** How many were checked, and how they fared. */
export interface Tally {
  readonly checked: number;
  readonly sound: number;
  readonly withWarnings: number;
  readonly unreadable: number;
}

export function tallyOf({ verified }: VerifyReport): Tally {
  const sound = verified.filter(({ findings }) => findings.length === 0).length;
  const unreadable = verified.filter(({ findings }) => findings.some(isError)).length;
  return {
    checked: verified.length,
    sound,
    withWarnings: verified.length - sound - unreadable,
    unreadable,
  };
}

/** The tally as a phrase. */
export function tallyLine(report: VerifyReport): string {
  const { checked, sound, withWarnings, unreadable } = tallyOf(report);
  return `${checked} checked: ${sound} sound, ${withWarnings} with warnings, ${unreadable} unreadable`;
}

function isError({ severity }: Finding): boolean {
  return severity === 'error';
}

function jsonReport({ roots, report }: FindingsView): object {
  const { kinds, findings } = report;
  return { schemaVersion: 1, roots, ...tallyOf(report), kinds, findings };
}

function table({ report, isWhole }: FindingsView, palette: Palette): string {
  const logs = report.verified.filter(({ findings }) => findings.length > 0);
  const parts = logs.map((verified) => logBlock(verified, palette));
  if (isWhole && report.kinds.length > 0) parts.push(summaryTable(report.kinds, palette));
  parts.push(`${tallyLine(report)}\n`);
  return parts.join('\n');
}

function logBlock({ path, findings }: Verified, palette: Palette): string {
  const rows = findings.map((finding) => ({ ...finding, place: placeOf(finding) }));
  const kindWidth = widest(rows.map(({ kind }) => kind));
  const placeWidth = widest(rows.map(({ place }) => place));
  const lines = rows.map((row) => {
    const severity = padEnd(row.severity, 'warning'.length);
    const more = row.more === undefined ? '' : ` (and ${row.more} more of this kind)`;
    const cells = [
      isError(row) ? palette.fault(severity) : severity,
      padEnd(row.kind, kindWidth),
      palette.faint(padEnd(row.place, placeWidth)),
      printable(row.message) + more,
    ];
    return `  ${cells.join('  ')}\n`;
  });
  return `${palette.heading(printable(path))}\n${lines.join('')}`;
}

function placeOf({ line, seq, frame, byteOffset }: Finding): string {
  const parts = [
    line === undefined ? [] : [`line ${line}`],
    seq === undefined ? [] : [`seq ${seq}`],
    frame === undefined ? [] : [`frame ${frame}`],
    byteOffset === undefined ? [] : [`byte ${byteOffset}`],
  ];
  return parts.flat().join(', ');
}

function summaryTable(kinds: readonly KindSummary[], palette: Palette): string {
  const heading = { kind: 'KIND', findings: 'FINDINGS', places: 'LOGS', title: 'MEANING' };
  const rows = kinds.map(({ kind, findings, places, title }) => ({
    kind,
    findings: String(findings),
    places: String(places),
    title,
  }));
  const all = [heading, ...rows];
  const kindWidth = widest(all.map(({ kind }) => kind));
  return all
    .map(({ kind, findings, places, title }, at) => {
      const counts = `${findings.padStart(heading.findings.length)}  ${places.padStart(heading.places.length)}`;
      const text = `${padEnd(kind, kindWidth)}  ${counts}  ${title}`;
      return `${at === 0 ? palette.heading(text) : text}\n`;
    })
    .join('');
}

function widest(cells: readonly string[]): number {
  return cells.reduce((width, cell) => Math.max(width, cell.length), 0);
}
