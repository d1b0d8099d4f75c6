/** The whole screen as lines: query and counter, the list, the preview, the keys. Pure. */

import type { Palette } from '../output/colour.ts';
import { printable } from '../output/printable.ts';
import { displayWidth, truncateEnd, truncateStart } from '../output/width.ts';
import { type Preview, type PreviewLine, previewLines } from './preview.ts';
import { rowText, type Viewer } from './rows.ts';
import { type PickState, selectedOf } from './state.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface View {
  readonly state: PickState;
  readonly preview: Preview;
  /** How many sessions there are to choose from. */
  readonly choiceCount: number;
  readonly viewer: Viewer;
}

/** How things look; `selected` marks the selected row. */
export interface Style extends Palette {
  readonly selected: (text: string) => string;
}

export interface Frame {
  /** From the top; none wider than the screen, and no more than it has rows. */
  readonly lines: readonly string[];
  /** Where the next letter of the query goes, in columns from 0 on the first line. */
  readonly cursorColumn: number;
}

/** How many rows each part of the screen gets. */
export interface Parts {
  readonly listRows: number;
  readonly previewRows: number;
}

const PROMPT = 'pick> ';
const SELECTED = '> ';
const OTHERS = '  ';
const KEYS = 'Enter chooses · Esc leaves · ↑ ↓ PgUp PgDn move · Ctrl-U clears';
/** With fewer rows there is only the list. */
const MIN_ROWS_WITH_PREVIEW = 12;
/** The rows of the query, the rule above the preview, and the keys. */
const FIXED_ROWS = 3;
const MIN_LIST_ROWS = 3;

/** Splits the rows of a screen. It depends on all there is to choose from, so that typing moves no part. */
export function partsOf({ rows }: Size, choiceCount: number): Parts {
  if (rows < MIN_ROWS_WITH_PREVIEW) return { listRows: Math.max(0, rows - 1), previewRows: 0 };
  const free = rows - FIXED_ROWS;
  const listRows = Math.min(Math.ceil(free / 2), Math.max(MIN_LIST_ROWS, choiceCount));
  return { listRows, previewRows: free - listRows };
}

/** Draws `view` on a screen of `size`. */
export function frameOf(view: View, size: Size, style: Style): Frame {
  const { listRows, previewRows } = partsOf(size, view.choiceCount);
  const query = queryLine(view, size.columns, style);
  const lines = [query.text, ...listLines(view, { columns: size.columns, rows: listRows }, style)];
  if (previewRows > 0) {
    lines.push(ruleLine(view.state, size.columns, style));
    lines.push(...previewPart(view.preview, { columns: size.columns, rows: previewRows }, style));
    lines.push(style.faint(truncateEnd(KEYS, size.columns)));
  }
  return { lines, cursorColumn: query.cursorColumn };
}

/** Prompt, the end of the query, and at the right how many of how many match. */
function queryLine(
  { state, choiceCount }: View,
  columns: number,
  style: Style,
): { text: string; cursorColumn: number } {
  const counter = `${state.found.total}/${choiceCount}`;
  const prompt = truncateEnd(PROMPT, Math.max(0, columns - 2));
  const withCounter = columns - prompt.length - counter.length - 2;
  const room = Math.max(1, withCounter >= 8 ? withCounter : columns - prompt.length - 1);
  const query = truncateStart(printable(state.query), room);
  const cursorColumn = prompt.length + displayWidth(query);
  const text = style.heading(prompt) + query;
  if (withCounter < 8) return { text, cursorColumn };
  return {
    text: text + ' '.repeat(columns - cursorColumn - counter.length) + style.faint(counter),
    cursorColumn,
  };
}

/** Exactly `rows` lines; the selected one in the middle where the list is longer. */
function listLines({ state, viewer }: View, { columns, rows }: Size, style: Style): string[] {
  const { choices } = state.found;
  const first = Math.max(0, Math.min(state.at - Math.floor(rows / 2), choices.length - rows));
  const lines = choices.slice(first, first + rows).map((choice, at) => {
    const isSelected = first + at === state.at;
    const text = rowText(choice, Math.max(0, columns - SELECTED.length), viewer);
    if (isSelected) return style.selected(truncateEnd(SELECTED + text, columns));
    const line = truncateEnd(OTHERS + text, columns);
    return choice.candidate.unreadable === undefined ? line : style.fault(line);
  });
  if (choices.length === 0 && rows > 0) lines.push(style.faint(truncateEnd('  no session matches', columns)));
  return fill(lines, rows);
}

/** Above the preview: whose it is. */
function ruleLine(state: PickState, columns: number, style: Style): string {
  const choice = selectedOf(state);
  const name = choice === undefined ? '' : ` ${printable(choice.candidate.sessionId.slice(0, columns))} `;
  const text = truncateEnd(`──${name}`, columns);
  return style.faint(text + '─'.repeat(Math.max(0, columns - displayWidth(text))));
}

function previewPart(preview: Preview, { columns, rows }: Size, style: Style): string[] {
  const styled = ({ text, headLength, isFault }: PreviewLine): string => {
    if (isFault === true) return style.fault(text);
    return headLength === 0 ? text : style.heading(text.slice(0, headLength)) + text.slice(headLength);
  };
  return fill(previewLines(preview, columns, rows).map(styled), rows);
}

function fill(lines: string[], rows: number): string[] {
  while (lines.length < rows) lines.push('');
  return lines;
}
