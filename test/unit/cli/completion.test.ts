import { describe, expect, it } from 'vitest';
import { bashScript } from '../../../src/cli/completion/bash.ts';
import { allCommands, loadDefinitions, ownOptions } from '../../../src/cli/completion/definitions.ts';
import { fishScript } from '../../../src/cli/completion/fish.ts';
import { powershellScript } from '../../../src/cli/completion/powershell.ts';
import { chooseOffers } from '../../../src/cli/completion/sessions.ts';
import {
  insertable,
  isTypable,
  readPlainWord,
  readTypedWord,
  SHELLS,
  type Shell,
} from '../../../src/cli/completion/shells.ts';
import { zshScript } from '../../../src/cli/completion/zsh.ts';
import { encodeSessionReferenceUri } from '../../../src/mention/uri.ts';
import { candidate, cli, errorLine, type Setup } from './support.ts';

const program = await loadDefinitions();
const commands = allCommands(program);
const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript };

describe('definitions', () => {
  it.each(commands.map((command) => [command.path, command] as const))(
    'of "%s" are what its help shows',
    async (path, command) => {
      const help = (await cli([...path.split(' ').filter(Boolean), '--help'])).stdout;
      const shown = [...help.matchAll(/^ {2}(-\S+?)(?:, (--\S+))?(?: <(\S+)>)?(?: {2,}|$)/gm)];
      const flags = shown.flatMap(([, first, second]) => [first, second].filter(Boolean)).sort();
      expect(command.options.flatMap((option) => option.flags).sort()).toEqual(flags);
      const names = shown.map(([, , , name]) => name).filter(Boolean);
      expect(command.options.flatMap(({ value }) => value?.name ?? []).sort()).toEqual(names.sort());
      expect(help).toMatch(`Usage: dsh-ref ${`${path} ${command.usage}`.trim()}\n`);
    },
  );

  it('know what a value is by its name, and what may be repeated', () => {
    const kinds = commands
      .flatMap(ownOptions)
      .concat(program.options)
      .flatMap(({ flags, value, isRepeatable }) => (value ? [[flags.at(-1), value.kind, isRepeatable]] : []));
    expect(kinds).toEqual(
      expect.arrayContaining([
        ['--reference', 'session', true],
        ['--self', 'session', false],
        ['--root', 'directory', true],
        ['--messages', 'file', false],
        ['--limit', 'text', false],
        ['--error-format', 'choice', false],
      ]),
    );
  });
});

describe.each(SHELLS)('the script for %s', (shell) => {
  const script = SCRIPTS[shell](program);

  it('is what the command prints', async () => {
    expect(await cli(['completion', shell])).toMatchObject({ exit: 0, stdout: script, stderr: '' });
  });

  it('has every command, every option and every choice, and nothing hidden', () => {
    for (const { path, options, arguments: values } of commands) {
      for (const name of path.split(' ')) expect(script).toContain(name);
      for (const { flags, value } of options) {
        for (const flag of flags) expect(script).toContain(shell === 'fish' ? flag.replace(/^-+/, '') : flag);
        if (value?.kind === 'choice') for (const choice of value.choices) expect(script).toContain(choice);
      }
      for (const { value } of values) {
        if (value.kind === 'choice') for (const choice of value.choices) expect(script).toContain(choice);
      }
    }
    expect(script).not.toMatch(/--index\b(?!-)/);
    expect(script.match(/--complete\b/g)).toHaveLength(1);
  });

  it('has no tab, carriage return or other control character, and ends with a line feed', () => {
    expect(script.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(script).toMatch(/[^\n]\n$/);
  });
});

it('the PowerShell script is plain ASCII with its brackets in pairs', () => {
  const script = SCRIPTS.powershell(program);
  expect(script).toMatch(/^[\n\x20-\x7e]*$/);
  const bare = script.replaceAll(/^\s*#.*$/gm, '').replaceAll(/'(?:[^']|'')*'|"(?:[^"`]|`.)*"/g, '');
  const open: string[] = [];
  for (const [bracket] of bare.matchAll(/[()[\]{}]/g)) {
    if ('([{'.includes(bracket)) open.push(bracket);
    else expect(`${open.pop()}${bracket}`).toMatch(/^(?:\(\)|\[\]|\{\})$/);
  }
  expect(open).toEqual([]);
});

describe('words on a command line', () => {
  const places = { env: { LOGS: '/logs', EMPTY: '' }, homedir: () => '/home/me' };

  it.each([
    ['', '', ''],
    ['abc', 'abc', ''],
    ['a\\ b', 'a b', ''],
    ["'a b'", 'a b', ''],
    ["'a b", 'a b', "'"],
    ['"a b', 'a b', '"'],
    ['"a \\" \\x', 'a " \\x', '"'],
    [`a'b'"c"d`, 'abcd', ''],
    ["'it'\\''s'", "it's", ''],
    ["'a\\'", 'a\\', ''],
    ['~', '/home/me', ''],
    ['~/x', '/home/me/x', ''],
    ['a~/x', 'a~/x', ''],
    ['~user/x', '~user/x', ''],
    ["'~/x'", '~/x', ''],
    ['$LOGS/x', '/logs/x', ''],
    [`"\${LOGS}/x"`, '/logs/x', ''],
    ["'$LOGS'", '$LOGS', ''],
    ['\\$LOGS', '$LOGS', ''],
    ['$NOT_SET-$EMPTY.', '-.', ''],
    ['$(touch x)`y`', '$(touch x)`y`', ''],
    ['a\\', 'a', ''],
  ])('%j is %j, open quote %j', (typed, text, quote) => {
    expect(readTypedWord(typed, places)).toEqual({ text, quote });
  });

  it.each([
    ['~/x', '/home/me/x'],
    ['$LOGS/a b', '/logs/a b'],
    [`\${LOGS}`, '/logs'],
    [`it's "x" \\`, `it's "x" \\`],
  ])('%j, its quotes gone, is %j', (word, text) => expect(readPlainWord(word, places)).toBe(text));

  it.each([
    '',
    ' a',
    'a ',
    '-x',
    '--',
    'a\nb',
    'a\tb',
    'a\u0000',
    '\u202ea',
    '\ud800',
    '@[x',
    'dsh-session:x',
  ])('the id %j is never typed as it is', (id) => expect(isTypable(id)).toBe(false));

  it.each<[string, Shell, '' | "'" | '"', string | undefined]>([
    ['session-1', 'bash', '', 'session-1'],
    ['a b', 'bash', '', 'a\\ b'],
    ['$(x)`\'"!~*', 'bash', '', '\\$\\(x\\)\\`\\\'\\"\\!\\~\\*'],
    ['größe 日', 'bash', '', 'größe\\ 日'],
    ['a b', 'bash', '"', 'a b'],
    ['a$b', 'bash', '"', undefined],
    ["it's", 'bash', "'", undefined],
    ['a $b', 'zsh', '', 'a $b'],
    ['a $b', 'fish', '', 'a $b'],
    ['a b', 'powershell', '', "'a b'"],
    ['a,b', 'powershell', '', "'a,b'"],
    ["it's", 'powershell', '', undefined],
    ['it’s', 'powershell', '', undefined],
    ['a"b', 'powershell', '', undefined],
  ])('%j is inserted in %s after %j as %j', (id, shell, quote, word) => {
    expect(insertable(id, shell, quote)).toBe(word);
  });
});

describe('offers', () => {
  const list = [
    candidate('fix-7', { label: 'Another thing' }),
    candidate('session-1', { label: 'Fix the login' }),
    candidate('session-2', { label: 'session-2', cwd: '/proj' }),
    candidate('sub-1', { label: 'fix again', displayTitle: 'Reviewer' }),
    candidate('bad\nid', { label: 'Two\nlines\tand \u001b[31m' }),
    candidate('broken', { label: 'Gone', unreadable: 'corrupt' }),
  ];
  const offers = (text: string, shell: Shell = 'bash') =>
    chooseOffers(list, { text, quote: '' }, shell).map(({ insert, description }) => [insert, description]);

  it('without a word are all sessions; one whose id cannot be typed by its URI', () => {
    expect(offers('')).toEqual([
      ['fix-7', 'Another thing'],
      ['session-1', 'Fix the login'],
      ['session-2', '/proj'],
      ['sub-1', 'Reviewer'],
      [encodeSessionReferenceUri('bad\nid'), 'Two\\nlines\\tand \\u001b[31m'],
      ['broken', '(corrupt) Gone'],
    ]);
  });

  it('go by the id first, exactly, and else by any part of either title, whatever the case', () => {
    expect(offers('fix').map(([insert]) => insert)).toEqual(['fix-7']);
    expect(offers('FIX').map(([insert]) => insert)).toEqual(['session-1', 'sub-1']);
    expect(offers('reviewer')).toEqual([['sub-1', 'Reviewer']]);
    expect(offers('/proj')).toEqual([]);
  });

  it('are URIs where one was begun', () => {
    const uri = encodeSessionReferenceUri('session-1');
    expect(offers('dsh-session:').every(([insert]) => insert?.startsWith('dsh-session:'))).toBe(true);
    expect(offers(uri)).toEqual([[uri, 'Fix the login']]);
  });

  it('found by title are mentions in fish, which drops what does not contain the word', () => {
    expect(offers('FIX T', 'fish')).toEqual([
      [`@[Fix the login](${encodeSessionReferenceUri('session-1')})`, 'Fix the login'],
    ]);
    expect(offers('sess', 'fish').map(([insert]) => insert)).toEqual(['session-1', 'session-2']);
  });

  it('are bounded: in number, in length, and ids of a megabyte are left out', () => {
    const many = Array.from({ length: 150 }, (_, at) =>
      candidate(`s-${at}`, { label: 'long '.repeat(1000) }),
    );
    const all = chooseOffers([candidate('s'.repeat(1e6)), ...many], { text: 's', quote: '' }, 'zsh');
    expect(all).toHaveLength(100);
    expect(Math.max(...all.map(({ description }) => description.length))).toBeLessThanOrEqual(72);
  });
});

describe('the request of a script', () => {
  const ask = (word: string, before: readonly string[], setup: Setup = {}, shell = 'bash') =>
    cli(['completion', shell, `--complete=${word}`, '--', ...before], {
      candidates: [candidate('session-1', { label: 'Fix the login' })],
      ...setup,
    });

  it('is answered one a line, and asks the listing for the word', async () => {
    const { stdout, stderr, exit, asked } = await ask('login', ['show']);
    expect([exit, stdout, stderr]).toEqual([0, 'session-1\tFix the login\n', '']);
    expect(asked.candidates).toMatchObject({ query: 'login', limit: Number.MAX_SAFE_INTEGER });
    expect(asked.closed).toBe(true);
  });

  it('looks where the line says: quotes, ~ and variables resolved', async () => {
    const setup = { env: { BASE: '/usr' } };
    const before = ['--root', '"/"', '--root=$BASE/bin', 'show', '--no-index'];
    const { asked } = await ask('', before, setup);
    expect(asked.roots).toEqual(['/', '/usr/bin']);
    expect(asked.store?.index).toBe(false);
    expect((await ask('', ['show', '--index-dir', "'/tmp/an index'"])).asked.store?.indexDir).toBe(
      '/tmp/an index',
    );
    expect((await ask('', ['show', '--root', '$BASE'], setup, 'fish')).asked.roots).toEqual(['/usr']);
  });

  it('leaves the asking session out where it would be cited, and only there', async () => {
    const env = { DSH_SESSION_ID: 'me' };
    expect((await ask('', ['prepare', '--reference'], { env })).asked.candidates?.self).toBe('me');
    expect((await ask('', ['show'], { env })).asked.candidates?.self).toBeUndefined();
  });

  it('is answered behind an option that waits for its value', async () => {
    expect((await ask('', ['show', '--self'])).stdout).toBe('session-1\tFix the login\n');
  });

  it.each<[string, string[], Setup]>([
    ['a root that does not exist', ['--root', '/does/not/exist', 'show'], {}],
    ['a wrong value on the line', ['--timeout', 'x', 'show'], {}],
    ['a wrong choice on the line', ['--error-format', 'x', 'show'], {}],
    [
      'a listing that fails',
      ['show'],
      {
        fail: () => {
          throw new Error('broken');
        },
      },
    ],
    ['a current directory that is gone', ['--root', 'x', 'show'], { cwd: () => JSON.parse('no') }],
  ])('is answered with nothing, and without a word, for %s', async (_name, before, setup) => {
    expect(await ask('', before, setup)).toMatchObject({ exit: 0, stdout: '', stderr: '' });
  });

  it('gives up after two seconds', async () => {
    const start = performance.now();
    const outcome = await ask('', ['show'], { openStore: () => new Promise(() => undefined) });
    expect(outcome).toMatchObject({ exit: 0, stdout: '', stderr: '' });
    expect(performance.now() - start).toBeLessThan(4000);
  });
});

it('a listing that leaves no room for timers is given up too', async () => {
  let now = 0;
  const setup: Setup = {
    candidates: [candidate('session-1')],
    now: () => now,
    listing: (options) => {
      now = 2001;
      options.onProgress?.(1, 10);
      expect(options.signal?.aborted).toBe(true);
      options.signal?.throwIfAborted();
    },
  };
  const outcome = await cli(['completion', 'bash', '--complete=s', '--', 'show'], setup);
  expect(outcome).toMatchObject({ exit: 0, stdout: '', stderr: '' });
});

describe('completion, misused', () => {
  it.each([[[]], [['tcsh']], [['bash', 'zsh']]])('%j is a usage error', async (args) => {
    const outcome = await cli(['completion', ...args]);
    expect([outcome.exit, outcome.stdout, errorLine(outcome.stderr).code]).toEqual([2, '', 'DSH_REF_USAGE']);
  });
});
