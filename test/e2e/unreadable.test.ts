/** Directories that may not be read. Permissions do not bind root, so there the program runs as nobody. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASIC_ROOT, PROGRAM } from '../support/run-program.ts';

const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? ['setpriv', '--reuid=65534', '--clear-groups'] : [];
let scratch = '';

function dsh(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const [command, ...rest] = [...asNobody, process.execPath, PROGRAM, ...args];
  return spawnSync(command!, rest, { env: { HOME: join(scratch, 'home') }, encoding: 'utf8' });
}

const canDrop = dsh('--version').status === 0;
if (!canDrop) process.stderr.write('skipped: no way to run the program as somebody else\n');

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'dsh-ref-unreadable-'));
  chmodSync(scratch, 0o755);
  cpSync(BASIC_ROOT, join(scratch, 'root'), { recursive: true });
  chmodSync(join(scratch, 'root', '--proj-beta--'), 0o000);
});
afterAll(() => {
  chmodSync(join(scratch, 'root', '--proj-beta--'), 0o700);
  rmSync(scratch, { recursive: true, force: true });
});

describe.runIf(canDrop)('a project directory that may not be read (H-24, H-32)', () => {
  it('is one counted skip, and hides no other session', () => {
    const { status, stdout, stderr } = dsh('candidates', '--format', 'id', '--root', join(scratch, 'root'));
    expect(status).toBe(0);
    expect(stdout.split('\n')).toContain('session-5');
    expect(stderr).toContain('1 unreadable');
  });

  it.each([
    ['show', 'session-5'],
    ['export', 'session-5'],
    ['prepare', '--reference', 'session-5'],
    ['mention', '9e86be36'],
  ])('%s %s of another project works', (...args) => {
    const { status, stderr } = dsh(...args, '--root', join(scratch, 'root'));
    expect([status, stderr]).toEqual([0, '']);
  });

  it('a session that may lie there is not found, and why is said', () => {
    const { status, stdout, stderr } = dsh('show', 'session-10', '--root', join(scratch, 'root'));
    expect([status, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(
      /no session "session-10".*--proj-beta--.*cannot be looked into.*\[SESSION_LOG_NOT_FOUND\]/,
    );
  });
});
