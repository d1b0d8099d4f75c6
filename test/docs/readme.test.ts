/** The examples of the documents are run, and do what is written there. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM, PROJECT } from '../support/run-program.ts';
import { type ConsoleExample, matchesOutput, openConsole, parseConsoleExamples } from './console-examples.ts';

const transcripts = readdirSync(join(PROJECT, 'fixtures/transcripts'), { recursive: true, encoding: 'utf8' });
const documents = [
  'README.md',
  ...readdirSync(join(PROJECT, 'docs')).map((name) => `docs/${name}`),
  ...transcripts.map((name) => `fixtures/transcripts/${name}`),
].filter((path) => path.endsWith('.md') && existsSync(join(PROJECT, path)));
const textOf = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');
const examples = documents.flatMap((path) =>
  parseConsoleExamples(textOf(path)).map((example) => ({ path, ...example })),
);

let home: string;
let runExample: (example: ConsoleExample) => void;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'dsh-ref-readme-'));
  runExample = openConsole({ cwd: PROJECT, home, program: PROGRAM });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('examples', () => {
  it('are found wherever a console block is', () => {
    for (const path of documents) {
      const hasBlock = /^ {0,3}(?:```|~~~)\s*console\b/m.test(textOf(path));
      expect([path, examples.some((example) => example.path === path)]).toEqual([path, hasBlock]);
    }
  });

  for (const example of examples) {
    it(`${example.path}:${example.line} $ ${example.command}`, () => runExample(example));
  }
});

describe('the runner', () => {
  const SAMPLE = `# Sample

\`\`\`sh
$ false
\`\`\`

\`\`\`console
$ printf 'a\\nb\\n'
a
b
$ dsh-ref uri encode \\
    session-1
dsh-session:InNlc3Npb24tMSI
$ true
\`\`\`

~~~~console
$ seq 3
1
…
~~~
~~~~
`;

  it('reads console blocks only', () => {
    expect(parseConsoleExamples(SAMPLE)).toEqual([
      { line: 8, command: "printf 'a\\nb\\n'", expected: ['a', 'b'] },
      {
        line: 11,
        command: 'dsh-ref uri encode \\\n    session-1',
        expected: ['dsh-session:InNlc3Npb24tMSI'],
      },
      { line: 14, command: 'true', expected: [] },
      { line: 18, command: 'seq 3', expected: ['1', '…', '~~~'] },
    ]);
  });

  it.each([
    ['```console\noutput\n```', 'before the first command'],
    ['```console\n$ x', 'left open'],
    ['```console\n$ x \\\n```', 'goes on'],
  ])('refuses %j', (markdown, message) => expect(() => parseConsoleExamples(markdown)).toThrow(message));

  it('runs what it has read, in the repository, with a home of its own', () => {
    const [printf, uri, nothing, seq] = parseConsoleExamples(SAMPLE);
    for (const example of [printf!, uri!, nothing!]) runExample(example);
    expect(() => runExample(seq!)).toThrow('line 18: $ seq 3');
    const found = ['package.json', home, 'unset'];
    runExample({
      line: 1,
      command: 'ls package.json; echo $HOME; echo $' + '{DSH_HOME-unset}',
      expected: found,
    });
  });

  it('fails an example whose command fails, or says more', () => {
    expect(() => runExample({ line: 5, command: 'echo a; echo why >&2; exit 3', expected: ['a'] })).toThrow(
      /line 5.*\nstatus 3, standard error:\nwhy/,
    );
    expect(() => runExample({ line: 5, command: 'echo a', expected: [] })).toThrow('line 5');
  });

  it.each<[string, string[], boolean]>([
    ['', [], true],
    ['a\n', ['a'], true],
    ['a', ['a'], true],
    ['a\n\n', ['a', ''], true],
    ['a\n', [], false],
    ['', ['a'], false],
    ['a\nb\n', ['a'], false],
    ['a\nb\nc\n', ['a', '…'], true],
    ['a\n', ['a', '…'], true],
    ['a\nb\nc\n', ['…', 'c'], true],
    ['a\nb\nc\n', ['…', 'b'], false],
    ['a\nb\nc\n', ['a', '…', 'c'], true],
    ['a\nb\nb\nc\nd\n', ['a', '…', 'b', 'c', '…'], true],
    ['a\nb\nc\nd\n', ['a', '…', 'c', 'b', '…'], false],
    ['a\n', ['a', '…', 'a'], false],
    ['id 9e86be36-3ae8-43a8-93c9-c4bbd8810154.\n', ['id 00000000-0000-0000-0000-000000000000.'], true],
    ['id 9e86be36-3ae8-43a8-93c9-c4bbd881015\n', ['id 00000000-0000-0000-0000-000000000000'], false],
  ])('%j against %j is %j', (output, expected, isMatch) => {
    expect(matchesOutput(output, expected)).toBe(isMatch);
  });
});
