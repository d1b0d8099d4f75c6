/** How many columns a text takes on a terminal, and cutting or padding it to a number of columns. */

const ELLIPSIS = '…';
const PLAIN_ASCII = /^[\x20-\x7e]*$/;
const EMOJI =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[0-9#*]\ufe0f\u20e3|\p{Regional_Indicator}{2})/u;
const ZERO_WIDTH = /^[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff]$/u;

/** First and last code point of the runs that Unicode calls wide or fullwidth, emoji aside. */
const WIDE_RANGES: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

const DEFAULT_COLUMNS = 80;

/** Columns of a terminal: its own word, else `COLUMNS`, else 80. */
export function terminalWidth(
  { columns }: { readonly columns?: number | undefined },
  env: Readonly<Record<string, string | undefined>>,
): number {
  const fromEnv = Number(env.COLUMNS);
  const width = columns ?? (Number.isSafeInteger(fromEnv) ? fromEnv : 0);
  return width > 0 ? width : DEFAULT_COLUMNS;
}

let segmenter: Intl.Segmenter | undefined;

/** Columns of one line of printable text. */
export function displayWidth(text: string): number {
  if (PLAIN_ASCII.test(text)) return text.length;
  let width = 0;
  for (const cluster of clusters(text)) width += clusterWidth(cluster);
  return width;
}

/** `text` in at most `width` columns, cut at the end between whole clusters. */
export function truncateEnd(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1 ? '' : takeClusters(clusters(text), width - 1).join('') + ELLIPSIS;
}

/** `text` in at most `width` columns, cut at the start: what stands last in a path says most. */
export function truncateStart(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1
    ? ''
    : ELLIPSIS +
        takeClusters(clusters(text).reverse(), width - 1)
          .reverse()
          .join('');
}

/** `text` followed by spaces up to `width` columns. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function takeClusters(all: readonly string[], width: number): string[] {
  const taken: string[] = [];
  let used = 0;
  for (const cluster of all) {
    used += clusterWidth(cluster);
    if (used > width) break;
    taken.push(cluster);
  }
  return taken;
}

function clusters(text: string): string[] {
  if (PLAIN_ASCII.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function clusterWidth(cluster: string): number {
  if (EMOJI.test(cluster)) return 2;
  let width = 0;
  for (const character of cluster) {
    if (ZERO_WIDTH.test(character)) continue;
    width += isWide(character.codePointAt(0)!) ? 2 : 1;
  }
  return width;
}

function isWide(codePoint: number): boolean {
  if (codePoint < 0x1100) return false;
  return WIDE_RANGES.some(([first, last]) => codePoint >= first && codePoint <= last);
}
