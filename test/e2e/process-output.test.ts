/** Short outputs are written at once; what cannot be is written by Node's streams, and a signal always ends it. */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratch } from '../support/log-writer/scratch.ts';
import { BASIC_ROOT, PROGRAM, runProgram } from '../support/run-program.ts';

const LIST = ['candidates', '--root', BASIC_ROOT, '--no-index'];
const isPosix = process.platform !== 'win32';

/** A pipe in which there is no room, and a descriptor of it that does not wait. */
function openFullPipe(): { readonly path: string; readonly full: number } {
  const path = join(scratch(), 'pipe');
  execFileSync('mkfifo', [path]);
  // Reading and writing, so that neither open waits for the other.
  const full = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const filler = Buffer.alloc(4096);
  expect(() => {
    for (;;) writeSync(full, filler);
  }).toThrow('EAGAIN');
  return { path, full };
}

test('into a file, from where it is on', async () => {
  const path = join(scratch(), 'out');
  const descriptor = openSync(path, 'w');
  writeSync(descriptor, 'before\n');
  await runProgram(LIST, { stdout: descriptor });
  await runProgram(LIST, { stdout: descriptor });
  closeSync(descriptor);
  const { stdout } = await runProgram(LIST);
  expect(stdout).not.toBe('');
  expect(readFileSync(path, 'utf8')).toBe(`before\n${stdout}${stdout}`);
});

test.skipIf(!isPosix)('through a pipe of the shell, whole', async () => {
  const { stdout } = await runProgram(LIST);
  const piped = execFileSync('sh', ['-c', `'${process.execPath}' '${PROGRAM}' ${LIST.join(' ')} | cat`], {
    encoding: 'utf8',
  });
  expect(piped).toBe(stdout);
});

test.skipIf(!isPosix).each([
  ['standard output', 'SIGTERM'],
  ['standard output', 'SIGINT'],
  ['standard output', '--timeout'],
  ['standard error', 'SIGTERM'],
  ['standard error', '--timeout'],
] as const)('%s is a full pipe that nobody reads: %s ends it', async (name, means) => {
  const { path, full } = openFullPipe();
  try {
    const target = openSync(path, constants.O_WRONLY);
    const command = name === 'standard output' ? LIST : ['show', 'nosuch', '--root', BASIC_ROOT];
    const limit = means === '--timeout' ? ['--timeout', '2000'] : [];
    const child = spawn(process.execPath, [PROGRAM, ...command, ...limit], {
      stdio: name === 'standard output' ? ['ignore', target, 'ignore'] : ['ignore', 'ignore', target],
      env: {},
    });
    closeSync(target);
    const ended = new Promise<boolean>((resolve) => child.on('exit', () => resolve(true)));
    await new Promise((done) => setTimeout(done, 1500));
    expect(child.exitCode).toBeNull();
    if (means !== '--timeout') child.kill(means);
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 5000).unref());
    const hasEnded = await Promise.race([ended, late]);
    child.kill('SIGKILL');
    expect(hasEnded).toBe(true);
  } finally {
    closeSync(full);
  }
});

test.skipIf(!isPosix)('into a full pipe that does not wait: all of it, once there is room', async () => {
  const { path, full } = openFullPipe();
  const child = spawn(process.execPath, [PROGRAM, ...LIST], { stdio: ['ignore', full, 'ignore'], env: {} });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  await new Promise((done) => setTimeout(done, 1000));
  // Of its own: the program may change how the one that it shares waits.
  const drained = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let text = '';
  const piece = Buffer.alloc(64 * 1024);
  const drain = setInterval(() => {
    try {
      text += piece.toString('utf8', 0, readSync(drained, piece)).replaceAll('\0', '');
    } catch {
      // Nothing there yet.
    }
  }, 10);
  expect(await ended).toBe(0);
  await new Promise((done) => setTimeout(done, 100));
  clearInterval(drain);
  closeSync(drained);
  closeSync(full);
  expect(text).toBe((await runProgram(LIST)).stdout);
});
