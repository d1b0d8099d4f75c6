/** What of a root is no session to be trusted. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifySessions } from '../../../src/store.ts';
import { ALL_FINDING_KINDS, FINDING_KINDS } from '../../../src/verify/finding-kinds.ts';
import { headerOf, LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { logName, placeLog, writeLog } from '../../support/log-writer/write-root.ts';
import { kindsOf, kindsOfLines } from './check.ts';

const cwd = '/home/ana/shop';
const project = '--home-ana-shop--';

function rootWithOne(id = 's-1'): string {
  const root = scratch();
  writeLog(root, { id, cwd, format: 4, lines: new LogScript(4, { id }).lines });
  return root;
}

async function kindsIn(...roots: string[]): Promise<string[]> {
  return kindsOf((await verifySessions({ roots })).findings);
}

it('a flat log and a link are strays, which no error are', async () => {
  const root = rootWithOne();
  writeFileSync(join(root, project, 's-2.jsonl'), '');
  expect(await kindsIn(root)).toEqual(['w path-stray']);
  symlinkSync(join(root, project, 's-1'), join(root, project, 's-3'));
  expect(await kindsIn(root)).toEqual(['w path-stray', 'w path-stray']);
});

it('a directory in place of a log is no file', async () => {
  const root = rootWithOne();
  mkdirSync(join(root, project, 's-2', 'session.v4.jsonl.zstd'), { recursive: true });
  expect(await kindsIn(root)).toEqual(['e path-not-a-file']);
});

it('the same id in two roots, in two encodings, in a generation to come', async () => {
  expect(await kindsIn(rootWithOne(), rootWithOne())).toEqual(['e session-ambiguous', 'e session-ambiguous']);
  const root = rootWithOne();
  const name = logName(4, 'plain');
  placeLog(root, { id: 's-1', cwd, name, bytes: `${new LogScript(4).lines[0]}\n` });
  expect(await kindsIn(root)).toContain('e session-ambiguous');
  const newer = rootWithOne();
  placeLog(newer, { id: 's-1', cwd, name: 'session.v5.jsonl.zstd', bytes: '' });
  expect(await kindsIn(newer)).toEqual(['e session-unsupported']);
});

it('both encodings in one root', async () => {
  const root = rootWithOne();
  writeLog(root, {
    id: 's-2',
    cwd,
    format: 4,
    lines: new LogScript(4, { id: 's-2' }).lines,
    encoding: 'plain',
  });
  const { findings, kinds } = await verifySessions({ roots: [root] });
  expect(findings).toMatchObject([{ kind: 'root-mixed-encodings', severity: 'warning', path: root }]);
  expect(kinds).toMatchObject([{ kind: 'root-mixed-encodings', findings: 1, places: 1 }]);
  expect((await verifySessions({ roots: [root], sessionIds: ['s-1', 's-2', 's-1'] })).verified.length).toBe(
    2,
  );
});

it('a session that is not there is an error of the call, a root that is not there is empty', async () => {
  const missing = verifySessions({ roots: [rootWithOne()], sessionIds: ['s-1', 'nobody'] });
  await expect(missing).rejects.toMatchObject({ code: 'SESSION_LOG_NOT_FOUND' });
  expect((await verifySessions({ roots: [join(scratch(), 'none')] })).verified).toEqual([]);
});

it('results are frozen, progress is counted', async () => {
  const steps: string[] = [];
  const onProgress = (done: number, total: number) => steps.push(`${done}/${total}`);
  const report = await verifySessions({ roots: [rootWithOne()], onProgress });
  expect(steps).toEqual(['0/1', '1/1']);
  expect(Object.isFrozen(report.verified[0])).toBe(true);
  expect(report.verified[0]).toMatchObject({ sessionId: 's-1', formatVersion: 4, events: 0, findings: [] });
});

it('a header over the limit is too large', () => {
  const lines = [JSON.stringify(headerOf(4, { agentPreset: 'x'.repeat(17 * 1024 * 1024) }))];
  expect(kindsOfLines(lines)).toEqual(['e log-too-large']);
});

it('every kind has its words', () => {
  for (const kind of ALL_FINDING_KINDS) {
    const { title, meaning, rule } = FINDING_KINDS[kind];
    const isWorded = title.length > 3 && meaning.endsWith('.') && /^\d/.test(rule);
    expect([kind, isWorded]).toEqual([kind, true]);
  }
});
