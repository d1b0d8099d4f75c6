import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  candidateRecord,
  compareSessions,
  queryMatcher,
  workspaceMatcher,
} from '../../../src/catalog/candidates.ts';
import { matchSessionId } from '../../../src/catalog/match-id.ts';
import type { SessionHeader } from '../../../src/log/header.ts';
import { headerOf } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { placeLog, writeRoot } from '../../support/log-writer/write-root.ts';

describe('the workspace', () => {
  test('H-41: our own directory as given, normalised, and with its links resolved', () => {
    const root = scratch();
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, 'link'));
    const isHere = workspaceMatcher(join(root, 'link'), 'linux');
    expect([join(root, 'link'), join(root, 'real')].map(isHere)).toEqual([true, true]);
    const odd = workspaceMatcher(`${root}/./link/../link/`, 'linux');
    expect([`${root}/./link/../link/`, join(root, 'link'), join(root, 'real')].map(odd)).toEqual([
      true,
      true,
      true,
    ]);
    // The recorded one is text.
    expect([`${root}/real/`, `${root}/./real`, root].map(isHere)).toEqual([false, false, false]);
  });

  test('a directory that does not exist, or none', () => {
    expect(workspaceMatcher('/no/such/place', 'linux')('/no/such/place')).toBe(true);
    expect(workspaceMatcher(undefined)('/x')).toBe(false);
    expect(workspaceMatcher('')('')).toBe(false);
    expect(workspaceMatcher('relative', 'linux')(join(process.cwd(), 'relative'))).toBe(false);
  });

  test('H-40: case, separators and long-path prefix mean nothing on Windows, everything elsewhere', () => {
    const same = ['C:\\Work\\Shop', 'c:\\work\\shop', 'C:/Work/Shop', '\\\\?\\C:\\Work\\Shop'];
    for (const cwd of same) {
      expect(same.map(workspaceMatcher(cwd, 'win32'))).toEqual([true, true, true, true]);
      expect(same.map(workspaceMatcher(cwd, 'linux'))).toEqual(same.map((other) => other === cwd));
    }
    expect(workspaceMatcher('C:\\Work', 'win32')('C:\\Workshop')).toBe(false);
    expect(workspaceMatcher('/work', 'linux')('/Work')).toBe(false);
  });
});

describe('records', () => {
  const none = { title: undefined, subagentLabel: undefined, unreadable: undefined };
  const header = (fields = {}) =>
    headerOf(4, { id: 's-1', cwd: '/w', createdAt: 5, ...fields }) as unknown as SessionHeader;

  test('keys in the order of the contract', () => {
    const record = candidateRecord(header(), { ...none, title: 'T', unreadable: 'corrupt' }, () => true);
    expect(Object.keys(record)).toEqual([
      'sessionId',
      'label',
      'displayTitle',
      'cwd',
      'sameWorkspace',
      'createdAt',
      'unreadable',
    ]);
    expect(record).toMatchObject({
      sessionId: 's-1',
      label: 'T',
      displayTitle: 'T',
      sameWorkspace: true,
      createdAt: 5,
    });
    const bare = candidateRecord(header({ cwd: undefined }), none, () => true);
    expect(bare).toEqual({
      sessionId: 's-1',
      label: 's-1',
      displayTitle: 's-1',
      sameWorkspace: false,
      createdAt: 5,
    });
  });

  test('the display title is the subagent’s own label', () => {
    const record = candidateRecord(header(), { ...none, title: 'T', subagentLabel: 'L' }, () => false);
    expect(record).toMatchObject({ label: 'T', displayTitle: 'L', sameWorkspace: false });
  });

  test('queries: id, directory, label or display title, whatever the case, no patterns', () => {
    const session = header({ id: 'Session-X', cwd: '/Work' });
    const labels = { ...none, title: 'Größe ÄÖ', subagentLabel: 'Lab.l' };
    for (const query of ['', 'session-x', 'WORK', 'grÖSSE'.replace('SS', 'ß'), 'äö', 'LAB.L']) {
      expect(queryMatcher(query)(session, labels), query).toBe(true);
    }
    for (const query of ['s.ssion', 'label', '*', 'session-x '])
      expect(queryMatcher(query)(session, labels), query).toBe(false);
  });

  test('contract 6.7: lower case does not depend on the locale', () => {
    expect(queryMatcher('title')(header({ id: 'TITLE' }), none)).toBe(true);
  });
});

test('H-53: the order is by creation, then by id, for absurd times too', () => {
  const sessions = [
    { id: 'b', createdAt: 0 },
    { id: 'B', createdAt: 0 },
    { id: 'a', createdAt: 0 },
    { id: 'é', createdAt: 0 },
    { id: 'e\u0301', createdAt: 0 },
    { id: 'z', createdAt: Number.MAX_SAFE_INTEGER },
    { id: 'y', createdAt: 1 },
  ];
  const ids = (list: typeof sessions) => [...list].sort(compareSessions).map(({ id }) => id);
  expect(ids(sessions)).toEqual(['z', 'y', 'a', 'b', 'B', 'é', 'e\u0301']);
  expect(ids(sessions.reverse())).toEqual(['z', 'y', 'a', 'b', 'B', 'é', 'e\u0301']);
});

describe('H-43: from what was typed to an id', () => {
  const cwd = '/w';
  const rootOf = () => {
    const root = scratch();
    writeRoot(root, {
      sessions: ['abcd', 'abcdef', 'session-1', 'session-22', 'session-23', 'xyz', 'a*'].map((id) => ({
        id,
        cwd,
      })),
    });
    placeLog(root, { id: 'broken-one', cwd, name: 'session.v4.jsonl', bytes: 'x\n' });
    return root;
  };
  const match = (root: string, given: string, prefix = true) =>
    matchSessionId(given, prefix, { roots: [root], onStep: () => {} });

  test('an id is itself, even where it begins another', async () => {
    const root = rootOf();
    for (const id of ['abcd', 'abcdef', 'xyz', 'a*']) {
      expect(await match(root, id)).toBe(id);
      expect(await match(root, id, false)).toBe(id);
    }
  });

  test('an unambiguous beginning of at least four characters', async () => {
    const root = rootOf();
    expect(await match(root, 'abcde')).toBe('abcdef');
    expect(await match(root, 'session-1')).toBe('session-1');
    expect(await match(root, 'broken-')).toBe('broken-one');
    for (const given of ['xy', 'abc', '', '*', 'a', 'ABCD', 'nope', '????', 'session-3']) {
      await expect(match(root, given), given).rejects.toMatchObject({ code: 'SESSION_LOG_NOT_FOUND' });
    }
    await expect(match(root, 'abcde', false)).rejects.toMatchObject({ code: 'SESSION_LOG_NOT_FOUND' });
  });

  test('an ambiguous one names what matched', async () => {
    const root = rootOf();
    await expect(match(root, 'session-2')).rejects.toThrow(
      /begins 2 session ids: "session-22", "session-23"/,
    );
    await expect(match(root, 'sess')).rejects.toMatchObject({ code: 'SESSION_LOG_AMBIGUOUS' });
  });

  test('a session that exists but cannot be read is still that session', async () => {
    expect(await match(rootOf(), 'broken-one', false)).toBe('broken-one');
  });

  test('a root that is no directory is said, not taken for an id', async () => {
    const root = rootOf();
    const file = placeLog(root, { id: 'f', cwd, name: 'file', bytes: '' });
    await expect(match(file, 'anything')).rejects.toMatchObject({ code: 'SESSION_ROOT_NOT_DIRECTORY' });
    await expect(match(file, 'anything', false)).rejects.toMatchObject({
      code: 'SESSION_ROOT_NOT_DIRECTORY',
    });
  });
});
