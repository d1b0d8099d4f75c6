import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, errorLine } from './support.ts';

let directory: string;
let file: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dsh-ref-roots-'));
  file = join(directory, 'file');
  writeFileSync(file, '');
  mkdirSync(join(directory, 'home', 'sessions'), { recursive: true });
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('roots', () => {
  it('come from --root, DSH_REF_ROOT, DSH_HOME, in that order', async () => {
    const home = join(directory, 'home');
    const env = { DSH_REF_ROOT: `${directory}${delimiter}${delimiter}/`, DSH_HOME: home };
    expect((await cli(['candidates', '--root', '/tmp'], { env })).asked.roots).toEqual(['/tmp']);
    expect((await cli(['candidates'], { env })).asked.roots).toEqual([directory, '/']);
    const { asked } = await cli(['candidates'], { env: { ...env, DSH_REF_ROOT: ' ' } });
    expect(asked.roots).toEqual([join(home, 'sessions')]);
  });

  it.each([
    [undefined, '/home/me/.dsh/sessions'],
    ['  ', '/home/me/.dsh/sessions'],
    ['~', '/home/me/sessions'],
    ['~/x', '/home/me/x/sessions'],
    ['~x', '/work/here/~x/sessions'],
    ['rel', '/work/here/rel/sessions'],
  ])('DSH_HOME %j means %s', async (home, root) => {
    const { asked, exit, stderr } = await cli(['candidates'], {
      env: { DSH_REF_ROOT: undefined, DSH_HOME: home },
    });
    expect([exit, asked.roots]).toEqual([0, [root]]);
    expect(stderr).toContain(`${root} (`);
  });

  it('a named root that is missing or no directory is exit 4', async () => {
    const missing = join(directory, 'nowhere');
    const cases: [string, string][] = [
      [missing, 'SESSION_ROOT_MISSING'],
      [file, 'SESSION_ROOT_NOT_DIRECTORY'],
      [join(file, 'below'), 'SESSION_ROOT_NOT_DIRECTORY'],
      ['x'.repeat(5000), 'SESSION_ROOT_UNREADABLE'],
    ];
    for (const [root, code] of cases) {
      for (const command of ['candidates', 'prepare', 'mention']) {
        const outcome = await cli([command, 'text', '--root', root]);
        expect([outcome.exit, outcome.stdout, errorLine(outcome.stderr).code]).toEqual([4, '', code]);
      }
      expect((await cli(['candidates'], { env: { DSH_REF_ROOT: root } })).exit).toBe(4);
    }
    expect((await cli(['candidates', '--root', directory, '--root', missing])).exit).toBe(4);
  });

  it('a default root that is no directory is an error too', async () => {
    const home = join(directory, 'odd');
    mkdirSync(home);
    writeFileSync(join(home, 'sessions'), '');
    const outcome = await cli(['candidates'], { env: { DSH_REF_ROOT: undefined, DSH_HOME: home } });
    expect([outcome.exit, errorLine(outcome.stderr).code]).toEqual([4, 'SESSION_ROOT_NOT_DIRECTORY']);
  });

  it('-v says which root and why', async () => {
    const { stderr } = await cli(['candidates', '-v', '--root', directory]);
    expect(stderr).toContain(`root ${JSON.stringify(directory)} (given by --root)`);
  });

  it('commands that read no log do not look at roots', async () => {
    for (const argv of [
      ['parse', 'x'],
      ['uri', 'encode', 'x'],
    ]) {
      expect((await cli([...argv, '--root', '/nowhere'])).exit).toBe(0);
    }
  });
});
