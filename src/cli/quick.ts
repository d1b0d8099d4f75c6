/**
 * Answers that need no more than a moment: `uri …` and `--version`, in a bundle of their own that loads nothing else.
 * Whatever is not plainly such a line, or would be an error, is left to the whole program, which says the same.
 */
import { decodeUris, encodeUris } from './commands/uri.ts';
import { VERSION } from './version.ts';

/** Standard output of `argv` (without node and script), or nothing where the whole program has to look at it. */
export function quickAnswer(argv: readonly string[]): string | undefined {
  if (argv.length === 1 && argv[0] === '--version') return `${VERSION}\n`;
  const [name, verb, ...rest] = argv;
  if (name !== 'uri' || rest.length === 0) return undefined;
  const operands = rest[0] === '--' ? rest.slice(1) : rest;
  if (operands.length === 0 || (rest[0] !== '--' && rest.some(looksLikeOption))) return undefined;
  return verb === 'encode' ? encodeUris(operands) : verb === 'decode' ? decodePlain(operands) : undefined;
}

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
