/**
 * Examples in Markdown that are run: blocks marked `console`. A line that begins with `$ ` is a command, and goes on
 * in the next line where it ends in a backslash; the lines up to the next command are its standard output, in which
 * `…` alone on a line stands for any lines.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ConsoleExample {
  /** Line of the command in its file, from 1. */
  readonly line: number;
  readonly command: string;
  readonly expected: readonly string[];
}

const ANY_LINES = '…';
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;

/** The examples of a Markdown text. Throws for a block with output before its first command, or one left open. */
export function parseConsoleExamples(markdown: string): ConsoleExample[] {
  return consoleBlocks(markdown.split(/\r?\n/)).flatMap(parseBlock);
}

interface Block {
  /** Line of its first text, from 1. */
  readonly line: number;
  readonly texts: readonly string[];
}

function consoleBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const opening = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/.exec(lines[at]!);
    if (opening === null) continue;
    const end = lines.findIndex((text, index) => index > at && isClosing(text, opening[1]!));
    if (end === -1) throw new Error(`line ${at + 1}: the block is left open`);
    if (opening[2] === 'console') blocks.push({ line: at + 2, texts: lines.slice(at + 1, end) });
    at = end;
  }
  return blocks;
}

function parseBlock({ line, texts }: Block): ConsoleExample[] {
  const examples: { line: number; command: string; expected: string[] }[] = [];
  for (let at = 0; at < texts.length; at++) {
    if (!texts[at]!.startsWith('$ ')) {
      const current = examples.at(-1);
      if (current === undefined) throw new Error(`line ${line + at}: output before the first command`);
      current.expected.push(texts[at]!);
      continue;
    }
    const from = at;
    while (texts[at]!.endsWith('\\')) {
      at += 1;
      if (at === texts.length) throw new Error(`line ${line + from}: the command goes on behind the block`);
    }
    const command = texts
      .slice(from, at + 1)
      .join('\n')
      .slice(2);
    examples.push({ line: line + from, command, expected: [] });
  }
  return examples;
}

function isClosing(text: string, fence: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(text)?.[1];
  return closing?.startsWith(fence) === true;
}

/** True when `output` is what `expected` says, one UUID like any other. */
export function matchesOutput(output: string, expected: readonly string[]): boolean {
  const lines = output === '' ? [] : output.replace(/\n$/, '').split('\n');
  return matchLines(lines.map(withoutUuids), expected.map(withoutUuids));
}

function withoutUuids(line: string): string {
  return line.replaceAll(UUID, '<uuid>');
}

/** The pieces between `…` in order: the first at the start, the last at the end, each other at its first place. */
function matchLines(lines: readonly string[], expected: readonly string[]): boolean {
  const first = expected.indexOf(ANY_LINES);
  if (first === -1) return lines.length === expected.length && startsWith(lines, expected);
  if (!startsWith(lines, expected.slice(0, first))) return false;
  const last = expected.lastIndexOf(ANY_LINES);
  const tail = expected.slice(last + 1);
  const rest = lines.slice(first);
  if (rest.length < tail.length || !startsWith(rest.slice(rest.length - tail.length), tail)) return false;
  return containsInOrder(rest.slice(0, rest.length - tail.length), expected.slice(first + 1, last + 1));
}

function containsInOrder(lines: readonly string[], pieces: readonly string[]): boolean {
  let from = 0;
  let piece: string[] = [];
  for (const text of pieces) {
    if (text !== ANY_LINES) {
      piece.push(text);
      continue;
    }
    while (!startsWith(lines.slice(from), piece)) {
      if (from >= lines.length) return false;
      from += 1;
    }
    from += piece.length;
    piece = [];
  }
  return true;
}

function startsWith(lines: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((text, at) => lines[at] === text);
}

export interface ConsoleOptions {
  readonly cwd: string;
  /** An empty folder: home of the commands, and place of the program `dsh-ref`. */
  readonly home: string;
  /** The script that Node runs as `dsh-ref`. */
  readonly program: string;
}

/** Makes `dsh-ref` a command in `home`; runs examples with nothing of the caller's environment but the path. */
export function openConsole({ cwd, home, program }: ConsoleOptions): (example: ConsoleExample) => void {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  const shim = join(bin, 'dsh-ref');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(shim, 0o755);
  const env = { HOME: home, PATH: `${bin}:${process.env.PATH}`, LANG: 'C.UTF-8', TZ: 'UTC', NO_COLOR: '1' };
  return ({ line, command, expected }) => {
    const options = { cwd, env, encoding: 'utf8', timeout: 60_000 } as const;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', command], options);
    if (status === 0 && matchesOutput(stdout, expected)) return;
    throw new Error(
      `line ${line}: $ ${command}\nstatus ${status}, standard error:\n${stderr}\nstandard output:\n${stdout}\n` +
        `expected:\n${expected.join('\n')}`,
    );
  };
}
