import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/log/diagnostics.ts';
import { decodeHeader } from '../../../src/log/header.ts';
import { ALL_FORMATS, headerOf } from '../../support/log-writer/log-script.ts';
import { codeOf, readHeaderOf } from '../../support/log-writer/read-back.ts';

const decode = (text: string, nameVersion?: number, diagnostics = new Diagnostics()) =>
  decodeHeader(text, '/root/log', nameVersion, diagnostics);
const code = (header: unknown, nameVersion?: number) =>
  codeOf(() => decode(typeof header === 'string' ? header : JSON.stringify(header), nameVersion));

describe.each(ALL_FORMATS)('a header of v%i', (version) => {
  const isOld = version <= 1;

  test('is given as stored', () => {
    const full = headerOf(version, {
      parentSession: 'p',
      origin: 'subagent',
      agentPreset: 'standard',
      delegationDepth: 2,
      ...(isOld ? { seedLength: 3 } : { isSeeded: true }),
    });
    expect(decode(JSON.stringify(full), version)).toEqual(full);
    expect(decode(JSON.stringify(headerOf(version, { cwd: undefined })))).not.toHaveProperty('cwd');
  });

  test.each([
    ['id', ''],
    ['id', undefined],
    ['id', 5],
    ['id', null],
    ['type', 'sessions'],
    ['type', undefined],
    ['createdAt', -1],
    ['createdAt', 1.5],
    ['createdAt', '1'],
    ['createdAt', null],
    ['createdAt', 2 ** 53],
    ['createdAt', undefined],
    ['cwd', ''],
    ['cwd', null],
    ['cwd', 7],
    ['parentSession', null],
    ['parentSession', 7],
    ['origin', 'user'],
    ['origin', null],
    ['origin', ''],
    ['delegationDepth', -1],
    ['delegationDepth', 0.5],
    ['delegationDepth', '0'],
    ['delegationDepth', null],
    ['agentPreset', null],
    ['agentPreset', 3],
    ['seedLength', -1],
    ['seedLength', '0'],
    ['seedLength', null],
    ['isSeeded', 'yes'],
    ['isSeeded', 0],
    ['isSeeded', null],
  ])('is refused with %s = %j', (key, value) => {
    expect(code(headerOf(version, { [key]: value }))).toBe('SESSION_LOG_CORRUPT');
  });

  test('knows its own mark of a fork only', () => {
    expect(code(headerOf(version, { seedLength: 0 }))).toBe(isOld ? 'none' : 'SESSION_LOG_CORRUPT');
    for (const isSeeded of [true, false]) {
      expect(code(headerOf(version, { isSeeded }))).toBe(isOld ? 'SESSION_LOG_CORRUPT' : 'none');
    }
    expect(code(headerOf(version, { isSeeded: undefined }))).toBe(isOld ? 'none' : 'SESSION_LOG_CORRUPT');
  });

  test('may lack the delegation depth in v0 and v1', () => {
    expect(code(headerOf(version, { delegationDepth: undefined }))).toBe(
      isOld ? 'none' : 'SESSION_LOG_CORRUPT',
    );
  });

  test('refuses negative zero', () => {
    const text = JSON.stringify(headerOf(version, { createdAt: 1 }));
    expect(code(text.replace('"createdAt":1', '"createdAt":-0'))).toBe('SESSION_LOG_CORRUPT');
    expect(code(text.replace('"delegationDepth":0', '"delegationDepth":-0'))).toBe('SESSION_LOG_CORRUPT');
    expect(code(text.replace(`"version":${version}`, '"version":-0'))).toBe('SESSION_LOG_CORRUPT');
  });

  test('must have the number that the name of the file has', () => {
    for (const other of ALL_FORMATS) {
      expect(code(headerOf(version), other)).toBe(other === version ? 'none' : 'SESSION_LOG_CORRUPT');
    }
  });

  test('tolerates unknown and retired fields with a diagnostic', () => {
    const diagnostics = new Diagnostics();
    const header = headerOf(version, { sandboxMode: 'x', approvalPolicy: 1, later: null });
    expect(decode(JSON.stringify(header), version, diagnostics)).toEqual(header);
    expect(diagnostics.list()).toMatchObject([{ kind: 'unknown-header-field', count: 3, line: 1 }]);
  });

  test('accepts any non-empty directory, of any platform', () => {
    for (const cwd of ['/', 'C:\\src', '\\\\host\\share', 'relative', ' ', '\u0000', '\ud800']) {
      expect(decode(JSON.stringify(headerOf(version, { cwd }))).cwd).toBe(cwd);
    }
  });
});

describe('versions', () => {
  test('H-22: a newer format is unsupported, whatever else its header says', () => {
    for (const version of [5, 6, 99, Number.MAX_SAFE_INTEGER]) {
      expect(code({ type: 'session', version })).toBe('SESSION_LOG_UNSUPPORTED');
      expect(code({ type: 'session', version, id: 7, isSeeded: 'maybe' }, 4)).toBe('SESSION_LOG_UNSUPPORTED');
      expect(() => decode(JSON.stringify(headerOf(version)))).toThrow(`format v${version}`);
      expect(() => decode(JSON.stringify(headerOf(version)))).toThrow('/root/log');
    }
  });

  test('what is no version is corrupt', () => {
    for (const version of [-1, 1.5, '4', null, undefined, true, [4], 2 ** 53]) {
      expect(code({ ...headerOf(4), version })).toBe('SESSION_LOG_CORRUPT');
    }
  });

  test('what is no object of type session is corrupt', () => {
    for (const text of [
      '',
      'null',
      '[]',
      '"session"',
      '5',
      '{',
      '{}',
      '[{"type":"session"}]',
      'x',
      '{"type":"session"}{}',
    ]) {
      expect(code(text), text).toBe('SESSION_LOG_CORRUPT');
    }
  });

  test('the path is named as JSON', () => {
    expect(() => decodeHeader('x', '/a"b', undefined, new Diagnostics())).toThrow(
      expect.objectContaining({ path: '/a"b', line: 1, message: expect.stringContaining('"/a\\"b"') }),
    );
  });
});

test('reading the header alone reads no further', () => {
  const header = JSON.stringify(headerOf(4));
  expect(readHeaderOf(Buffer.from(`${header}\nnot JSON\n`)).id).toBe('s-1');
  expect(codeOf(() => readHeaderOf(Buffer.from(header)))).toBe('SESSION_LOG_EMPTY');
});
