import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CancelReason, describeFailure } from '../../../src/cli/exit.ts';
import {
  LOG_CODES,
  type REFERENCE_CODES,
  SessionLogError,
  SessionReferenceError,
} from '../../../src/errors.ts';
import { candidate, cli, errorLine, Sink } from './support.ts';

type ReferenceCode = keyof typeof REFERENCE_CODES;
type LogCode = keyof typeof LOG_CODES;

const failing = (error: unknown) => ({
  fail: (): never => {
    throw error;
  },
});

describe('exit codes', () => {
  it.each([
    ['SESSION_REFERENCE_INVALID_CONFIG', 2],
    ['SESSION_REFERENCE_INVALID_REFERENCE', 3],
    ['SESSION_REFERENCE_SELF_REFERENCE', 3],
    ['SESSION_REFERENCE_TOO_MANY', 3],
    ['SESSION_REFERENCE_READ_FAILED', 4],
    ['SESSION_REFERENCE_BUDGET_EXCEEDED', 5],
    ['SESSION_REFERENCE_CANCELLED', 130],
  ] as [ReferenceCode, number][])('%s is %i', async (code, exit) => {
    const outcome = await cli(['prepare', 'x'], failing(new SessionReferenceError(code, 'it broke')));
    expect([outcome.exit, outcome.stdout]).toEqual([exit, '']);
    expect(errorLine(outcome.stderr).code).toBe(code);
  });

  it.each(Object.keys(LOG_CODES) as LogCode[])('%s is 4, with its position', async (code) => {
    const error = new SessionLogError(code, '/r/x', 'it broke', { at: { byteOffset: 9, seq: 3 } });
    const outcome = await cli(['candidates', '--error-format', 'json'], failing(error));
    expect(outcome.exit).toBe(4);
    expect(JSON.parse(outcome.stderr).error).toMatchObject({
      code,
      details: { path: '/r/x', kind: error.kind, byteOffset: 9, seq: 3 },
    });
  });

  it('READ_FAILED says what its cause says, cleaned, on one line', async () => {
    const cause = new SessionLogError('SESSION_LOG_CORRUPT', '/r', 'frame 3\n of "\u001b[2J" is damaged');
    const error = new SessionReferenceError('SESSION_REFERENCE_READ_FAILED', 'cannot read "a"', { cause });
    const outcome = await cli(['prepare', 'x'], failing(error));
    expect(errorLine(outcome.stderr).sentence).toContain(
      'cannot read "a": frame 3\\n of "\\u001b[2J" is damaged; restore',
    );
    const { details } = describeFailure(error);
    expect(details).toEqual({
      cause: { code: cause.code, message: cause.message, path: '/r', kind: 'corrupt' },
    });
  });

  it('INVALID_CONFIG names the option, not the library’s setting', async () => {
    const error = new SessionReferenceError(
      'SESSION_REFERENCE_INVALID_CONFIG',
      'maxReferences must be 1 to 3',
    );
    const { sentence } = errorLine((await cli(['prepare', 'x'], failing(error))).stderr);
    expect(sentence).toContain('--max-references must be 1 to 3');
  });

  it('a megabyte of a name does not flood standard error', async () => {
    const error = new SessionReferenceError('SESSION_REFERENCE_READ_FAILED', 'x'.repeat(1_000_000));
    expect((await cli(['prepare', 'x'], failing(error))).stderr.length).toBeLessThan(5000);
  });

  it('anything untyped is a bug, with its stack and a hint', async () => {
    const outcome = await cli(['candidates'], failing(new TypeError('oh\u001b no')));
    expect([outcome.exit, outcome.stdout]).toEqual([1, '']);
    expect(outcome.stderr).toMatch(/^dsh-ref: TypeError: oh\\u001b no; [^\n]*report[^\n]* \[DSH_REF_BUG\]\n/);
    expect(outcome.stderr).toContain('exit.test.ts');
    const json = await cli(['candidates', '--error-format=json'], failing('a string'));
    expect(JSON.parse(json.stderr).error).toMatchObject({
      code: 'DSH_REF_BUG',
      details: { stack: expect.any(String) },
    });
  });
});

describe('H-80, H-81: standard output', () => {
  const many = Array.from({ length: 200 }, (_, at) =>
    candidate(`session-${at}`, { label: 'é'.repeat(15_000) }),
  );

  it.each(['EPIPE', 'ECONNRESET'])('closed (%s) is a quiet exit 0', async (fail) => {
    const outcome = await cli(['candidates'], { candidates: many, total: 999, stdout: new Sink({ fail }) });
    expect([outcome.exit, outcome.stderr]).toEqual([0, '']);
  });

  it.each(['ENOSPC', 'EIO'])('failing with %s is an error', async (fail) => {
    const outcome = await cli(['candidates'], { candidates: many, stdout: new Sink({ fail }) });
    expect([outcome.exit, errorLine(outcome.stderr).code]).toEqual([6, 'DSH_REF_OUTPUT_FAILED']);
    expect(outcome.stderr).toContain(fail);
  });

  it('arrives whole at a slow reader', async () => {
    const { stdout } = await cli(['candidates', '--json'], {
      candidates: many,
      stdout: new Sink({ delayMs: 1 }),
    });
    expect(stdout.length).toBeGreaterThan(5_000_000);
    expect(JSON.parse(stdout).candidates).toEqual(many);
  });

  it('does not suffer from a standard error that is closed', async () => {
    const outcome = await cli(['candidates'], {
      candidates: many,
      total: 999,
      stderr: new Sink({ fail: 'EPIPE' }),
    });
    expect([outcome.exit, outcome.stdout.split('\n').length]).toEqual([0, 201]);
  });
});

describe('cancelling', () => {
  it('--timeout is exit 124, even where the work does not listen', async () => {
    const outcome = await cli(['candidates', '--timeout', '20'], {
      fail: () => delay(2000, undefined, { ref: false }),
    });
    expect([outcome.exit, outcome.stdout]).toEqual([124, '']);
    expect(errorLine(outcome.stderr)).toEqual({
      sentence: expect.stringContaining('20 ms'),
      code: 'SESSION_REFERENCE_CANCELLED',
    });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s is exit %i, also while standard input is awaited', async (by, exit) => {
    const controller = new AbortController();
    const stdin = new Readable({
      read: () => controller.abort(new CancelReason(by, `cancelled by ${by}`)),
    });
    const outcome = await cli(['parse', '-'], { stdin, signal: controller.signal });
    expect([outcome.exit, outcome.stdout, stdin.destroyed]).toEqual([exit, '', true]);
    expect(errorLine(outcome.stderr).sentence).toBe(`cancelled by ${by}`);
  });

  it('hands the signal to the library', async () => {
    const { asked } = await cli(['candidates']);
    expect(asked.candidates?.signal).toBeInstanceOf(AbortSignal);
  });

  it('a failure after the signal is the cancellation', async () => {
    const signal = AbortSignal.abort(new CancelReason('SIGINT', 'cancelled by SIGINT'));
    expect((await cli(['candidates'], { ...failing(new Error('x')), signal })).exit).toBe(130);
  });
});
