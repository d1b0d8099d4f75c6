/** Runs the built program as a user would, in a scrubbed environment, and tells all that came of it. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PROJECT = join(import.meta.dirname, '../..');
export const PROGRAM = join(PROJECT, 'bin/dsh-ref.js');
export const BASIC_ROOT = join(PROJECT, 'fixtures/logs/basic-zstd');

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  /** Standard input stays open, as a terminal's does. */
  readonly keepInputOpen?: boolean;
  /** Called with the process once it runs. */
  readonly onStart?: (process: import('node:child_process').ChildProcess) => void;
  /** Standard output as a file descriptor or 'ignore' in place of a pipe. */
  readonly stdout?: number | 'ignore';
}

export interface RunResult {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `dsh-ref` with nothing of the caller's environment but the path to Node, and a home of its own. */
export async function runProgram(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  if (!existsSync(join(PROJECT, 'dist/cli/start.js')))
    throw new Error('not built: run `npm run build` first');
  const home = mkdtempSync(join(tmpdir(), 'dsh-ref-home-'));
  try {
    return await new Promise<RunResult>((resolve, reject) => {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        cwd: options.cwd ?? PROJECT,
        env: { HOME: home, USERPROFILE: home, LOCALAPPDATA: join(home, 'local'), ...options.env },
        stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
      });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr!.on('data', (chunk: Buffer) => err.push(chunk));
      child.on('error', reject);
      child.stdin!.on('error', () => undefined);
      child.on('close', (status, signal) => {
        const stdout = Buffer.concat(out).toString('utf8');
        resolve({ status, signal, stdout, stderr: Buffer.concat(err).toString('utf8') });
      });
      if (options.keepInputOpen !== true) child.stdin!.end(options.input ?? '');
      options.onStart?.(child);
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The one line of an error: fails a test that has more, or none. */
export function errorLine({ stderr }: RunResult): string {
  const lines = stderr.split('\n');
  if (lines.length !== 2 || lines[1] !== '')
    throw new Error(`not one line on standard error: ${JSON.stringify(stderr)}`);
  return lines[0]!;
}
