/** JSON that cannot spell a tag, and the size of a text inside it (contract 4.4; retention document, section C). */

/**
 * Compact `JSON.stringify` of a JSON value (object, array, string, number, boolean or null) with every `<`
 * written `\u003c`. Parsing gives the same value back, and no data can open or close a tag.
 */
export function tagSafeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** UTF-8 bytes of `tagSafeJson(text)` without its two quotes; builds nothing. */
export function tagSafeTextBytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += ASCII_BYTES[unit]!;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else if (unit < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1))) {
      bytes += 4;
      at++;
    } else bytes += ESCAPED_UNIT_BYTES;
  }
  return bytes;
}

/** Bytes of `\uXXXX`, the spelling of a lone surrogate, of `<` and of controls without a short form. */
const ESCAPED_UNIT_BYTES = 6;

const ASCII_BYTES = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  if (unit === 0x3c || unit < 0x20) return '\b\t\n\f\r'.includes(String.fromCharCode(unit)) ? 2 : 6;
  return unit === 0x22 || unit === 0x5c ? 2 : 1;
});

/** False for `NaN`, which `charCodeAt` gives behind the end. */
function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
