/** The quick runs over decoded bytes say what the plain ones say, and both what `JSON.parse` says. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonRuns } from '../../src/log/json-runs.ts';
import { KIND, TAPE, TAPE_NUMBERS } from '../../src/log/json-tape.ts';
import { plainRuns } from '../../src/log/plain-runs.ts';
import { decoderRuns, inDecoderMemory } from '../support/decoder-memory.ts';

interface Outcome {
  readonly behind: number;
  readonly count: number | undefined;
  readonly last?: number | undefined;
}

function strings(runs: JsonRuns, buffer: Buffer, end: number, isList: boolean): Outcome {
  const behind = runs.strings(buffer, 0, end, isList);
  return { behind, count: behind < 0 ? undefined : runs.count() };
}

function numbers(runs: JsonRuns, buffer: Buffer, end: number, isIncreasing: boolean): Outcome {
  const behind = runs.numbers(buffer, 0, end, isIncreasing);
  return {
    behind,
    count: behind < 0 ? undefined : runs.count(),
    last: behind < 0 || !isIncreasing ? undefined : runs.last(),
  };
}

/** Pieces of strings: long and short runs, every byte, every escape, and what is none. */
const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 70 }),
  fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
  fc.integer({ min: 0, max: 255 }).map((byte) => `\\${String.fromCharCode(byte)}`),
  fc.constantFrom(
    '\\n',
    '\\"',
    '\\\\',
    '\\/',
    '\\u00e9',
    '\\uD83d',
    '\\u12g4',
    '\\u123',
    '\\',
    '"',
    ',"',
    '","',
    '" ,"',
  ),
);
const inside = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
const sound = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 12 }));
const listText = fc.oneof(
  fc.array(inside, { minLength: 1, maxLength: 6 }).map((all) => all.map((text) => `"${text}"`).join(',')),
  fc.array(sound, { minLength: 1, maxLength: 30 }).map((all) => JSON.stringify(all).slice(1)),
);
const encoding = fc.constantFrom<BufferEncoding>('utf8', 'latin1');

test('strings', () => {
  let proven = 0;
  fc.assert(
    fc.property(
      listText,
      encoding,
      fc.boolean(),
      fc.nat(40),
      fc.nat(20),
      (text, coding, isList, cut, shift) => {
        const line = Buffer.from(`${text}\n`, coding);
        const end = Math.max(0, line.length - 1 - (cut > 20 ? cut - 20 : 0));
        const plain = strings(plainRuns, line, end, isList);
        expect(strings(decoderRuns, inDecoderMemory(line, shift), end, isList), text).toEqual(plain);
        if (plain.behind < 0) return;
        proven += 1;
        expect(plain.behind).toBeLessThanOrEqual(end);
        const parsed: unknown = JSON.parse(`[${line.toString('utf8', 0, plain.behind)}]`);
        expect((parsed as string[]).map((value) => typeof value)).toEqual(Array(plain.count).fill('string'));
        if (!isList) expect(plain.count).toBe(1);
      },
    ),
    { numRuns: 20_000 },
  );
  expect(proven).toBeGreaterThan(5000);
});

test('every sound list of strings is proven', () => {
  fc.assert(
    fc.property(fc.array(sound, { minLength: 1, maxLength: 30 }), fc.nat(20), (all, shift) => {
      const line = Buffer.from(JSON.stringify(all).slice(1));
      const found = strings(decoderRuns, inDecoderMemory(line, shift), line.length, true);
      expect(found).toEqual({ behind: line.length - 1, count: all.length });
    }),
    { numRuns: 5000 },
  );
});

test('every byte at every place of a step, plain and behind a backslash', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    for (let place = 1; place <= 33; place += 1) {
      for (const before of [0x61, 0x5c]) {
        const line = Buffer.alloc(40, 0x61);
        line[0] = 0x22;
        if (place > 1) line[place - 1] = before;
        line[place] = byte;
        line[38] = 0x22;
        line[39] = 0x0a;
        expect(strings(decoderRuns, inDecoderMemory(line), 39, false), `${byte} at ${place}`).toEqual(
          strings(plainRuns, line, 39, false),
        );
      }
    }
  }
});

const digits = fc.oneof(
  { weight: 8, arbitrary: fc.nat(99_999_999).map(String) },
  { weight: 4, arbitrary: fc.nat(200).map(String) },
  { weight: 1, arbitrary: fc.integer().map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '00',
      '01',
      '-0',
      '-1',
      '-',
      '',
      '+1',
      '1.5',
      '1e3',
      '99999999',
      '100000000',
      '123456789012',
      ' 1',
      '1 ',
      '"1"',
      '[1]',
      ':',
      '/',
    ),
  },
);
const rest = fc.constantFrom(']', ']', ']', '],', '', ',', ',]', '}', ']]', ' ]');
const numberList = fc
  .tuple(fc.array(digits, { maxLength: 12 }), fc.boolean(), rest)
  .map(([all, isSorted, end]) => {
    const given = isSorted ? all.toSorted((a, b) => Number(a) - Number(b)) : all;
    return `${given.join(',')}${end}`;
  });

test('numbers', () => {
  let proven = 0;
  fc.assert(
    fc.property(numberList, fc.boolean(), fc.nat(20), fc.nat(20), (text, isIncreasing, cut, shift) => {
      const line = Buffer.from(`${text}\n`);
      const end = Math.max(0, line.length - 1 - (cut > 15 ? cut - 15 : 0));
      const plain = numbers(plainRuns, line, end, isIncreasing);
      expect(numbers(decoderRuns, inDecoderMemory(line, shift), end, isIncreasing), text).toEqual(plain);
      if (plain.behind < 0) return;
      proven += 1;
      expect(plain.behind).toBeLessThanOrEqual(end);
      const parsed = JSON.parse(`[${text.slice(0, plain.behind)}`) as number[];
      expect(parsed).toHaveLength(plain.count!);
      expect(parsed.every((value) => Number.isSafeInteger(value) && !Object.is(value, -0))).toBe(true);
      if (!isIncreasing) return;
      expect(parsed.every((value, at) => value > (parsed[at - 1] ?? -1))).toBe(true);
      expect(plain.last).toBe(parsed.at(-1));
    }),
    { numRuns: 20_000 },
  );
  expect(proven).toBeGreaterThan(2000);
});

test('numbers that go up by one, and what differs from that in one byte', () => {
  const first = fc.oneof(
    fc.nat(120),
    fc.constantFrom(8, 98, 995, 9_999_990, 99_999_990, 12_345_678),
    fc.nat(3_000_000),
  );
  const change = fc.option(
    fc.record({ place: fc.nat(400), byte: fc.oneof(fc.nat(255), fc.integer({ min: 0x2c, max: 0x3c })) }),
  );
  fc.assert(
    fc.property(
      first,
      fc.integer({ min: 1, max: 40 }),
      change,
      fc.boolean(),
      (start, length, changed, isIncreasing) => {
        const line = Buffer.from(`${Array.from({ length }, (_none, at) => start + at).join(',')}]\n`);
        if (changed !== null) line[changed.place % line.length] = changed.byte;
        const end = line.length - 1;
        const plain = numbers(plainRuns, line, end, isIncreasing);
        expect(numbers(decoderRuns, inDecoderMemory(line), end, isIncreasing), line.toString()).toEqual(
          plain,
        );
        if (changed === null && start + length < 99_999_999) expect(plain.count).toBe(length);
      },
    ),
    { numRuns: 20_000 },
  );
});

test('every byte in place of every digit', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    for (let place = 0; place < 13; place += 1) {
      for (const text of ['12,345,678901]\n', '12,13,14,9,10]\n', '99998,99999,1]\n']) {
        const line = Buffer.from(text);
        line[place] = byte;
        for (const isIncreasing of [false, true]) {
          expect(
            numbers(decoderRuns, inDecoderMemory(line), 14, isIncreasing),
            `${byte} at ${place}`,
          ).toEqual(numbers(plainRuns, line, 14, isIncreasing));
        }
      }
    }
  }
});

/** Values as writers and people write them, with spaces or without. */
const jsonText = fc
  .tuple(
    fc.oneof(
      fc.jsonValue({ maxDepth: 5 }),
      fc.array(fc.oneof(fc.nat(3000), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))),
      fc.record({ a: fc.array(fc.string()), b: fc.constantFrom(true, false, null, 0, -1.5e-7, 1e300) }),
    ),
    fc.constantFrom('', ' ', '\t', '\n'),
  )
  .map(([value, indent]) => JSON.stringify(value, null, indent));
const mutation = fc.option(
  fc.record({
    place: fc.nat(200),
    text: fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        ' ',
        '0',
        '-',
        '.',
        'e',
        'E+',
        'true',
        'nul',
        'false',
        '',
      ),
      fc.integer({ min: 0, max: 127 }).map((byte) => String.fromCharCode(byte)),
    ),
    isInserted: fc.boolean(),
  }),
);

test('whole values', () => {
  let proven = 0;
  let refused = 0;
  fc.assert(
    fc.property(jsonText, mutation, fc.nat(30), fc.nat(20), (json, change, cut, shift) => {
      const at = change === null ? 0 : change.place % (json.length + 1);
      const text =
        change === null
          ? json
          : json.slice(0, at) + change.text + json.slice(at + (change.isInserted ? 0 : change.text.length));
      const line = Buffer.from(`${text}\n`);
      const end = Math.max(0, line.length - 1 - (cut > 20 ? cut - 20 : 0));
      const behind = plainRuns.value(line, 0, end);
      expect(decoderRuns.value(inDecoderMemory(line, shift), 0, end), text).toBe(behind);
      const isSound = (part: string): boolean => {
        try {
          JSON.parse(part);
          return !/^\s/.test(part) && part.trimEnd() === part;
        } catch {
          return false;
        }
      };
      if (behind >= 0) {
        proven += 1;
        expect(behind).toBeLessThanOrEqual(end);
        expect(isSound(line.toString('utf8', 0, behind)), text).toBe(true);
      } else {
        refused += 1;
        expect(isSound(line.toString('utf8', 0, end)), text).toBe(false);
      }
    }),
    { numRuns: 30_000 },
  );
  expect(proven).toBeGreaterThan(8000);
  expect(refused).toBeGreaterThan(5000);
});

test('values as deep as they may be, and one deeper', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ] as const) {
    for (let times = 30; times <= 66; times += 1) {
      const line = Buffer.from(`${open.repeat(times)}1${close.repeat(times)}\n`);
      const end = line.length - 1;
      const depth = times * (open.startsWith('[{') ? 2 : 1);
      const expected = depth <= 64 ? end : -1;
      expect(plainRuns.value(line, 0, end)).toBe(expected);
      expect(decoderRuns.value(inDecoderMemory(line), 0, end)).toBe(expected);
    }
  }
});

test('every byte at every place of a value', () => {
  const text = '{"a":[-12.5e+3,true,false,null,"x",[1,2],{}],"b":0}\n';
  for (let byte = 0; byte < 256; byte += 1) {
    for (let place = 0; place < text.length; place += 1) {
      const line = Buffer.from(text);
      line[place] = byte;
      expect(decoderRuns.value(inDecoderMemory(line), 0, text.length - 1), `${byte} at ${place}`).toBe(
        plainRuns.value(line, 0, text.length - 1),
      );
    }
  }
});

/** What a tape says, with places counted from the beginning of the line; of lists only what it promises. */
function tapeOf(runs: JsonRuns, line: Buffer, end: number): unknown {
  const tape = runs.tape(line, 0, end);
  if (tape === undefined) return undefined;
  return Array.from({ length: tape.entries }, (_none, entry) => {
    const number = (place: number) => tape.numbers[entry * TAPE_NUMBERS + place]!;
    const isElement = number(TAPE.keyBytes) < 0;
    const kind = number(TAPE.kind);
    return {
      key: isElement
        ? undefined
        : [number(TAPE.keyBytes), number(TAPE.keyWord), number(TAPE.keyAt) - tape.base],
      value: [number(TAPE.valueAt) - tape.base, number(TAPE.valueEnd) - tape.base, number(TAPE.next)],
      kind,
      count: (kind & KIND.mask) === KIND.other ? undefined : number(TAPE.count),
      last: (kind & KIND.mask) === KIND.increasing ? number(TAPE.last) : undefined,
    };
  });
}

/** The same, slowly, from the value: keys with an escape only say so. */
function entriesOf(value: object, level = 1): { key: string | undefined; json: string }[] {
  return Object.entries(value).flatMap(([key, member]) => [
    { key, json: JSON.stringify(member) },
    ...entriesIn(member, level),
  ]);
}

function entriesIn(member: unknown, level: number): { key: string | undefined; json: string }[] {
  if (typeof member !== 'object' || member === null || level === 4) return [];
  if (!Array.isArray(member)) return entriesOf(member, level + 1);
  return member.flatMap((element: unknown) =>
    typeof element === 'object' && element !== null && !Array.isArray(element)
      ? [{ key: undefined, json: JSON.stringify(element) }, ...entriesOf(element, level + 1)]
      : [],
  );
}

const rowLike = fc
  .tuple(
    fc.dictionary(
      fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('type', 'seq', 'data')),
      fc.jsonValue({ maxDepth: 6 }),
    ),
    fc.oneof(
      fc.array(fc.nat(100)),
      fc.array(fc.nat(9)).map((gaps) =>
        gaps.map(
          (
            (sum) => (gap: number) =>
              (sum += gap + 1)
          )(0),
        ),
      ),
      fc.array(fc.string()),
      fc.array(fc.record({ type: fc.constantFrom('text', 'x'), text: fc.string(), of: fc.jsonValue() })),
    ),
    fc.constantFrom('', '', ' ', '\t'),
    fc.constantFrom('', ' '),
  )
  .map(([value, list, indent, around]) => ({
    value: { ...value, list, within: { list } },
    json: around + JSON.stringify({ ...value, list, within: { list } }, null, indent) + around,
  }));

test('tapes', () => {
  let proven = 0;
  fc.assert(
    fc.property(rowLike, mutation, fc.nat(20), ({ json, value }, change, shift) => {
      const at = change === null ? 0 : change.place % (json.length + 1);
      const text =
        change === null
          ? json
          : json.slice(0, at) + change.text + json.slice(at + (change.isInserted ? 0 : change.text.length));
      const line = Buffer.from(`${text}\n`);
      const end = line.length - 1;
      const plain = tapeOf(plainRuns, line, end);
      expect(tapeOf(decoderRuns, inDecoderMemory(line, shift), end), text).toEqual(plain);
      if (plain !== undefined) {
        proven += 1;
        expect(() => JSON.parse(text)).not.toThrow();
      }
      if (change !== null) return;
      expect(plain).toBeDefined();
      const found = (plain as { key?: number[]; value: number[]; kind: number }[]).map(
        ({ key, value, kind }) => ({
          key: key && JSON.parse(line.toString('utf8', key[2]! - 1, key[2]! + key[0]! + 1)),
          isEscaped: (kind & KIND.escapedKey) !== 0,
          json: JSON.stringify(JSON.parse(line.toString('utf8', value[0], value[1]))),
        }),
      );
      const expected = entriesOf(value);
      expect(found.map(({ key, json }) => ({ key, json }))).toEqual(expected);
      for (const { key, isEscaped } of found) {
        if (key !== undefined) expect(isEscaped).toBe(JSON.stringify(key).includes('\\'));
      }
    }),
    { numRuns: 15_000 },
  );
  expect(proven).toBeGreaterThan(4000);
});

test('a tape that is full proves nothing', () => {
  for (const [members, isProven] of [
    [4096, true],
    [4097, false],
  ] as const) {
    const line = Buffer.from(
      JSON.stringify(Object.fromEntries(Array.from({ length: members }, (_none, at) => [`k${at}`, 0]))),
    );
    const whole = Buffer.concat([line, Buffer.from('\n')]);
    expect(plainRuns.tape(whole, 0, line.length) !== undefined).toBe(isProven);
    expect(decoderRuns.tape(inDecoderMemory(whole), 0, line.length) !== undefined).toBe(isProven);
  }
});
