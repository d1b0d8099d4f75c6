/** Text from logs, made safe and visible for people. Data formats never pass through here: JSON escapes them. */
import { lazyPattern } from './lazy-pattern.ts';

// Controls, format characters (direction overrides, joiners, tags), line and paragraph separators, lone
// surrogates, and whatever else a terminal shows as nothing.
const unsafe = lazyPattern(
  String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]`,
  'gu',
);
const PLAIN_ASCII = /^[\x20-\x7e]*$/;
const NAMED: Partial<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const JOINER = '\u200d';
const EMOJI_STYLE = '\ufe0f';
const joinableBefore = lazyPattern(String.raw`\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$`, 'u');
const joinableAfter = lazyPattern(String.raw`^\p{Extended_Pictographic}`, 'u');
const emojiBefore = lazyPattern(String.raw`\p{Extended_Pictographic}$`, 'u');
const lineBreaks = lazyPattern(String.raw`[\p{Cc}\p{Zl}\p{Zp}]+`, 'gu');
const unfitForTsv = lazyPattern(String.raw`[\p{Cc}\p{Cs}]`, 'gu');
const control = lazyPattern(String.raw`\p{Cc}`, 'u');
const loneSurrogate = lazyPattern(String.raw`\p{Cs}`, 'u');

/** One line of printable text: anything invisible or dangerous as a visible escape such as `\u202e`. */
export function printable(text: string): string {
  return PLAIN_ASCII.test(text) ? text : text.replace(unsafe(), showUnlessEmoji);
}

/** As `printable`, with line feeds and tabs kept: for texts that are meant to have several lines. */
export function printableLines(text: string): string {
  return text.replace(unsafe(), (character, at: number, whole: string) =>
    character === '\n' || character === '\t' ? character : showUnlessEmoji(character, at, whole),
  );
}

/** True when `text` can be shown exactly as it is. */
export function isPrintable(text: string): boolean {
  return printable(text) === text;
}

/** True where `text` has a control character, a line break among them. */
export function hasControl(text: string): boolean {
  return control().test(text);
}

/** True where `text` has half of a surrogate pair: UTF-8 cannot spell it. */
export function hasLoneSurrogate(text: string): boolean {
  return loneSurrogate().test(text);
}

/** The same JSON value, spelled so that a terminal can show it: what is unsafe becomes `\uXXXX`. */
export function printableJson(json: string): string {
  return json.replace(unsafe(), (character) => (character === '\n' ? character : jsonEscape(character)));
}

/** Text on one line for a pipe: line breaks and other controls as spaces, the rest as it is. */
export function onOneLine(text: string): string {
  return text.replace(lineBreaks(), ' ');
}

/** `\t`, `\n` and `\u00XX` for controls, `\uXXXX` for what UTF-8 cannot carry: a field of a TSV record. */
export function tsvField(text: string): string {
  return text.replace(unfitForTsv(), (character) =>
    character === '\t' || character === '\n' ? NAMED[character]! : jsonEscape(character),
  );
}

function showUnlessEmoji(character: string, at: number, whole: string): string {
  if (character === JOINER || character === EMOJI_STYLE) {
    const before = whole.slice(Math.max(0, at - 8), at);
    const after = whole.slice(at + 1, at + 3);
    if (isPartOfEmoji(character, before, after)) return character;
  }
  return show(character);
}

function isPartOfEmoji(character: string, before: string, after: string): boolean {
  if (character === JOINER) return joinableBefore().test(before) && joinableAfter().test(after);
  return emojiBefore().test(before) || (/[0-9#*]$/.test(before) && after.startsWith('\u20e3'));
}

function show(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  return character.length === 1 ? jsonEscape(character) : `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

function jsonEscape(character: string): string {
  let escaped = '';
  for (let at = 0; at < character.length; at++) {
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
