import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cacheDir } from '../../../src/places/cache-dir.ts';
import { encodeSpillName, SPILL_SESSION_PATTERN, spillSessionName } from '../../../src/spill/names.ts';

test.each([
  ['session-reference-1.txt', 'session-reference-1.txt'],
  ['a b.txt', 'a~0020b.txt'],
  ['C:\\x', 'C~003A~005Cx'],
  ['é', '~00E9'],
  ['😀', '~D83D~DE00'],
  ['a/../b', 'a~002F..~002Fb'],
  ['../../evil', '..~002F..~002Fevil'],
  ['...', '...'],
  ['.hidden', '.hidden'],
  ['-x', '-x'],
  ['.', '~002E'],
  ['..', '~002E~002E'],
  ['', '~'],
  ['~', '~007E'],
  ['\0', '~0000'],
  ['\ud800', '~D800'],
])('%j is written %j (spill-storage.md 2)', (name, encoded) => expect(encodeSpillName(name)).toBe(encoded));

test.each([
  ['sess-1', 'session-abe633f3a47a'],
  ['session-1', 'session-84097828fc31'],
  ['a', 'session-ca978112ca1b'],
])('owner %j goes to %s', (id, name) => expect(spillSessionName(id)).toBe(name));

test('encoding is one-to-one and gives one safe path segment', () => {
  const decode = (encoded: string) =>
    encoded === '~'
      ? ''
      : encoded.replace(/~([0-9A-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const anyString = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
  fc.assert(
    fc.property(fc.oneof(anyString, fc.string({ unit: fc.constantFrom('.', '~', '/', 'a') })), (name) => {
      const encoded = encodeSpillName(name);
      expect(encoded).toMatch(/^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/);
      expect(decode(encoded)).toBe(name);
      expect(spillSessionName(name)).toMatch(SPILL_SESSION_PATTERN);
    }),
  );
});

test.each<[env: Record<string, string>, platform: string, home: string, expected: string]>([
  [{}, 'linux', '/home/u', '/home/u/.cache/dsh-ref/spill'],
  [{ XDG_CACHE_HOME: '/c' }, 'linux', '/home/u', '/c/dsh-ref/spill'],
  [{ XDG_CACHE_HOME: 'c' }, 'freebsd', '/home/u', '/home/u/.cache/dsh-ref/spill'],
  [{ XDG_CACHE_HOME: '' }, 'linux', '/home/u', '/home/u/.cache/dsh-ref/spill'],
  [{ XDG_CACHE_HOME: '/c' }, 'darwin', '/Users/u', '/Users/u/Library/Caches/dsh-ref/spill'],
  [{ LOCALAPPDATA: 'D:\\L' }, 'win32', 'C:\\Users\\u', 'D:\\L\\dsh-ref\\spill'],
  [{ LOCALAPPDATA: 'L' }, 'win32', 'C:\\Users\\u', 'C:\\Users\\u\\AppData\\Local\\dsh-ref\\spill'],
])('default for %j on %s', (env, platform, home, expected) => {
  expect(cacheDir('spill', { env, platform, homedir: home })).toBe(expected);
});
