import { displayWidth, truncateEnd } from '../output/width.ts';

/** Columns that a tab is shown as. */
const TAB = '  ';

/**
 * Printable `text` as lines of at most `width` columns: broken between words, and inside a word that is wider than
 * a line. At most `maxLines`; where that is not all, the last one ends in an ellipsis. Blank lines are left out.
 */
export function wrapText(text: string, width: number, maxLines: number): string[] {
  if (width < 1 || maxLines < 1) return [];
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    for (const line of wrapParagraph(paragraph.replaceAll('\t', TAB).trimEnd(), width)) {
      if (lines.length === maxLines) {
        lines.push(truncateEnd(`${lines.pop()!.trimEnd()} …`, width));
        return lines;
      }
      lines.push(line);
    }
  }
  return lines;
}

function* wrapParagraph(paragraph: string, width: number): Generator<string> {
  let line = '';
  let used = 0;
  for (const piece of piecesOf(paragraph, width)) {
    const pieceWidth = displayWidth(piece);
    if (used > 0 && used + pieceWidth > width) {
      if (line.trim() !== '') yield line.trimEnd();
      line = '';
      used = 0;
      // The spaces between two words are the line break.
      if (piece.trim() === '') continue;
    }
    line += piece;
    used += pieceWidth;
  }
  if (line.trim() !== '') yield line;
}

/** Words and the spaces between them; a word that fits no line character by character. */
function* piecesOf(paragraph: string, width: number): Generator<string> {
  for (const [piece] of paragraph.matchAll(/\s+|\S+/gu)) {
    if (displayWidth(piece) <= width) yield piece;
    else for (const { segment } of new Intl.Segmenter('en').segment(piece)) yield segment;
  }
}
