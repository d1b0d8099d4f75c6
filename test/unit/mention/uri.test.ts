import { describe, expect, test } from 'vitest';
import { decodeSessionReferenceUri, encodeSessionReferenceUri } from '../../../src/mention/uri.ts';

const invalid = (message: unknown = expect.any(String)) =>
  expect.objectContaining({
    name: 'SessionReferenceError',
    code: 'SESSION_REFERENCE_INVALID_REFERENCE',
    message,
  });

const base64url = (json: string | Uint8Array) => `dsh-session:${Buffer.from(json).toString('base64url')}`;

describe('known URIs', () => {
  test.each([
    ['', 'dsh-session:IiI'],
    ['a', 'dsh-session:ImEi'],
    ['session-1', 'dsh-session:InNlc3Npb24tMSI'],
    ['日本', 'dsh-session:IuaXpeacrCI'],
    ['x]y', 'dsh-session:InhdeSI'],
    ['\ud83d', 'dsh-session:Ilx1ZDgzZCI'],
    ['a"\\\n\u0000', 'dsh-session:ImFcIlxcXG5cdTAwMDAi'],
  ])('%j is %s', (id, uri) => {
    expect(encodeSessionReferenceUri(id)).toBe(uri);
    expect(decodeSessionReferenceUri(uri)).toBe(id);
  });
});

describe('refused', () => {
  test.each([
    ['another scheme', 'https://ImEi'],
    ['no scheme', 'ImEi'],
    ['an upper-case scheme', 'DSH-SESSION:ImEi'],
    ['the scheme without its colon', 'dsh-session'],
    ['nothing', ''],
    ['an empty payload', 'dsh-session:'],
    ['padding', 'dsh-session:ImEi='],
    ['characters of plain base64', 'dsh-session:IuaXpea/rCI+'],
    ['white space at the end', 'dsh-session:ImEi\n'],
    ['white space in front', ' dsh-session:ImEi'],
    ['something that is not JSON', base64url('a')],
    ['half a string', base64url('"a')],
    ['a number', base64url('1')],
    ['null', base64url('null')],
    ['an object', base64url('{"a":1}')],
    ['an array', base64url('["a"]')],
    ['JSON with spaces', base64url('"a" ')],
    ['a needless escape', base64url('"\\u0061"')],
    ['a lone surrogate in upper-case hex', base64url('"\\uD83D"')],
    ['bytes that are not UTF-8', base64url(Uint8Array.of(0x22, 0xff, 0x22))],
    ['a byte-order mark', base64url('\ufeff"a"')],
    ['unused bits that are set', 'dsh-session:ImEij'],
    ['a second spelling of the last character', 'dsh-session:InhdeSJ'],
  ])('%s', (_, uri) => {
    expect(() => decodeSessionReferenceUri(uri)).toThrow(
      invalid(expect.stringContaining(JSON.stringify(uri))),
    );
  });

  test('a very long one is quoted by its start', () => {
    const uri = `dsh-session:${'A'.repeat(1_000_000)}`;
    const start = JSON.stringify(uri.slice(0, 500));
    expect(() => decodeSessionReferenceUri(uri)).toThrow(
      invalid(`not a session reference URI: ${start}… (1000012 characters in all)`),
    );
  });
});
