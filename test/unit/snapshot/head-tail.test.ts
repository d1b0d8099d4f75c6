import { expect, test } from 'vitest';
import { keepHeadAndTail } from '../../../src/snapshot/head-tail.ts';

const encode = (...chunks: (string | number[])[]) =>
  Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk))));

const CODER = '\u{1f469}\u200d\u{1f4bb}';

// The numbers are the rows of table A.1 of the retention document.
test.each<[row: number, input: Buffer, head: number, tail: number, text: string, omitted: number]>([
  [1, encode('abcdefghij'), 3, 2, 'abcij', 5],
  [2, encode('hello'), 3, 2, 'hello', 0],
  [3, encode('hello'), 2, 2, 'helo', 1],
  [4, encode('ééééé'), 3, 3, 'éé', 6],
  [5, encode('界界界'), 4, 4, '界界', 3],
  [6, encode('😀😀😀'), 5, 5, '😀😀', 4],
  [7, encode('ab😀cd'), 4, 2, 'abcd', 4],
  [8, encode('ab界'), 0, 3, '界', 2],
  [9, encode('ab界'), 0, 2, '', 5],
  [10, encode('界'), 1, 2, '界', 0],
  [11, encode('界'), 1, 1, '', 3],
  [12, encode('abc'), 0, 0, '', 3],
  [13, encode(''), 4, 4, '', 0],
  [14, encode('0123456789'), 6, 0, '012345', 4],
  [15, encode('line one\nline two\nline three\n'), 6, 7, 'line o three\n', 16],
  [16, encode('a\r\nb\r\nc'), 2, 2, 'a\r\nc', 3],
  [17, encode('e\u0301xyze\u0301'), 1, 3, 'ee\u0301', 5],
  [18, encode(CODER + CODER), 8, 8, '\u{1f469}\u200d\u200d\u{1f4bb}', 8],
  [19, encode('a\ud800b'), 2, 1, 'ab', 3],
  [20, encode('a\ud800b'), 9, 9, 'a\ufffdb', 0],
  [21, encode('\ufeffabcdef'), 5, 2, 'abef', 2],
  [22, encode('\ufeffabc'), 9, 9, 'abc', 0],
  [23, encode('abcdef\ufeffgh'), 2, 5, 'abgh', 4],
  [24, encode([0x61, 0xff, 0x62, 0x63, 0x64]), 2, 1, 'a\ufffdd', 2],
  [25, encode([0x61, 0xe7, 0x62, 0x63, 0x64]), 2, 1, 'ad', 3],
  [26, encode('ab', 'cd', 'ef', 'gh'), 3, 2, 'abcgh', 3],
  [27, encode([0xe7, 0x95], [0x8c], 'xyz'), 3, 1, '界z', 2],
  [28, encode('\ud83d', '\ude00'), 9, 9, '\ufffd\ufffd', 0],
])('row %i', (_, input, head, tail, text, omitted) => {
  expect(keepHeadAndTail(input, head, tail)).toEqual({ text, omitted });
});

test('a head of stray continuation bytes is left alone', () => {
  const stray = encode([0x80, 0x80, 0x80, 0x80, 0x80, 0x80], 'abc');
  expect(keepHeadAndTail(stray, 5, 1)).toEqual({ text: `${'\ufffd'.repeat(5)}c`, omitted: 3 });
});
