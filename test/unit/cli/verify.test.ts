import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { logName, placeLog, writeLog } from '../../support/log-writer/write-root.ts';
import { cli, errorLine, type Setup, Sink } from './support.ts';

const place = { cwd: '/home/ana/shop', format: 4 } as const;

function talk(id: string): LogScript {
  const script = new LogScript(4, { id });
  script.startTurn();
  script.user('hello');
  script.endTurn();
  return script;
}

/** A root with a sound session, and one whose log has `tail` behind its last row. */
function rootWith(tail?: string): Setup {
  const root = scratch();
  writeLog(root, { ...place, id: 'good', lines: talk('good').lines });
  const { lines } = talk('other');
  if (tail !== undefined)
    writeLog(root, { ...place, id: 'other', lines: [...lines, tail], encoding: 'zstd' });
  return { env: { DSH_REF_ROOT: root }, stored: { good: undefined, other: undefined } };
}

const TURN_END = '{"type":"turn/end","seq":99,"time":1,"data":{}}';

describe('verify', () => {
  it('a sound root: exit 0, nothing on standard output, a notice', async () => {
    const { exit, stdout, stderr } = await cli(['verify'], rootWith());
    expect([exit, stdout]).toEqual([0, '']);
    expect(stderr).toBe('dsh-ref: 1 checked: 1 sound, 0 with warnings, 0 unreadable\n');
    expect((await cli(['verify', '-q'], rootWith())).stderr).toBe('');
  });

  it('an error: exit 4, a finding a line, and one error line', async () => {
    const { exit, stdout, stderr } = await cli(['verify'], rootWith(TURN_END));
    expect(exit).toBe(4);
    const [line, ...others] = stdout.trimEnd().split('\n');
    expect(others).toEqual([]);
    const finding = JSON.parse(line!);
    expect(Object.keys(finding)).toEqual(
      'kind severity sessionId path byteOffset frame line seq message'.split(' '),
    );
    expect(finding).toMatchObject({
      kind: 'row-seq',
      severity: 'error',
      sessionId: 'other',
      frame: 2,
      line: 7,
      seq: 5,
    });
    expect(errorLine(stderr)).toMatchObject({
      code: 'SESSION_LOG_CORRUPT',
      sentence: expect.stringContaining('2 checked: 1 sound, 0 with warnings, 1 unreadable'),
    });
  });

  it('a warning is a finding too, unless it was not asked for', async () => {
    const setup = rootWith('{"type":"tu');
    const { exit, stdout } = await cli(['verify'], setup);
    expect([exit, JSON.parse(stdout)]).toMatchObject([4, { kind: 'row-json', severity: 'warning' }]);
    const errors = await cli(['verify', '--errors-only'], setup);
    expect([errors.exit, errors.stdout]).toEqual([0, '']);
  });

  it('only what is named, in any form that names a session', async () => {
    const setup = rootWith(TURN_END);
    expect((await cli(['verify', 'good'], setup)).exit).toBe(0);
    for (const form of ['othe', 'other', 'dsh-session:Im90aGVyIg', '@[x](dsh-session:Im90aGVyIg)']) {
      const { exit, stdout } = await cli(['verify', 'good', form], setup);
      expect([exit, JSON.parse(stdout).sessionId]).toEqual([4, 'other']);
    }
    const missing = await cli(['verify', 'good', 'nobody'], setup);
    expect([missing.exit, missing.stdout]).toEqual([4, '']);
    expect(errorLine(missing.stderr).code).toBe('SESSION_LOG_NOT_FOUND');
  });

  it('--json is one object', async () => {
    const { exit, stdout } = await cli(['verify', '--json'], rootWith(TURN_END));
    const report = JSON.parse(stdout);
    expect(exit).toBe(4);
    expect(Object.keys(report)).toEqual(
      'schemaVersion roots checked sound withWarnings unreadable kinds findings'.split(' '),
    );
    expect(report).toMatchObject({
      checked: 2,
      sound: 1,
      kinds: [{ kind: 'row-seq', findings: 1, places: 1 }],
    });
    const sound = await cli(['verify', '--json'], rootWith());
    expect([sound.exit, JSON.parse(sound.stdout).findings]).toEqual([0, []]);
  });

  it('a table on a terminal, with a summary for a whole root, clean and in colour', async () => {
    const root = scratch();
    writeLog(root, {
      ...place,
      id: 'other',
      lines: [
        ...talk('other').lines,
        '{"type":"new\u202e\u001b[2J","seq":5,"time":1,"data":{}}'.replace('\u001b', '\\u001b'),
      ],
    });
    const setup = { env: { DSH_REF_ROOT: root }, stored: { other: undefined } };
    const { stdout } = await cli(['verify'], { ...setup, stdout: new Sink({ isTTY: true }) });
    expect(stdout).toContain('\u001b[1mKIND');
    expect(stdout).toContain('event-type-unknown');
    expect(stdout).toMatch(/\n1 checked: 0 sound, 1 with warnings, 0 unreadable\n$/);
    expect(stdout.replaceAll(/\u001b\[\d+m/g, '')).not.toMatch(/[\u001b\u202e]/);
    const named = await cli(['verify', 'other', '--no-color'], {
      ...setup,
      stdout: new Sink({ isTTY: true }),
    });
    expect(named.stdout).not.toContain('KIND');
    expect(named.stdout).not.toContain('\u001b');
  });

  it('names what of a root is no session', async () => {
    const setup = rootWith();
    const root = setup.env!.DSH_REF_ROOT!;
    placeLog(root, {
      id: 'elsewhere',
      cwd: '/home/ana/shop',
      name: logName(4, 'plain'),
      bytes: talk('x').lines.join('\n'),
    });
    placeLog(root, { id: '.', cwd: '/home/ana/shop', name: 'note.txt', bytes: 'x' });
    placeLog(root, { id: 'newer', cwd: '/home/ana/shop', name: 'session.v9.jsonl', bytes: '' });
    const { stdout } = await cli(['verify'], setup);
    const kinds = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
    expect(kinds.sort()).toEqual(
      ['session-mismatch', 'session-unsupported', 'line-torn', 'root-mixed-encodings'].sort(),
    );
  });

  it('progress on a terminal, and only there', async () => {
    let at = 0;
    const now = () => (at += 600);
    const stderr = new Sink({ isTTY: true });
    await cli(['verify', '-q'], { ...rootWith(TURN_END), now, stderr });
    expect(stderr.utf8).not.toContain('checked\u001b');
    const shown = new Sink({ isTTY: true });
    await cli(['verify'], { ...rootWith(TURN_END), now, stderr: shown });
    expect(shown.utf8).toContain('of 2 logs checked');
    expect(shown.utf8).toContain('\r\u001b[K');
    const piped = await cli(['verify'], { ...rootWith(TURN_END), now });
    expect(piped.stderr).not.toContain('\r');
  });

  it.each([
    [['verify', '--format', 'xml'], 2],
    [['verify', '--json', '--format', 'table'], 2],
    [['verify', '--timeout', '0'], 2],
    [['verify', ''], 3],
  ])('%j exits %i', async (argv, exit) => {
    const outcome = await cli(argv, rootWith());
    expect([outcome.exit, outcome.stdout]).toEqual([exit, '']);
  });

  it('the shipped example works', async () => {
    const root = join(import.meta.dirname, '../../../fixtures/logs/basic-zstd');
    const { exit, stderr } = await cli(['verify', '--root', root]);
    expect([exit, stderr]).toEqual([0, 'dsh-ref: 10 checked: 10 sound, 0 with warnings, 0 unreadable\n']);
  });

  it('a cancelled check ends with the code of its cause', async () => {
    const root = join(inject('corpus'), 'roots/many-sessions');
    const { exit, stdout } = await cli(['verify', '--timeout', '1', '--root', root]);
    expect([exit, stdout]).toEqual([124, '']);
  });
});
