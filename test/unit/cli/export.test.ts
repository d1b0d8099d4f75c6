import { describe, expect, it } from 'vitest';
import { zstdLog } from '../../support/log-writer/container.ts';
import { randomConversation } from '../../support/log-writer/conversation.ts';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { logName, placeLog, writeLog } from '../../support/log-writer/write-root.ts';
import { cli, errorLine, type Setup, Sink } from './support.ts';

const place = { id: 's-1', cwd: '/home/ana/shop' };

function setupWith(lines: readonly string[], format = 4): Setup {
  const root = scratch();
  writeLog(root, { ...place, format, lines });
  return { env: { DSH_REF_ROOT: root }, stored: { 's-1': undefined } };
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

describe('export', () => {
  it('is the decoded log, line by line, and silent', async () => {
    const { lines } = randomConversation({ format: 4, seed: 2, bytes: 400_000 }).script;
    const { exit, stdout, stderr } = await cli(['export', 's-1'], setupWith(lines));
    expect([exit, stdout === textOf(lines), stderr]).toEqual([0, true, '']);
  });

  it('--events has no header and no packed rows', async () => {
    const script = new LogScript(1);
    script.chunks(['a', 'b', 'c'], true);
    script.user('x');
    const { stdout } = await cli(['export', 's-1', '--events'], setupWith(script.lines, 1));
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq, type }) => `${seq} ${type}`)).toEqual([
      '0 assistant/chunk',
      '1 assistant/chunk',
      '2 assistant/chunk',
      '3 user/message',
    ]);
  });

  it('every form of a session is accepted', async () => {
    const { lines } = new LogScript(4);
    const root = scratch();
    writeLog(root, {
      id: 'session-1',
      cwd: place.cwd,
      format: 4,
      lines: [lines[0]!.replace('s-1', 'session-1')],
    });
    const setup = { env: { DSH_REF_ROOT: root }, stored: { 'session-1': undefined } };
    for (const form of [
      'session-1',
      'sess',
      'dsh-session:InNlc3Npb24tMSI',
      '@[x](dsh-session:InNlc3Npb24tMSI)',
    ]) {
      expect((await cli(['export', form], setup)).exit).toBe(0);
    }
  });

  it('what is left out at the end is told; under --strict it is a failure', async () => {
    const { lines } = randomConversation({ format: 4, seed: 2, bytes: 2000 }).script;
    const setup = setupWith([...lines, 'half a r']);
    const { exit, stdout, stderr } = await cli(['export', 's-1'], setup);
    expect([exit, stdout]).toEqual([0, textOf(lines)]);
    expect(stderr).toMatch(/^dsh-ref: left out of "[^"]+": line \d+ is not JSON[^\n]*\n$/);
    const strict = await cli(['export', 's-1', '--strict'], setup);
    expect([strict.exit, strict.stdout, errorLine(strict.stderr).code]).toEqual([4, '', 'DSH_REF_SKIPPED']);
    expect((await cli(['export', 's-1', '-q'], setup)).stderr).toBe('');
  });

  it('H-64: a damaged log gives nothing and exits 4, however late the damage', async () => {
    const { lines } = randomConversation({ format: 4, seed: 2, bytes: 900_000 }).script;
    const root = scratch();
    const bytes = zstdLog(lines);
    bytes[bytes.length - 1]! ^= 1;
    placeLog(root, { ...place, name: logName(4, 'zstd'), bytes });
    const { exit, stdout, stderr } = await cli(['export', 's-1'], {
      env: { DSH_REF_ROOT: root },
      stored: { 's-1': undefined },
    });
    expect([exit, stdout, errorLine(stderr).code]).toEqual([4, '', 'SESSION_LOG_CORRUPT']);
  });

  it('a reader that goes away is a quiet success, and stops the reading', async () => {
    const { lines } = randomConversation({ format: 4, seed: 2, bytes: 900_000 }).script;
    const setup = setupWith(lines);
    let written = 0;
    const stdout = new Sink();
    stdout._write = (chunk: Buffer, _encoding, done) => {
      written += chunk.length;
      done(written > 100_000 ? Object.assign(new Error('EPIPE'), { code: 'EPIPE' }) : undefined);
    };
    const { exit, stderr } = await cli(['export', 's-1'], { ...setup, stdout });
    expect([exit, stderr, written < 300_000]).toEqual([0, '', true]);
    const full = await cli(['export', 's-1'], { ...setup, stdout: new Sink({ fail: 'ENOSPC' }) });
    expect([full.exit, errorLine(full.stderr).code]).toEqual([6, 'DSH_REF_OUTPUT_FAILED']);
  });

  it('H-70: on a terminal the same JSON arrives, spelled so that it can be shown', async () => {
    const script = new LogScript(4);
    script.user('a\u009b31m\u202eb\u2028c');
    const setup = setupWith(script.lines);
    const { stdout } = await cli(['export', 's-1'], { ...setup, stdout: new Sink({ isTTY: true }) });
    expect(stdout).not.toMatch(/[\u0080-\u009f\u202e\u2028]/);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(script.lines.map((line) => JSON.parse(line)));
  });

  it.each([
    [['export'], 2],
    [['export', 'a', 'b'], 2],
    [['export', 'nobody'], 4],
    [['export', 'no*'], 3],
  ])('%j exits %i with nothing on standard output', async (argv, exit) => {
    const outcome = await cli(argv, setupWith(new LogScript(4).lines));
    expect([outcome.exit, outcome.stdout]).toEqual([exit, '']);
  });
});
