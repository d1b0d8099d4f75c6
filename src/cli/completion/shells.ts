/** The shells, and the words of a command line as each of them spells them. Nothing of a line is ever evaluated. */

import { isPrintable } from '../output/printable.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** Surroundings that words on a command line refer to. */
export interface WordPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homedir: () => string;
}

export interface TypedWord {
  /** What the program would be given. */
  readonly text: string;
  /** The quote that is still open at its end. */
  readonly quote: '' | "'" | '"';
}

const TILDE = /^~(?=\/|$)/;
const VARIABLE = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/;

/** A word as it was typed, with quotes, backslashes, `~` and `$NAME` resolved; command substitutions stay as text. */
export function readTypedWord(typed: string, places: WordPlaces): TypedWord {
  let rest = typed;
  let text = '';
  let quote: TypedWord['quote'] = '';
  if (TILDE.test(rest)) {
    text = places.homedir();
    rest = rest.slice(1);
  }
  while (rest !== '') {
    const first = rest.charAt(0);
    const variable = quote === "'" ? null : VARIABLE.exec(rest);
    if (variable !== null) {
      text += places.env[(variable[1] ?? variable[2])!] ?? '';
      rest = rest.slice(variable[0].length);
    } else if (isEscape(rest, quote)) {
      text += rest.charAt(1);
      rest = rest.slice(2);
    } else {
      if (first === quote) quote = '';
      else if (quote === '' && (first === "'" || first === '"')) quote = first;
      else text += first;
      rest = rest.slice(1);
    }
  }
  return { text, quote };
}

function isEscape(rest: string, quote: TypedWord['quote']): boolean {
  if (!rest.startsWith('\\') || quote === "'") return false;
  return quote === '' || /^\\["\\$`]/.test(rest);
}

/** A word that the shell has already freed from its quotes, but not more. */
export function readPlainWord(word: string, { env, homedir }: WordPlaces): string {
  return word
    .replace(TILDE, () => homedir())
    .replace(/\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g, (_, name, braced) => env[name ?? braced] ?? '');
}

const INERT = /^[A-Za-z0-9_./:+-]+$/;

/** True when `id` may be typed for a session, and means this one: no shell, and no part of ours, reads it otherwise. */
export function isTypable(id: string): boolean {
  return isPrintable(id) && id.trim() === id && id !== '' && !/^(?:-|@\[|dsh-session:)/.test(id);
}

/** `text` as it has to be inserted after what is typed; nothing where its place cannot carry it. */
export function insertable(text: string, shell: Shell, quote: TypedWord['quote']): string | undefined {
  if (INERT.test(text)) return text;
  switch (shell) {
    case 'bash':
      if (quote === '') return text.replace(/[^A-Za-z0-9_./:+\-\u0080-\u{10ffff}]/gu, '\\$&');
      return /['"\\$`!]/.test(text) ? undefined : text;
    case 'zsh':
    case 'fish':
      // Both of them quote what they insert.
      return text;
    case 'powershell':
      // Its typographic quotes are quotes, and its older versions lose double ones.
      return /["'\u2018-\u201f\\$`]/.test(text) ? undefined : `'${text}'`;
  }
}
