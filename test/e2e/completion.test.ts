/**
 * Completion in the real shells, with the built program. A shell that is not installed is skipped with a word, or
 * fails where DSH_REF_REQUIRE_SHELLS=1 says that all of them must be there.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeSessionReferenceUri as uri } from '../../src/mention/uri.ts';
import { LogScript } from '../support/log-writer/log-script.ts';
import { writeLog } from '../support/log-writer/write-root.ts';
import { PROGRAM, runProgram } from '../support/run-program.ts';
import { treeState } from '../support/tree-state.ts';

const HOSTILE_ID = `it's $(touch pwned) "x" \`touch pwned\` !! *`;
const HOSTILE_TITLE = 'Evil \u001b]52;c;x\u0007\n$(touch pwned)\t`touch pwned` \'"; touch pwned\u202e';
const SESSIONS: Readonly<Record<string, string>> = {
  'session-1': 'Fix the login',
  'session-2': 'Fix the logout',
  'other:id': 'With a colon',
  'größe 日本': 'Wide words',
  [HOSTILE_ID]: HOSTILE_TITLE,
  'line\nbreak': 'Broken in two',
  '-dash': 'Starts like an option',
};

let home: string;
let root: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'dsh-ref-completion-'));
  root = join(home, 'the logs');
  for (const [id, title] of Object.entries(SESSIONS)) {
    const script = new LogScript(4, { id });
    script.startTurn();
    script.user('hello');
    script.assistant('hi');
    script.title(title);
    script.endTurn();
    writeLog(root, { id, cwd: '/home/ana/shop', format: 4, lines: script.lines });
  }
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(home, 'files'));
  writeFileSync(join(home, 'files', 'some file.json'), '[]');
  const shim = join(home, 'bin', 'dsh-ref');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(shim, 0o755);
  for (const shell of ['bash', 'zsh', 'fish']) {
    writeFileSync(join(home, `completion.${shell}`), (await runProgram(['completion', shell])).stdout);
  }
});
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

/** Nothing of the caller's environment but the way to the tools. */
function environment(): Record<string, string> {
  const path = `${join(home, 'bin')}:${process.env.PATH}`;
  return { HOME: home, PATH: path, TERM: 'xterm', LANG: 'C.UTF-8', LOGS: root };
}

function isInstalled(command: string): boolean {
  if (spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0) return true;
  if (process.env.DSH_REF_REQUIRE_SHELLS === '1') return true;
  process.stderr.write(`completion tests: ${command} is not installed, so what needs it is skipped\n`);
  return false;
}

const hasBash = isInstalled('bash');
const hasZsh = isInstalled('zsh');
const hasFish = isInstalled('fish');
/** util-linux's: gives a shell a terminal. */
const hasTerminal = isInstalled('script');

function sh(shell: string, args: readonly string[]): string {
  const result = spawnSync(shell, args, { cwd: home, env: environment(), encoding: 'utf8', timeout: 60_000 });
  expect({ status: result.status, stderr: result.stderr }).toEqual({ status: 0, stderr: '' });
  return result.stdout;
}

describe.skipIf(!hasBash)('bash, by its function', () => {
  /** What COMPREPLY is at the end of the line that has these words. */
  function complete(...words: string[]): string[] {
    const driver = `source ~/completion.bash; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _dsh_ref; printf '%s\\0' "\${COMPREPLY[@]}"`;
    return sh('bash', ['--norc', '-c', driver, '-', 'dsh-ref', ...words])
      .split('\0')
      .filter((reply) => reply !== '');
  }
  /** Ids without the titles beside them. */
  const first = (replies: readonly string[]) => replies.map((reply) => reply.split('  ')[0]);

  it('knows commands, options and choices', () => {
    expect(complete('pr')).toEqual(['prepare']);
    expect(complete('uri', '')).toEqual(['encode', 'decode']);
    expect(complete('prepare', '--max')).toEqual(['--max-bytes', '--max-references']);
    expect(complete('candidates', '--format', '')).toContain('ndjson');
    expect(complete('candidates', '--format=t')).toEqual(['--format=table', '--format=tsv']);
    expect(complete('candidates', '--format', '=', 't')).toEqual(['table', 'tsv']);
    expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
    expect(complete('--root', 'show', '--error-format', 'json', 'cand')).toEqual(['candidates']);
    expect(complete('candidates', 'x')).toEqual([]);
    expect(complete('show', '--', '--js')).toEqual([]);
    expect(complete('show', '--index')).toEqual(['--index-dir']);
  });

  it('inserts the id of the session whose title is typed', () => {
    for (const root of [['--root', '~/the\\ logs'], ['--root="$LOGS"'], ['--root', "'the logs'"]]) {
      expect(complete(...root, 'show', 'LOGIN')).toEqual(['session-1']);
    }
    expect(complete('--root', 'the\\ logs', 'prepare', 'hi', '--reference=logou')).toEqual([
      '--reference=session-2',
    ]);
    expect(complete('--root', 'the\\ logs', 'show', '"fix the login')).toEqual(['session-1']);
    expect(first(complete('--root', 'the\\ logs', 'show', 'ses')).sort()).toEqual(['session-1', 'session-2']);
    expect(complete('--root', 'the\\ logs', 'show', 'session-1', '')).toEqual([]);
    expect(complete('--root', 'the\\ logs', 'mention', 'session-1', 'logout')).toEqual(['session-2']);
  });

  it('gives nothing and says nothing where there is nothing', () => {
    expect(complete('--root', 'nowhere', 'show', '')).toEqual([]);
    expect(complete('--root', 'the\\ logs', 'show', 'no such title')).toEqual([]);
  });

  it('H-73: what it inserts is inert, and is the id', () => {
    for (const id of [HOSTILE_ID, 'größe 日本', 'other:id']) {
      const [word] = complete('--root', 'the\\ logs', 'show', SESSIONS[id]!.slice(0, 4));
      expect(sh('bash', ['-c', `printf %s ${word}`])).toBe(id);
    }
    expect(complete('--root', 'the\\ logs', 'show', 'broken')).toEqual([uri('line\nbreak')]);
    expect(complete('--root', 'the\\ logs', 'show', 'starts')).toEqual([uri('-dash')]);
    for (const reply of complete('--root', 'the\\ logs', 'show', '')) expect(reply).not.toMatch(/\p{Cc}/u);
    expect(existsSync(join(home, 'pwned'))).toBe(false);
  });

  it('lists files and directories by itself where readline cannot be asked', () => {
    expect(complete('spill', 'show', 'files/')).toEqual(['files/some file.json']);
    expect(complete('candidates', '--root', 'fil')).toEqual(['files']);
    expect(complete('candidates', '--root=fil')).toEqual(['--root=files']);
  });
});

describe.skipIf(!hasFish)('fish, by complete -C', () => {
  /** Candidates and their descriptions. */
  function complete(line: string): string[][] {
    const output = sh('fish', [
      '--no-config',
      '-c',
      'source ~/completion.fish; complete -C $argv[1]',
      '--',
      line,
    ]);
    return output
      .split('\n')
      .filter(Boolean)
      .map((row) => row.split('\t'));
  }
  const first = (line: string) => complete(line).map(([candidate]) => candidate);

  it('knows commands, options and choices', () => {
    expect(complete('dsh-ref pre')).toEqual([['prepare', expect.stringContaining('message')]]);
    expect(first('dsh-ref uri ').sort()).toEqual(['decode', 'encode']);
    expect(first('dsh-ref prepare --max').sort()).toEqual(['--max-bytes', '--max-references']);
    expect(first('dsh-ref candidates --format nd')).toEqual(['ndjson']);
    expect(first('dsh-ref candidates --format=nd')).toEqual(['--format=ndjson']);
    expect(first('dsh-ref --root show --strict completion fi')).toEqual(['fish']);
    expect(first('dsh-ref candidates x')).toEqual([]);
    expect(first('dsh-ref spill show files/')).toEqual(['files/some file.json']);
    expect(first('dsh-ref candidates --root fi')).toEqual(['files/']);
    expect(first('dsh-ref candidates --root=fi')).toEqual(['--root=files/']);
  });

  it('offers sessions with their titles', () => {
    expect(complete('dsh-ref --root "$LOGS" show ses').sort()).toEqual([
      ['session-1', 'Fix the login'],
      ['session-2', 'Fix the logout'],
    ]);
    expect(complete("dsh-ref --root='the logs' prepare --reference session-1")).toEqual([
      ['session-1', 'Fix the login'],
    ]);
    expect(complete('dsh-ref --root ~/the\\ logs show ')).toHaveLength(Object.keys(SESSIONS).length);
    expect(complete('dsh-ref --root nowhere show ')).toEqual([]);
  });

  it('finds them by title, as mentions', () => {
    expect(first('dsh-ref --root ~/the\\ logs show "the login"')).toEqual([
      `@[Fix the login](${uri('session-1')})`,
    ]);
    const [mention] = first('dsh-ref --root ~/the\\ logs show LOGOUT');
    const shown = spawnSync(join(home, 'bin', 'dsh-ref'), ['show', mention!, '--json', '--root', root], {
      env: environment(),
      encoding: 'utf8',
    });
    expect(shown.status).toBe(0);
  });

  it('H-70: has nothing from a log that is not text', () => {
    for (const row of complete('dsh-ref --root ~/the\\ logs show ')) {
      expect(row).toHaveLength(2);
      expect(row.join('')).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });
});

interface Terminal {
  readonly command: string;
  /** Loads the script, and makes Ctrl-G write the line being edited to `~/NAME`, whole at once. */
  readonly setup: (name: string) => string;
}

const TERMINALS: Record<'bash' | 'zsh' | 'fish', Terminal> = {
  bash: {
    command: 'bash --norc --noprofile -i',
    setup: (name) =>
      `eval "$(dsh-ref completion bash)"; dump() { printf %s "$READLINE_LINE" > ~/new; mv ~/new ~/${name}; }; bind -x '"\\C-g": dump'`,
  },
  zsh: {
    command: 'zsh -f -i',
    setup: (name) =>
      `autoload -Uz compinit; compinit -u -D; eval "$(dsh-ref completion zsh)"; dump() { print -rn -- "$BUFFER" > ~/new; mv ~/new ~/${name} }; zle -N dump; bindkey '^G' dump`,
  },
  fish: {
    command: 'fish --no-config -i',
    setup: (name) =>
      `dsh-ref completion fish | source; bind \\cg 'commandline -b > ~/new; mv ~/new ~/${name}'`,
  },
};

/** A slow machine starts a hundred programs here. */
const PATIENCE_MS = 180_000;
const DUMP = '\u0007';
const CLEAR = '\u0015';

/** Types each of `keys` in an interactive shell on a terminal; gives the line as it is then. */
async function type(shell: keyof typeof TERMINALS, keys: readonly string[]): Promise<string[]> {
  const { command, setup } = TERMINALS[shell];
  const [ready, out] = [join(home, `${shell}-ready`), join(home, `${shell}-line`)];
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: home, env: environment() });
  let screen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk;
  });
  try {
    child.stdin.write(`stty rows 50 cols 200; ${setup(`${shell}-line`)}; echo > ${ready}\r`);
    await until(
      () => existsSync(ready),
      () => screen,
    );
    const lines: string[] = [];
    for (const typed of keys) {
      child.stdin.write(typed + DUMP);
      await until(
        () => existsSync(out),
        () => screen,
      );
      lines.push(readFileSync(out, 'utf8').trimEnd());
      rmSync(out);
      child.stdin.write(CLEAR);
    }
    return lines;
  } finally {
    child.kill('SIGKILL');
    rmSync(ready, { force: true });
  }
}

async function until(isDone: () => boolean, screen: () => string): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    if (isDone()) return;
    await sleep(50);
  }
  throw new Error(`nothing came of it; the screen: ${JSON.stringify(screen())}`);
}

const SHOW = 'dsh-ref --root ~/the\\ logs show ';
const LINES: readonly [string, string, string][] = [
  ['a command', 'dsh-ref candi\t', 'dsh-ref candidates'],
  ['a choice', 'dsh-ref candidates --format=nd\t', 'dsh-ref candidates --format=ndjson'],
  ['a directory', 'dsh-ref candidates --root fil\t', 'dsh-ref candidates --root files/'],
  ['a file', 'dsh-ref spill show files/so\t', 'dsh-ref spill show files/some\\ file.json'],
  ['an id', `${SHOW}oth\t`, `${SHOW}other:id`],
  ['a URI', `${SHOW}${uri('session-1').slice(0, -1)}\t`, SHOW + uri('session-1')],
];
const BY_TITLE: readonly [string, string, string][] = [
  ['a title', `${SHOW}LOGIN\t`, `${SHOW}session-1`],
  ['a title after an open quote', `${SHOW}"the login\t`, `${SHOW}"session-1"`],
  [
    'a title after --reference=',
    'dsh-ref --root="$LOGS" prepare hi --reference=logout\t',
    'dsh-ref --root="$LOGS" prepare hi --reference=session-2',
  ],
  ['the title of an id that cannot be typed', `${SHOW}broken\t`, SHOW + uri('line\nbreak')],
];

/** What is wrong, as a list of what was typed, what came of it, and what should have. */
async function differences(shell: keyof typeof TERMINALS, cases: readonly [string, string, string][]) {
  const lines = await type(
    shell,
    cases.map(([, keys]) => keys),
  );
  return cases
    .map(([what, keys, expected], at) => ({ what, keys, expected, line: lines[at] }))
    .filter(({ expected, line }) => line !== expected);
}

it.skipIf(!hasBash || !hasTerminal)(
  'bash, on a terminal',
  async () => {
    const several: [string, string, string][] = [
      ['a part of several titles', `${SHOW}"fix the\t`, `${SHOW}"fix the`],
      ['the beginning of several ids', `${SHOW}ses\t`, `${SHOW}session-`],
    ];
    expect(await differences('bash', [...LINES, ...BY_TITLE, ...several])).toEqual([]);
  },
  PATIENCE_MS,
);

it.skipIf(!hasZsh || !hasTerminal)(
  'zsh, on a terminal',
  async () => {
    expect(await differences('zsh', [...LINES, ...BY_TITLE])).toEqual([]);
    const [several, hostile] = await type('zsh', [`${SHOW}fix\t`, `${SHOW}evil\t`]);
    expect(several).toMatch(/ show session-[12]$/);
    expect(sh('zsh', ['-f', '-c', hostile!.replace(/^.* show /, 'printf %s ')])).toBe(HOSTILE_ID);
    expect(existsSync(join(home, 'pwned'))).toBe(false);
  },
  PATIENCE_MS,
);

it.skipIf(!hasZsh)('zsh, as a file of fpath', () => {
  mkdirSync(join(home, 'fpath'));
  writeFileSync(join(home, 'fpath', '_dsh-ref'), readFileSync(join(home, 'completion.zsh')));
  // The file is run as the function, which then asks for its subcommands.
  const driver = `fpath=(~/fpath $fpath); autoload -Uz compinit; compinit -u -D; print -r -- $_comps[dsh-ref]
    _arguments() { print -r -- asked; return 1 }; words=(dsh-ref '') CURRENT=2; _dsh-ref; whence -w _dsh-ref_show`;
  expect(sh('zsh', ['-f', '-c', `${driver}; true`])).toBe('_dsh-ref\nasked\n_dsh-ref_show: function\n');
});

it.skipIf(!hasFish || !hasTerminal)(
  'fish, on a terminal',
  async () => {
    const mention = `@\\[Fix\\ the\\ logout\\]\\(${uri('session-2')}\\)`;
    const byTitle: [string, string, string][] = [
      ['a title', `${SHOW}LOGOUT\t`, SHOW + mention],
      [
        'a title after --reference=',
        'dsh-ref --root="$LOGS" prepare hi --reference=logout\t',
        `dsh-ref --root="$LOGS" prepare hi --reference=${mention}`,
      ],
    ];
    expect(await differences('fish', [...LINES, ...byTitle])).toEqual([]);
  },
  PATIENCE_MS,
);

it('H-36: asking for sessions changes nothing in the root', async () => {
  const before = treeState(root);
  const asked = await runProgram(['completion', 'bash', '--complete=', '--', '--root', root, 'show']);
  expect(asked).toMatchObject({ status: 0, stderr: '' });
  expect(asked.stdout.split('\n')).toHaveLength(Object.keys(SESSIONS).length + 1);
  expect(treeState(root)).toEqual(before);
});

it('a request without a usable line is silent', async () => {
  const asked = await runProgram(['completion', 'zsh', '--complete=x', '--', '--root', '/nowhere', 'show']);
  expect(asked).toMatchObject({ status: 0, stdout: '', stderr: '' });
});
