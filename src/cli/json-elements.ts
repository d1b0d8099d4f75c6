/** The elements of a JSON array as they are spelled, so that what is only passed on stays the very same text. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** White space, a bracket, a comma or colon, or a run of a number or word; strings are found apart. */
const TOKEN = /[\t\n\r ]+|[[\]{},:]|[^\t\n\r "[\]{},:]+/y;

/** The texts of the elements of `json`, an array that is known to be valid, without white space between tokens. */
export function elementTexts(json: string): string[] {
  const elements: string[] = [];
  let tokens: string[] = [];
  let depth = 0;
  const end = (): void => {
    if (tokens.length > 0) elements.push(tokens.join(''));
    tokens = [];
  };
  for (let at = 0; at < json.length; ) {
    const token = tokenAt(json, at);
    at += token.length;
    if (/^[\t\n\r ]/.test(token)) continue;
    if (token === ']' || token === '}') depth -= 1;
    if (depth === 0) end();
    else if (depth === 1 && token === ',') end();
    else tokens.push(token);
    if (token === '[' || token === '{') depth += 1;
  }
  return elements;
}

function tokenAt(json: string, at: number): string {
  if (json.charCodeAt(at) === QUOTE) return json.slice(at, endOfString(json, at));
  TOKEN.lastIndex = at;
  return TOKEN.exec(json)![0];
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    if (unit === BACKSLASH) at += 1;
  }
}
