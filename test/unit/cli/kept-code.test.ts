/** Compiled code that is kept: used for the very source only, mended after damage, never where it might be planted. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptCode } from '../../../src/cli/kept-code.ts';
import { loadProgram } from '../../../src/cli/load-program.ts';

const requireNode = createRequire(import.meta.url);
const filler = `\n/* ${'long enough to be worth keeping '.repeat(80)} */\n`;
let scratch = '';
let program = '';
let directory = '';

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'dsh-ref-code-'));
  program = join(scratch, 'program');
  directory = join(scratch, 'cache', 'code');
  mkdirSync(program);
  write(
    'main.js',
    'const part = require("./part.js"); exports.answer = () => part.value() + 1; exports.parse = require("node:path").basename;',
  );
  write('part.js', 'exports.value = () => 41; exports.where = __filename; exports.dir = __dirname;');
});

afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function write(name: string, source: string): void {
  writeFileSync(join(program, name), source + filler);
}

function openCode(
  given: { readonly directory?: string | undefined; readonly command?: string } = {},
): KeptCode {
  return new KeptCode({ directory, node: 'v1-test', command: 'candidates', ...given });
}

/** One start of the program: what it answers, and whether anything had to be compiled that would be kept. */
function startOnce(code = openCode()): { readonly answer: number; readonly isNew: boolean } {
  const main = loadProgram(program, 'main.js', code, requireNode) as { answer(): number };
  const result = { answer: main.answer(), isNew: code.isNew };
  code.keep(Date.now());
  return result;
}

/** Starts until nothing is added any more. */
function settle(): void {
  for (let start = 0; start < 3; start += 1) startOnce();
  expect(startOnce()).toEqual({ answer: 42, isNew: false });
}

const files = () => readdirSync(directory).sort();

describe('compiled code', () => {
  it('is kept, added to by a few starts, and then used as it is', () => {
    const answers = [1, 2, 3, 4, 5].map(() => startOnce());
    expect(answers.map(({ answer }) => answer)).toEqual([42, 42, 42, 42, 42]);
    expect(answers.map(({ isNew }) => isNew)).toEqual([true, true, true, false, false]);
    expect(files()).toEqual(['candidates.main.js.v1-test.code', 'candidates.part.js.v1-test.code']);
  });

  it('is private', () => {
    startOnce();
    if (process.platform === 'win32') return;
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of files()) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  it('is not used for another source, even one as long', () => {
    settle();
    write('part.js', 'exports.value = () => 57; exports.where = __filename; exports.dir = __dirname;');
    expect(startOnce()).toEqual({ answer: 58, isNew: true });
    expect(startOnce().answer).toBe(58);
  });

  it('is not used by another command or another Node', () => {
    settle();
    expect(openAndLoad(openCode({ command: 'prepare' })).isNew).toBe(true);
    expect(openAndLoad(new KeptCode({ directory, node: 'v2-test', command: 'candidates' })).isNew).toBe(true);
  });

  function openAndLoad(code: KeptCode): KeptCode {
    loadProgram(program, 'main.js', code, requireNode);
    return code;
  }

  it('is compiled anew when a file is damaged anywhere, cut or too long', () => {
    settle();
    const path = join(directory, 'candidates.part.js.v1-test.code');
    const whole = readFileSync(path);
    // Byte 0 only counts how often it was written.
    for (const at of [1, 700, 3000, Math.floor(whole.length / 2), whole.length - 40, whole.length - 1]) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 0x55;
      writeFileSync(path, damaged);
      expect(startOnce(), `byte ${at}`).toEqual({ answer: 42, isNew: true });
    }
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.of(1),
      whole.subarray(0, 100),
      whole.subarray(0, -1),
      Buffer.concat([whole, whole]),
    ]) {
      writeFileSync(path, bytes);
      expect(startOnce(), `${bytes.length} bytes`).toEqual({ answer: 42, isNew: true });
    }
  });

  it('is not read where others could have written it, nor through a link', () => {
    if (process.platform === 'win32') return;
    settle();
    const path = join(directory, 'candidates.part.js.v1-test.code');
    chmodSync(path, 0o622);
    expect(startOnce().isNew).toBe(true);
    settle();
    const elsewhere = join(scratch, 'elsewhere');
    writeFileSync(elsewhere, readFileSync(path), { mode: 0o600 });
    rmSync(path);
    symlinkSync(elsewhere, path);
    expect(startOnce()).toEqual({ answer: 42, isNew: true });
  });

  it('is not written into a directory that others may write', () => {
    if (process.platform === 'win32') return;
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o777);
    startOnce();
    expect(files()).toEqual([]);
  });

  it('costs nothing where it cannot be kept', () => {
    writeFileSync(join(scratch, 'cache'), 'a file in the place of a directory');
    expect(startOnce()).toEqual({ answer: 42, isNew: true });
    expect(startOnce(openCode({ directory: undefined }))).toEqual({ answer: 42, isNew: false });
    expect(existsSync(directory)).toBe(false);
  });

  it('goes when it has not been written for a month; other files stay', () => {
    startOnce();
    const old = join(directory, 'prepare.old-1234.js.v0-test.code');
    const temporary = join(directory, 'prepare.old-1234.js.v0-test.code.0123456789ab.tmp');
    const other = join(directory, 'notes.txt');
    for (const path of [old, temporary, other]) {
      writeFileSync(path, 'x');
      utimesSync(path, 0, 0);
    }
    startOnce();
    expect([old, temporary, other].map((path) => existsSync(path))).toEqual([false, false, true]);
  });
});

describe('a program', () => {
  it('is given its places, and each file is run once', () => {
    write(
      'main.js',
      'globalThis.codeTestRuns = (globalThis.codeTestRuns ?? 0) + 1; const part = require("./part.js"); exports.answer = () => require("./main.js") === exports && part;',
    );
    const main = loadProgram(program, 'main.js', openCode(), requireNode) as {
      answer(): { where: string; dir: string };
    };
    expect(main.answer().where).toBe(join(program, 'part.js'));
    expect(main.answer().dir).toBe(program);
    expect((globalThis as { codeTestRuns?: number }).codeTestRuns).toBe(1);
  });

  it('names the place of a fault as it stands in the file', () => {
    write('main.js', 'exports.answer = () => { throw new Error("oops"); };');
    for (let start = 0; start < 3; start += 1) {
      const code = openCode();
      const main = loadProgram(program, 'main.js', code, requireNode) as { answer(): void };
      let stack = '';
      try {
        main.answer();
      } catch (error) {
        stack = (error as Error).stack!;
      }
      expect(stack).toContain(`${join(program, 'main.js')}:1:32`);
      code.keep(Date.now());
    }
  });
});
