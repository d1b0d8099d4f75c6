/**
 * `npm run docs`: writes the documents that are made from the code. With `--check` it writes nothing, names each
 * document that is not what it would write, and ends with exit 1.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import {
  allCommands,
  type CommandDefinition,
  loadDefinitions,
  type OptionDefinition,
  ownOptions,
} from '../src/cli/completion/definitions.ts';
import { type CancelledBy, CancelReason, describeFailure } from '../src/cli/exit.ts';
import type { Io } from '../src/cli/io.ts';
import { run } from '../src/cli/main.ts';
import { CLI_CODES, LOG_CODES, REFERENCE_CODES } from '../src/errors.ts';

const ROOT = join(import.meta.dirname, '..');
const HELP_COLUMNS = 80;

interface HelpedCommand extends CommandDefinition {
  /** What `--help` prints on a terminal of 80 columns, without the last line feed. */
  readonly help: string;
}

/** Every document, by its path in the repository. */
export async function makeDocuments(): Promise<ReadonlyMap<string, string>> {
  const commands: HelpedCommand[] = [];
  for (const command of allCommands(await loadDefinitions())) {
    commands.push({ ...command, help: await helpOf(command.path) });
  }
  return new Map([
    ['docs/cli.md', commandLinePage(commands)],
    ['docs/errors.md', errorsPage()],
    ['man/dsh-ref.1', manPage(commands)],
  ]);
}

/** The paths whose files are not what `documents` says. */
export function staleDocuments(documents: ReadonlyMap<string, string>): string[] {
  return [...documents].filter(([path, text]) => readIfThere(path) !== text).map(([path]) => path);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    // Not there: as stale as can be.
    return undefined;
  }
}

/** The program itself prints it: there is no second rendering that could differ. */
async function helpOf(path: string): Promise<string> {
  let text = '';
  const collect = (): Writable & { columns: number } => {
    const stream = new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    });
    return Object.assign(stream, { columns: HELP_COLUMNS });
  };
  const io = { stdout: collect(), stderr: collect(), env: {} } as unknown as Io;
  const exit = await run([...path.split(' ').filter(Boolean), '--help'], io);
  if (exit !== 0) throw new Error(`no help for "${path}": ${text}`);
  return text.trimEnd();
}

// docs/cli.md

const MADE = '<!-- Made by `npm run docs` from the code; edit that, not this. -->';

function commandLinePage(commands: readonly HelpedCommand[]): string {
  const [program, ...rest] = commands;
  return `# The command line

${MADE}

Every command has a help text: \`dsh-ref COMMAND --help\`. They are all here, as they are printed on 80 columns. The
common options stand once, with the program's own help; each command understands them, and so does the program before
the name of the command.

- Standard output has the result and nothing else, complete or empty. Notices and errors go to standard error.
- A session is named by its id, by the beginning of one (at least 4 characters), by its URI or by a mention.
- \`--\` ends the options.

## dsh-ref

${codeBlock(program!.help)}

${rest.map(commandSection).join('\n')}
## Forms of output

Without \`--format\` a list is a table on a terminal, else NDJSON, so that a pipe needs no flag.

| command | \`--format\` |
|---|---|
${commands.flatMap(formatRow).join('')}
| form | what it is |
|---|---|
${usedFormats(commands)
  .map((format) => `| \`${format}\` | ${formatWords(format)} |\n`)
  .join('')}
## Exit codes

${exitTable()}
[Every error code, and what to do about it](errors.md).
`;
}

function commandSection({ path, help }: HelpedCommand): string {
  return `${path.includes(' ') ? '###' : '##'} ${path}\n\n${codeBlock(withoutCommonOptions(help))}\n`;
}

function codeBlock(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}

function withoutCommonOptions(help: string): string {
  const paragraphs = help.split('\n\n');
  const rest = paragraphs.filter((paragraph) => !paragraph.startsWith('Common options:\n'));
  if (rest.length !== paragraphs.length - 1) throw new Error(`not one group of common options in:\n${help}`);
  return rest.join('\n\n');
}

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  table: 'columns for people, as wide as the terminal',
  ndjson: 'one JSON object a line',
  json: 'one JSON value',
  tsv: 'fields behind tabs; tabs, line breaks and control characters in them as `\\t`, `\\n`, `\\u00XX`',
  mention: 'what is put into a message: `@[title](dsh-session:…)`, or `@path` for a file',
  id: 'the session id; its URI where the id cannot be printed as it is',
  uri: 'the URI of the session',
  path: 'the path alone',
  text: 'the readable message, an empty line, the context: ready for any prompt',
};

function formatWords(format: string): string {
  const words = FORMAT_WORDS[format];
  if (words === undefined) throw new Error(`scripts/docs.ts has no words for the form "${format}"`);
  return words;
}

function formatsOf({ options }: CommandDefinition): readonly string[] {
  const value = options.find(({ flags }) => flags.includes('--format'))?.value;
  return value?.kind === 'choice' ? value.choices : [];
}

function usedFormats(commands: readonly CommandDefinition[]): string[] {
  return [...new Set(commands.flatMap(formatsOf))];
}

function formatRow(command: CommandDefinition): string[] {
  const formats = formatsOf(command);
  if (formats.length > 0) {
    return [`| \`${command.path}\` | ${formats.map((format) => `\`${format}\``).join(', ')} |\n`];
  }
  const json = command.options.find(({ flags }) => flags.includes('--json'));
  return json === undefined ? [] : [`| \`${command.path}\` | \`--json\`: ${json.description} |\n`];
}

// docs/errors.md

const ALL_CODES = { ...REFERENCE_CODES, ...LOG_CODES, ...CLI_CODES };
const EXIT_WORDS: Readonly<Record<number, string>> = {
  0: 'done; also where the reader of standard output went away',
  1: 'a fault of dsh-ref itself',
  2: 'the command line, a setting or an input is wrong',
  3: 'a reference is malformed, cites its own session, or is one too many',
  4: 'a session, a log or a root cannot be read; sessions were skipped under `--strict`; `verify` found something',
  5: 'one snapshot cannot fit its budget',
  6: 'standard output cannot be written',
  124: 'cancelled by `--timeout`',
  130: 'cancelled by SIGINT, or by leaving `pick`',
  143: 'cancelled by SIGTERM',
};

/** Exit codes with the codes that lead to them, from the tables and from the code that maps cancellations. */
function exitRows(): { exit: number; words: string; codes: string[] }[] {
  const codes = new Map<number, string[]>([[0, []]]);
  for (const [code, { exit }] of Object.entries(ALL_CODES))
    codes.set(exit, [...(codes.get(exit) ?? []), code]);
  for (const by of ['timeout', 'SIGINT', 'SIGTERM'] satisfies CancelledBy[]) {
    const { exit, code } = describeFailure(AbortSignal.abort(), AbortSignal.abort(new CancelReason(by, '')));
    if (codes.get(exit)?.includes(code) !== true) codes.set(exit, [...(codes.get(exit) ?? []), code]);
  }
  return [...codes]
    .sort(([a], [b]) => a - b)
    .map(([exit, list]) => {
      const words = EXIT_WORDS[exit];
      if (words === undefined) throw new Error(`scripts/docs.ts has no words for exit ${exit}`);
      return { exit, words, codes: list };
    });
}

function exitTable(): string {
  const rows = exitRows().map(
    ({ exit, words, codes }) => `| ${exit} | ${words} | ${codes.map((code) => `\`${code}\``).join(', ')} |\n`,
  );
  return `| exit | meaning | codes |\n|---|---|---|\n${rows.join('')}`;
}

function errorsPage(): string {
  return `# Errors

${MADE}

An error is one line on standard error, \`dsh-ref: <what is wrong and what to do> [CODE]\`; with \`--error-format json\`
one JSON object \`{"error":{"code","message","details"}}\`. In the library the code is the \`code\` of a
\`SessionReferenceError\` or a \`SessionLogError\`. Codes are stable and messages are not: route on the code.

## Exit codes

${exitTable()}
## References: \`SESSION_REFERENCE_*\`

What a mention, a reference, a setting or a snapshot can fail with.

${codeTable(REFERENCE_CODES)}
## Logs and roots: \`SESSION_LOG_*\`, \`SESSION_ROOT_*\`

Why a session, its log or a root cannot be read. The last part of a code, in small letters, is the kind in skips and
in \`unreadable\`.

${codeTable(LOG_CODES)}
## The command line: \`DSH_REF_*\`

${codeTable(CLI_CODES)}`;
}

function codeTable(codes: Readonly<Record<string, { title: string; remedy: string }>>): string {
  const rows = Object.entries(codes).map(
    ([code, { title, remedy }]) => `| \`${code}\` | ${cell(title)} | ${cell(remedy)} | ${exitsOf(code)} |\n`,
  );
  return `| code | what happened | what to do | exit |\n|---|---|---|---|\n${rows.join('')}`;
}

function exitsOf(code: string): string {
  return exitRows()
    .filter(({ codes }) => codes.includes(code))
    .map(({ exit }) => exit)
    .join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

// man/dsh-ref.1

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['DSH_REF_ROOT', 'Folders that hold session logs, separated like PATH, where no --root is given.'],
  ['DSH_HOME', 'Home of the harness, whose sessions are below it; default ~/.dsh. Blank counts as not set.'],
  ['DSH_SESSION_ID', 'The asking session, where no --self is given.'],
  ['DSH_REF_INDEX', 'off: nothing is remembered of logs, nor of compiled code, as with --no-index.'],
  ['DSH_REF_INDEX_DIR', 'Where it is remembered, where no --index-dir is given.'],
  ['NODE_DISABLE_COMPILE_CACHE', '1: no compiled code is kept for the next start.'],
  ['DSH_REF_SPILL_DIR', 'Where prepare keeps full texts, where no --spill-dir is given.'],
  ['NO_COLOR, FORCE_COLOR', 'No colour, or colour everywhere; --color and --no-color come first.'],
  ['PAGER', 'What show pages through on a terminal; default less; empty or cat for none.'],
  ['TERM, COLUMNS', 'dumb: no colour, no pager, no progress; the width where the terminal does not tell it.'],
  ['XDG_CACHE_HOME, LOCALAPPDATA', 'The user’s cache directory, on Linux and on Windows.'],
];

const FILES: readonly (readonly [string, string])[] = [
  ['~/.dsh/sessions', 'The sessions of the harness. They are read, and never written.'],
  [
    '~/.cache/dsh-ref/index',
    'What is remembered of logs. Safe to delete; the answers are the same without it.',
  ],
  [
    '~/.cache/dsh-ref/code',
    'Compiled code of the program itself, for a quicker start; may be deleted at any time.',
  ],
  ['~/.cache/dsh-ref/spill', 'Full texts of shortened snapshots, readable by their owner alone.'],
];

function manPage(commands: readonly HelpedCommand[]): string {
  const [program, ...rest] = commands;
  const leaves = rest.filter(({ subcommands }) => subcommands.length === 0);
  const examples = ['candidates', 'prepare', 'show', 'verify'];
  return [
    '.\\" Made by `npm run docs` from the code; edit that, not this.',
    '.TH DSH\\-REF 1 "" dsh\\-ref "User Commands"',
    '.SH NAME',
    `dsh\\-ref \\- cite what another DeepSeek Harness session already knows`,
    '.SH SYNOPSIS',
    '.B dsh\\-ref',
    `${roff(program!.usage)}`,
    '.SH DESCRIPTION',
    roff(packageDescription()),
    '.PP',
    roff(
      'Standard output has the result and nothing else, complete or empty; notices and errors go to standard error. ' +
        'A session is named by its id, by the beginning of one (at least 4 characters), by its URI or by a mention. ' +
        '-- ends the options.',
    ),
    '.SH COMMANDS',
    ...leaves.flatMap(manCommand),
    '.SH "COMMON OPTIONS"',
    'Every command has these, before or after its name.',
    ...program!.options.filter(({ isCommon }) => isCommon).flatMap(manOption),
    '.PP',
    'The program alone has',
    ...ownOptions(program!).flatMap(manOption),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(manTagged),
    '.SH FILES',
    ...FILES.flatMap(manTagged),
    '.SH "EXIT STATUS"',
    ...exitRows().flatMap(({ exit, words, codes }) => [
      '.TP',
      `.B ${exit}`,
      // A code is not to be broken at the end of a line.
      `${[roff(words.replaceAll('`', '')), codes.map((code) => `\\%${code}`).join(', ')].filter(Boolean).join(': ')}.`,
    ]),
    '.SH EXAMPLES',
    ...examples.flatMap((path) => manExample(rest.find((command) => command.path === path)!)),
    '.SH "SEE ALSO"',
    '.BR jq (1),',
    '.BR less (1),',
    roff('and docs/cli.md and docs/errors.md in the package.'),
    '',
  ].join('\n');
}

function packageDescription(): string {
  return `${JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).description}`;
}

function manCommand(command: HelpedCommand): string[] {
  const usage = command.usage.replace(/^\[options\] ?/, '');
  const groups = new Map<string, OptionDefinition[]>();
  for (const option of ownOptions(command))
    groups.set(option.group, [...(groups.get(option.group) ?? []), option]);
  return [
    `.SS "${roff(`${command.path} ${usage}`.trim())}"`,
    ...command.description.split('\n').map(roff),
    ...[...groups].flatMap(([group, options]) => [
      ...(group === 'Options:' ? [] : ['.PP', roff(group)]),
      ...options.flatMap(manOption),
    ]),
    ...remarks(command.help).flatMap((remark) => {
      const [heading, ...lines] = remark.split('\n');
      return ['.PP', roff(heading!), ...verbatim(lines)];
    }),
  ];
}

/** Paragraphs of a help text behind the options, without the example. */
function remarks(help: string): string[] {
  const paragraphs = help.split('\n\n');
  const behind = paragraphs.slice(paragraphs.findIndex((text) => text.startsWith('Common options:\n')) + 1);
  return behind.filter((text) => !/^(?:Example|Commands):\n/.test(text));
}

function verbatim(lines: readonly string[]): string[] {
  return ['.PP', '.nf', '.RS 4', ...lines.map((line) => roff(line.replace(/^ {2}/, ''))), '.RE', '.fi'];
}

function manOption({ flags, value, description }: OptionDefinition): string[] {
  const name = value === undefined ? '' : ` \\fI${roff(value.name)}\\fR`;
  const choices = value?.kind === 'choice' ? ` (one of ${value.choices.join(', ')})` : '';
  return [
    '.TP',
    `${flags.map((flag) => `\\fB${roff(flag)}\\fR`).join(', ')}${name}`,
    roff(description + choices),
  ];
}

function manTagged([tag, text]: readonly [string, string]): string[] {
  return ['.TP', `.B ${roff(tag)}`, roff(text)];
}

function manExample({ path, summary, help }: HelpedCommand): string[] {
  const example = help.split('\nExample:\n')[1];
  if (example === undefined) throw new Error(`the help of "${path}" has no example`);
  const heading = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}:`;
  return ['.PP', roff(heading), ...verbatim(example.split('\n'))];
}

/** Text as roff has it: nothing is a request or an escape, hyphens can be copied, and all of it is ASCII. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replaceAll(/[^\x20-\x7e]/gu, (character) => {
      return `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`;
    })
    .replace(/^\./, '\\&.');
}

async function main(args: readonly string[]): Promise<void> {
  const documents = await makeDocuments();
  const stale = staleDocuments(documents);
  if (args.includes('--check')) {
    for (const path of stale) console.error(`${path} is stale: run \`npm run docs\``);
    process.exitCode = stale.length === 0 ? 0 : 1;
    return;
  }
  for (const path of stale) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), documents.get(path)!);
    console.log(`wrote ${path}`);
  }
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
