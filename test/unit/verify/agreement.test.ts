/** For any bytes: there is an error among the findings exactly when the log cannot be read. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SessionLogError } from '../../../src/errors.ts';
import { openSessionStore, verifySessions } from '../../../src/store.ts';
import { plainLog, zstdLog } from '../../support/log-writer/container.ts';
import { randomConversation } from '../../support/log-writer/conversation.ts';
import { ALL_FORMATS, type Json } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';

/** Values that no field expects, and some that one or another does. */
const oddValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    -0,
    -1,
    0,
    1,
    3,
    1.5,
    1e300,
    '',
    'append',
    'x',
    [],
    {},
    [[]],
    [1, [0, 2]],
  ),
  fc.record({ op: fc.constant('replace'), startSeq: fc.nat(30), endSeq: fc.nat(30) }),
  fc.record({ op: fc.constant('replace'), start: fc.nat(30), end: fc.nat(30) }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Sets one member somewhere in a line, or takes it away; `path` picks the way down. */
function change(line: string, path: readonly number[], value: unknown): string {
  const root: unknown = JSON.parse(line);
  let at = root as Json;
  for (const [depth, step] of path.entries()) {
    const keys = Object.keys(at);
    const key = keys[step % Math.max(keys.length, 1)] ?? 'new';
    const inner = at[key];
    const isLast = depth === path.length - 1 || typeof inner !== 'object' || inner === null;
    if (!isLast) {
      at = inner as Json;
      continue;
    }
    if (value === undefined) delete at[key];
    else at[key] = value;
    break;
  }
  return JSON.stringify(root);
}

interface Edit {
  readonly at: number;
  readonly what: 'change' | 'drop' | 'repeat' | 'swap' | 'cut' | 'text' | 'turn-end';
  readonly path: readonly number[];
  readonly value: unknown;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(60),
  what: fc.constantFrom<Edit['what']>(
    'change',
    'change',
    'change',
    'change',
    'drop',
    'repeat',
    'swap',
    'cut',
    'text',
    'turn-end',
  ),
  path: fc.array(fc.nat(8), { minLength: 1, maxLength: 5 }),
  value: fc.option(oddValue, { nil: undefined }),
});

function apply(lines: string[], { at, what, path, value }: Edit): void {
  const index = at % lines.length;
  const line = lines[index]!;
  switch (what) {
    case 'change':
      try {
        lines[index] = change(line, path, value);
      } catch {
        // An earlier edit has left no JSON here.
      }
      break;
    case 'drop':
      lines.splice(index, 1);
      break;
    case 'repeat':
      lines.splice(index, 0, line);
      break;
    case 'swap':
      lines[index] = lines[(index + 1) % lines.length]!;
      lines[(index + 1) % lines.length] = line;
      break;
    case 'cut':
      lines[index] = line.slice(0, line.length >> 1);
      break;
    case 'text':
      lines[index] = typeof value === 'string' ? value : String(JSON.stringify(value));
      break;
    case 'turn-end':
      lines.splice(index, lines.length - index);
      if (lines.length === 0) lines.push('');
      break;
  }
}

const container = fc.oneof(
  fc.constant({ isCompressed: false, linesPerFrame: 1 }),
  fc.record({ isCompressed: fc.constant(true), linesPerFrame: fc.integer({ min: 1, max: 40 }) }),
);

it('an error among the findings means that it cannot be read, and the reverse', {
  timeout: 120_000,
}, async () => {
  const directory = join(scratch(), 'pile');
  let errors = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({ format: fc.constantFrom(...ALL_FORMATS), seed: fc.nat(500) }),
      fc.array(edit, { maxLength: 3 }),
      container,
      fc.option(fc.record({ at: fc.nat(), bit: fc.nat(7), isCut: fc.boolean() }), {
        nil: undefined,
        freq: 2,
      }),
      async (spec, edits, { isCompressed, linesPerFrame }, damage) => {
        const header = { id: 'it' };
        const lines = [...randomConversation({ ...spec, bytes: 3000, header }).script.lines];
        for (const one of edits) apply(lines, one);
        let bytes = isCompressed ? zstdLog(lines, { linesPerFrame }) : plainLog(lines);
        if (damage !== undefined) {
          const at = damage.at % bytes.length;
          if (damage.isCut) bytes = bytes.subarray(0, at);
          else bytes[at]! ^= 1 << damage.bit;
        }
        rmSync(directory, { recursive: true, force: true });
        mkdirSync(directory);
        writeFileSync(join(directory, `log.jsonl${isCompressed ? '.zstd' : ''}`), bytes);
        const report = await verifySessions({ roots: [directory] });
        const store = openSessionStore({ roots: [directory], index: false });
        for (const { sessionId, findings } of report.verified) {
          const hasError = findings.some(({ severity }) => severity === 'error');
          errors += hasError ? 1 : 0;
          if (sessionId === undefined) {
            // Without a sound header nobody can ask for it: then there has to be a reason.
            expect(hasError).toBe(true);
            continue;
          }
          const isRefused = async (reading: Promise<unknown>): Promise<boolean> => {
            try {
              await reading;
              return false;
            } catch (error) {
              if (error instanceof SessionLogError) return true;
              throw error;
            }
          };
          expect(await isRefused(store.readSurface(sessionId))).toBe(hasError);
          expect(await isRefused(store.readConversation(sessionId))).toBe(hasError);
        }
      },
    ),
    { numRuns: Number(process.env.VERIFY_RUNS ?? 300) },
  );
  expect(errors).toBeGreaterThan(20);
});
