/**
 * Every row of the contract's error table through the built program: the code, one line on standard error, nothing
 * on standard output, the exit code. And the roots that cannot be listed, each with its own words.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { encodeSessionReferenceUri } from '../../src/mention/uri.ts';
import { BASIC_ROOT, errorLine, type RunOptions, runProgram } from '../support/run-program.ts';

const corpus = inject('corpus');
const SESSIONS = ['session-1', 'session-2', 'session-4', 'session-5'];
const mention = (id: string) => `@[x](${encodeSessionReferenceUri(id)})`;

interface Row {
  readonly what: string;
  readonly args: readonly string[];
  readonly code: string;
  readonly exit: number;
  readonly says: RegExp;
  readonly options?: RunOptions;
}

async function expectError({ args, code, exit, says, options }: Row): Promise<void> {
  const result = await runProgram(args, options);
  expect(result).toMatchObject({ status: exit, stdout: '' });
  const line = errorLine(result);
  expect(line).toMatch(/^dsh-ref: /);
  expect(line.endsWith(` [${code}]`)).toBe(true);
  expect(line).toMatch(says);
  const asJson = await runProgram(['--error-format', 'json', ...args], options);
  expect(asJson).toMatchObject({ status: exit, stdout: '' });
  expect(JSON.parse(errorLine(asJson))).toMatchObject({ error: { code } });
}

const inBasic = (...args: string[]) => [...args, '--root', BASIC_ROOT];
const identity = (id: string) => [
  'prepare',
  mention(id),
  '--root',
  join(corpus, 'generations/roots/identity'),
];
const inRoot = (root: string, id: string) => ['prepare', mention(id), '--root', join(corpus, root)];

const ROWS: readonly Row[] = [
  ...(
    [
      ['--max-references', '4'],
      ['--max-references', '0'],
      ['--max-bytes', '0'],
      ['--context-window', '0'],
      ['--context-fraction', '1.5'],
    ] as const
  ).map(([option, value]) => ({
    what: `${option} ${value}`,
    args: inBasic('prepare', mention('session-1'), option, value),
    code: 'SESSION_REFERENCE_INVALID_CONFIG',
    exit: 2,
    says: new RegExp(option),
  })),
  {
    what: 'a mention whose URI is malformed',
    args: inBasic('prepare', 'see @[x](dsh-session:zzzz)'),
    code: 'SESSION_REFERENCE_INVALID_REFERENCE',
    exit: 3,
    says: /"dsh-session:zzzz"/,
  },
  {
    what: 'a mention without a payload',
    args: inBasic('parse', 'see @[x](dsh-session:)'),
    code: 'SESSION_REFERENCE_INVALID_REFERENCE',
    exit: 3,
    says: /"dsh-session:"/,
  },
  {
    what: 'a URI that is not canonical',
    args: ['uri', 'decode', 'dsh-session:Ilx1MDBlOSI'],
    code: 'SESSION_REFERENCE_INVALID_REFERENCE',
    exit: 3,
    says: /Ilx1MDBlOSI/,
  },
  {
    what: 'the asking session citing itself',
    args: inBasic('prepare', mention('session-1'), '--self', 'session-1'),
    code: 'SESSION_REFERENCE_SELF_REFERENCE',
    exit: 3,
    says: /"session-1"/,
  },
  {
    what: 'the asking session from the environment citing itself',
    args: inBasic('prepare', mention('session-1')),
    code: 'SESSION_REFERENCE_SELF_REFERENCE',
    exit: 3,
    says: /"session-1"/,
    options: { env: { DSH_SESSION_ID: 'session-1' } },
  },
  {
    what: 'four sessions where three are allowed',
    args: inBasic('prepare', SESSIONS.map(mention).join(' ')),
    code: 'SESSION_REFERENCE_TOO_MANY',
    exit: 3,
    says: /4 distinct/,
  },
  {
    what: 'an unknown id',
    args: inBasic('prepare', mention('no-such-session')),
    code: 'SESSION_REFERENCE_READ_FAILED',
    exit: 4,
    says: /no session "no-such-session"/,
  },
  {
    what: 'a good session and an unknown one',
    args: inBasic('prepare', `${mention('session-1')} ${mention('missing')}`),
    code: 'SESSION_REFERENCE_READ_FAILED',
    exit: 4,
    says: /no session "missing"/,
  },
  {
    what: 'a log of a newer generation',
    args: inRoot('generations/roots/side-by-side', 's-newer-seven'),
    code: 'SESSION_REFERENCE_READ_FAILED',
    exit: 4,
    says: /v7.*newer harness/,
  },
  {
    what: 'a log that is there in both encodings',
    args: inRoot('generations/roots/side-by-side', 's-both-encodings'),
    code: 'SESSION_REFERENCE_READ_FAILED',
    exit: 4,
    says: /twice/,
  },
  {
    what: 'a damaged log',
    args: inRoot('generations/roots/broken-v2', 's-body-seq-gap'),
    code: 'SESSION_REFERENCE_READ_FAILED',
    exit: 4,
    says: /damaged: line \d+/,
  },
  {
    what: 'a damaged frame',
    args: inRoot('generations/roots/broken-v1', 's-frame-checksum-middle'),
    code: 'SESSION_REFERENCE_READ_FAILED',
    exit: 4,
    says: /frame \d+, byte \d+/,
  },
  {
    what: 'one id in two projects',
    args: identity('s-twice'),
    code: 'SESSION_REFERENCE_READ_FAILED',
    exit: 4,
    says: /two project directories/,
  },
  {
    what: 'a header that names another directory',
    args: identity('s-dir-b'),
    code: 'SESSION_REFERENCE_READ_FAILED',
    exit: 4,
    says: /another (id|working directory)/,
  },
  {
    what: 'a budget that the fixed fields do not fit',
    args: inBasic('prepare', mention('session-1'), '--max-bytes', '20'),
    code: 'SESSION_REFERENCE_BUDGET_EXCEEDED',
    exit: 5,
    says: /20 bytes.*--max-bytes/,
  },
  {
    what: 'skipped sessions under --strict',
    args: ['candidates', '--strict', '--root', join(corpus, 'generations/roots/identity')],
    code: 'DSH_REF_SKIPPED',
    exit: 4,
    says: /skipped/,
  },
];

describe('the error table', () => {
  it.each(ROWS.map((row) => [row.what, row] as const))('%s', async (_what, row) => expectError(row));

  it('cancelled by --timeout: exit 124', async () => {
    const result = await runProgram([
      '--timeout',
      '1',
      'candidates',
      '--root',
      join(corpus, 'roots/many-sessions'),
      'x',
    ]);
    expect(result).toMatchObject({ status: 124, stdout: '' });
    expect(errorLine(result)).toContain('[SESSION_REFERENCE_CANCELLED]');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('cancelled by %s: exit %i', async (signal, exit) => {
    // Standard input that never ends keeps the command waiting until the signal comes.
    const result = await runProgram(['prepare', '-', '--root', BASIC_ROOT], {
      keepInputOpen: true,
      onStart: (child) => setTimeout(() => child.kill(signal), 1500),
    });
    expect(result).toMatchObject({ status: exit, stdout: '' });
    expect(errorLine(result)).toContain('[SESSION_REFERENCE_CANCELLED]');
  });
});

describe('roots', () => {
  let scratch = '';
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'dsh-ref-roots-'));
    mkdirSync(join(scratch, 'empty'));
    mkdirSync(join(scratch, 'closed'), { mode: 0o000 });
    writeFileSync(join(scratch, 'file'), '');
  });
  afterAll(() => {
    chmodSync(join(scratch, 'closed'), 0o700);
    rmSync(scratch, { recursive: true });
  });

  it.each([
    ['missing', 'SESSION_ROOT_MISSING', /does not exist/],
    ['file', 'SESSION_ROOT_NOT_DIRECTORY', /not a directory/],
  ])('a %s root', async (name, code, says) => {
    const args = ['candidates', '--root', join(scratch, name)];
    await expectError({ what: name, args, code, exit: 4, says });
    const prepare = ['prepare', mention('a'), '--root', join(scratch, name)];
    await expectError({ what: name, args: prepare, code, exit: 4, says });
  });

  it.skipIf(process.getuid?.() === 0)(
    'an unreadable root (not as root, whom modes do not bind)',
    async () => {
      const args = ['candidates', '--root', join(scratch, 'closed')];
      await expectError({
        what: 'closed',
        args,
        code: 'SESSION_ROOT_UNREADABLE',
        exit: 4,
        says: /cannot be listed/,
      });
    },
  );

  it('an empty root is an empty list that says where it looked', async () => {
    const result = await runProgram(['candidates', '--root', join(scratch, 'empty')]);
    expect(result).toMatchObject({ status: 0, stdout: '' });
    expect(result.stderr).toContain(join(scratch, 'empty'));
    const quiet = await runProgram(['candidates', '-q', '--root', join(scratch, 'empty')]);
    expect(quiet).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it('the default root that is missing is an empty list that says why it was chosen', async () => {
    const result = await runProgram(['candidates']);
    expect(result).toMatchObject({ status: 0, stdout: '' });
    expect(result.stderr).toMatch(/\.dsh.sessions.*neither --root, DSH_REF_ROOT nor DSH_HOME/);
  });
});
