/**
 * Answers that need no more than a moment: `uri …`, `--version` and help, in a bundle of their own that loads nothing
 * else. Whatever is not plainly such a line, or would be an error, is left to the whole program, which says the same.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeUris, encodeUris } from './commands/uri.ts';
import { VERSION } from './version.ts';

type HelpTexts = Readonly<Record<string, string>>;

export interface QuickOptions {
  /** Whether standard output is one; asked only where it matters, since finding out takes a while. */
  readonly isTerminal: () => boolean;
  /** Help by the name of the command. */
  readonly helpTexts?: () => HelpTexts;
}

/** Standard output of `argv` (without node and script), or nothing where the whole program has to look at it. */
export function quickAnswer(
  argv: readonly string[],
  { isTerminal, helpTexts = builtHelpTexts }: QuickOptions,
): string | undefined {
  if (argv.length === 1 && argv[0] === '--version') return `${VERSION}\n`;
  const helpOf = commandOfHelp(argv);
  if (helpOf !== undefined) {
    const texts = isTerminal() ? {} : helpTexts();
    return Object.hasOwn(texts, helpOf) ? texts[helpOf] : undefined;
  }
  const [name, verb, ...rest] = argv;
  if (name !== 'uri' || rest.length === 0) return undefined;
  const operands = rest[0] === '--' ? rest.slice(1) : rest;
  if (operands.length === 0 || (rest[0] !== '--' && rest.some(looksLikeOption))) return undefined;
  return verb === 'encode' ? encodeUris(operands) : verb === 'decode' ? decodePlain(operands) : undefined;
}

/** What is asked about, '' for the program itself; nothing for anything but a plain question for help. */
function commandOfHelp([first, second, ...rest]: readonly string[]): string | undefined {
  if (first === undefined || rest.length > 0) return undefined;
  if (first === '--help' || first === '-h') return second === undefined ? '' : undefined;
  if (first === 'help') return second ?? '';
  return second === '--help' || second === '-h' ? first : undefined;
}

/** The texts beside the bundle, as they are printed where no terminal says how wide it is. */
function builtHelpTexts(): HelpTexts {
  return JSON.parse(readFileSync(join(__dirname, HELP_FILE), 'utf8'));
}

/** Made by the build, from what the program prints. */
const HELP_FILE = 'help.json';

function looksLikeOption(argument: string): boolean {
  return argument.length > 1 && argument.startsWith('-');
}

/** Ids of printable ASCII are the same on a terminal and in a pipe; others are for the whole program. */
function decodePlain(uris: readonly string[]): string | undefined {
  try {
    const text = decodeUris(uris, {}, PIPE);
    return /^[\x20-\x7e\n]*$/.test(text) ? text : undefined;
  } catch {
    // An error has words and an exit code: the whole program gives them.
    return undefined;
  }
}

const PIPE = { isTTY: false } as const;
