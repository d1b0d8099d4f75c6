import { describe, expect, test } from 'vitest';
import { chooseLog } from '../../../src/catalog/found-log.ts';
import {
  decodeIdSegment,
  idSegment,
  isProjectDirectory,
  parseLogName,
  projectKey,
} from '../../../src/catalog/names.ts';

test.each([
  ['/home/ana/shop', '--home-ana-shop--'],
  ['/', '--root--'],
  ['C:\\src\\shop', '--C-src-shop--'],
  ['/srv/my app', '--srv-my~0020app--'],
  ['/données', '--donn~00E9es--'],
  ['/x/-y', '--x--y--'],
  ['/a-b/c', '--a-b-c--'],
  ['/a/b-c', '--a-b-c--'],
  ['-', '--root--'],
  ['---', '--root--'],
  ['/-/', '--root--'],
  ['a/', '--a---'],
  ['~', '--~007E--'],
  ['//a::b\\\\c', '--a-b-c--'],
  ['/😀', '--~D83D~DE00--'],
  ['\ud800', '--~D800--'],
  ['\0', '--~0000--'],
  ['.', '--.--'],
])('project key of %j is %s (1.3)', (cwd, key) => {
  expect(projectKey(cwd)).toBe(key);
});

test('project keys are cut at 255 characters, and are never empty', () => {
  expect(projectKey(undefined)).toBe('_no-cwd');
  expect(projectKey(`/${'x'.repeat(251)}`)).toBe(`--${'x'.repeat(251)}--`);
  expect(projectKey(`/${'x'.repeat(300)}`)).toBe(`--${'x'.repeat(251)}--`);
  expect(projectKey(`/${'é'.repeat(300)}`).length).toBe(255);
});

test.each([
  ['session-0b9e', 'session-0b9e'],
  ['a/b', 'a~002Fb'],
  ['/etc/passwd', '~002Fetc~002Fpasswd'],
  ['a~b', 'a~007Eb'],
  ['.', '~002E'],
  ['..', '~002E~002E'],
  ['...', '...'],
  ['\0', '~0000'],
  ['\ud800', '~D800'],
  ['😀', '~D83D~DE00'],
  ['CON', 'CON'],
  ['*', '~002A'],
])('segment of the id %j is %s (1.4)', (id, segment) => {
  expect(idSegment(id)).toBe(segment);
  expect(decodeIdSegment(segment)).toBe(id);
});

test('a directory name that no id has is none', () => {
  const wrong = [
    '',
    '.',
    '..',
    'a b',
    'é',
    '~',
    'a~',
    '~00',
    '~002f',
    '~0041',
    '~005F',
    '~002E~002',
    'x~002E',
    '~002E~002Ex',
  ];
  for (const name of wrong) expect(decodeIdSegment(name), name).toBeUndefined();
});

test('project directories', () => {
  for (const name of ['_no-cwd', '--a--', '--root--', '--a---', '-----'])
    expect(isProjectDirectory(name), name).toBe(true);
  for (const name of ['----', '---', '--', '', '--a-', '-a--', 'a', '_no-cwd2', '_NO-CWD', '--a--.bak']) {
    expect(isProjectDirectory(name), name).toBe(false);
  }
});

describe('log names (1.5)', () => {
  test.each([
    ['session.jsonl', 0, false],
    ['session.jsonl.zstd', 0, true],
    ['session.v1.jsonl', 1, false],
    ['session.v4.jsonl.zstd', 4, true],
    ['session.v10.jsonl', 10, false],
    ['session.v9007199254740991.jsonl', Number.MAX_SAFE_INTEGER, false],
  ])('%s', (name, version, isCompressed) => {
    expect(parseLogName(name)).toEqual({ version, isCompressed });
  });

  test('H-35: everything else is no log', () => {
    const others = [
      'session.v0.jsonl',
      'session.v03.jsonl',
      'session.v9007199254740992.jsonl',
      'Session.jsonl',
      'session.JSONL',
      'session.V4.jsonl',
      'session.jsonl.ZSTD',
      'session.jsonl.zst',
      'session.jsonl.gz',
      'session.jsonl.0123456789ab.tmp',
      'session.v4.jsonl.zstd.0123456789ab.tmp',
      'session.migration.0123456789abcdef.jsonl.tmp',
      'session.lock',
      'session.jsonl~',
      '.session.jsonl',
      'session.jsonl.bak',
      'session.v4.jsonl\n',
      'session.v-1.jsonl',
      'session.v1.5.jsonl',
      'session.v４.jsonl',
      'session.v4.jsonl.zstd.zstd',
      ' session.jsonl',
      '',
    ];
    for (const name of others) expect(parseLogName(name), name).toBeUndefined();
    expect(chooseLog(others)).toBeUndefined();
  });
});

describe('which log is the session (1.6)', () => {
  const choose = (...names: string[]) => {
    const forth = chooseLog(names);
    const back = chooseLog([...names].reverse());
    // Of two that are ambiguous either may be named.
    expect({ ...back, name: '' }).toEqual({ ...forth, name: '' });
    return forth;
  };

  test('H-21: the numerically highest generation, over both encodings', () => {
    expect(choose('session.jsonl', 'session.v2.jsonl.zstd', 'session.v3.jsonl')).toMatchObject({
      name: 'session.v3.jsonl',
    });
    expect(choose('session.v4.jsonl.zstd', 'session.v3.jsonl', 'session.v3.jsonl.zstd')).toMatchObject({
      version: 4,
    });
    expect(choose('session.jsonl.zstd', 'session.v0.jsonl', 'session.v04.jsonl')).toMatchObject({
      version: 0,
    });
  });

  test('trap 7: v10 beats v9, and neither is known', () => {
    expect(choose('session.v9.jsonl', 'session.v10.jsonl', 'session.v4.jsonl')).toMatchObject({
      name: 'session.v10.jsonl',
      kind: 'unsupported',
      why: expect.stringContaining('v10'),
    });
  });

  test('a newer generation than anyone knows is never fallen back from', () => {
    expect(choose('session.v5.jsonl', 'session.v4.jsonl')).toMatchObject({ kind: 'unsupported' });
    expect(choose('session.v5.jsonl', 'session.v5.jsonl.zstd', 'session.v4.jsonl')).toMatchObject({
      kind: 'unsupported',
    });
  });

  test('the highest in both encodings is ambiguous; a lower one in both is not', () => {
    expect(choose('session.v4.jsonl', 'session.v4.jsonl.zstd')).toMatchObject({ kind: 'ambiguous' });
    expect(choose('session.v3.jsonl', 'session.v3.jsonl.zstd', 'session.v4.jsonl')).toMatchObject({
      version: 4,
    });
    expect(choose('session.jsonl', 'session.jsonl.zstd')).toMatchObject({ kind: 'ambiguous' });
  });
});
