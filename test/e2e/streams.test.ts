/** Standard streams as a shell hands them over: closed, full, slow, empty, huge (H-80 to H-83). */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASIC_ROOT, errorLine, PROGRAM, runProgram } from '../support/run-program.ts';

const run = promisify(execFile);
let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'dsh-ref-streams-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs a line of shell, `$dsh` being the program; tells status and streams. */
async function shell(line: string): Promise<{ status: number; stdout: string; stderr: string }> {
  const dsh = `"${process.execPath}" "${PROGRAM}"`;
  const env = { HOME: scratch, PATH: process.env.PATH ?? '', ROOT: BASIC_ROOT };
  const script = `set -o pipefail; dsh() { ${dsh} "$@"; }; ${line}`;
  const options = { env, cwd: scratch, maxBuffer: 64 * 1024 * 1024 };
  try {
    return { status: 0, ...(await run('bash', ['-c', script], options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, stdout, stderr };
  }
}

describe('a pipe that closes early is a quiet success (H-80)', () => {
  it.each(['candidates', 'show session-5', 'export session-10', 'verify --format ndjson'])(
    '%s',
    async (command) => {
      const { stdout, stderr } = await shell(
        `dsh ${command} --root "$ROOT" -q | true; echo "\${PIPESTATUS[0]}"`,
      );
      expect([stdout.trim(), stderr]).toEqual(['0', '']);
    },
  );
});

describe.skipIf(!existsSync('/dev/full'))('a full device is an error (H-80)', () => {
  it.each(['candidates', 'uri encode a', 'show session-5', 'export session-5', '--help'])(
    '%s',
    async (command) => {
      const { status, stdout, stderr } = await shell(`dsh ${command} --root "$ROOT" > /dev/full`);
      // `uri` and `--help` take no root, which is as good an error to them: only the code must be told.
      if (command.startsWith('uri') || command === '--help') {
        const plain = await shell(`dsh ${command} > /dev/full`);
        expect([plain.status, plain.stdout]).toEqual([6, '']);
        expect(plain.stderr).toContain('[DSH_REF_OUTPUT_FAILED]');
        return;
      }
      expect([status, stdout]).toEqual([6, '']);
      expect(stderr).toContain('[DSH_REF_OUTPUT_FAILED]');
    },
  );
});

describe('a slow reader gets everything (H-81)', () => {
  it('5 MB through a pipe that is read late', async () => {
    const text = 'x'.repeat(5_000_000);
    const child = spawn(process.execPath, [PROGRAM, 'parse', '-'], { env: { HOME: scratch } });
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect([status, bytes]).toEqual([0, JSON.stringify({ text, references: [] }).length + 1]);
  });
});

describe('standard input is read for - only, and each kind has its result (H-82)', () => {
  it('is not touched by other commands', async () => {
    const { status, stdout } = await shell('dsh candidates --root "$ROOT" --limit 1 < /dev/zero');
    expect([status, stdout.split('\n').length]).toEqual([0, 2]);
  });

  it.each([
    ['empty', '< /dev/null', 0, ''],
    ['a directory', '< /', 2, 'DSH_REF_INPUT_FAILED'],
  ])('%s', async (_kind, redirect, status, code) => {
    const result = await shell(`dsh parse - ${redirect}`);
    expect(result.status).toBe(status);
    if (code === '') expect(JSON.parse(result.stdout)).toEqual({ text: '', references: [] });
    else expect([result.stdout, result.stderr.includes(code)]).toEqual(['', true]);
  });

  it('closed', async () => {
    const { status, stderr } = await shell('dsh parse - <&-');
    // What a closed input reads as is the system's affair; it must end, and not as a bug.
    expect([0, 2]).toContain(status);
    expect(stderr).not.toContain('DSH_REF_BUG');
  });

  it('bytes that are no UTF-8', async () => {
    const result = await runProgram(['parse', '-'], { input: Buffer.from([0x61, 0xff, 0x62]) });
    expect([result.status, result.stdout]).toEqual([2, '']);
    expect(errorLine(result)).toContain('[DSH_REF_INPUT_FAILED]');
  });

  it('a file of messages that is no JSON', async () => {
    const path = join(scratch, 'messages.json');
    writeFileSync(path, '[{"source":{"kind":"user"}');
    const result = await runProgram(['prepare', '--messages', path, '--root', BASIC_ROOT]);
    expect([result.status, result.stdout]).toEqual([2, '']);
    expect(errorLine(result)).toContain('[DSH_REF_INPUT_FAILED]');
  });
});

describe('standard output alone parses as promised (H-83)', () => {
  it.each([
    ['candidates nothing-has-this-title', ''],
    ['candidates nothing-has-this-title --format tsv', ''],
  ])('%s', async (command, expected) => {
    const { status, stdout } = await shell(`dsh ${command} --root "$ROOT"`);
    expect([status, stdout]).toEqual([0, expected]);
  });

  it('json of an empty result is an object', async () => {
    const { stdout } = await shell('dsh candidates nothing-has-this-title --json --root "$ROOT"');
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, total: 0, returned: 0, candidates: [] });
  });
});
