/** The whole benchmark: makes or takes its data, measures row by row, prints the table, cleans up. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BenchData, FULL, SMALL } from './data.ts';
import { fileRows } from './file-rows.ts';
import { Processes } from './measure.ts';
import { machineFacts, type Result, renderRow, renderTable } from './report.ts';
import { callRows, processRows } from './rows.ts';

export interface BenchOptions {
  /** Sizes that only show that everything runs. */
  readonly small: boolean;
  /** Further Node programs for what is measured on whole processes. */
  readonly nodes: readonly string[];
  /** Where the data stays for the next time; undefined = a temporary directory that is removed. */
  readonly keep: string | undefined;
  /** Told what is going on. */
  readonly onProgress: (what: string) => void;
}

/** Measures everything and gives the report. Throws where a measured command fails. */
export async function runBench({ small, nodes, keep, onProgress }: BenchOptions): Promise<string> {
  const sizes = small ? SMALL : FULL;
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'dsh-ref-bench-'));
  try {
    const directory = keep === undefined ? join(home, 'data') : resolve(keep);
    mkdirSync(directory, { recursive: true });
    const bench = { data: new BenchData(directory), sizes, home };
    const programs = [process.execPath, ...nodes];
    const versions = programs.map((node) => new Processes(node, home).output(['--version']).trim());
    const results: Result[] = [];
    const take = (rows: Iterable<Result>) => {
      for (const row of rows) {
        onProgress(renderRow(row));
        results.push(row);
      }
    };
    for (const [at, node] of programs.entries()) {
      take(processRows(bench, new Processes(node, home), ` (${versions[at]})`));
    }
    take(callRows(bench));
    for await (const row of fileRows(sizes, home)) take([row]);
    return `${machineFacts(versions)}\n\n${renderTable(results)}\n`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
