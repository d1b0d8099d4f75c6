/** The list of candidates for people: aligned columns that fit the width of the terminal. */

import type { Candidate, CandidateList } from '../../store.ts';
import type { Io } from '../io.ts';
import { homePath, marksOf } from './candidate-words.ts';
import type { Palette } from './colour.ts';
import { isPrintable, printable } from './printable.ts';
import { relativeTime } from './time.ts';
import { displayWidth, padEnd, terminalWidth, truncateEnd, truncateStart } from './width.ts';

const GAP = '  ';
const MIN_TITLE_WIDTH = 16;
const MIN_ID_LENGTH = 12;
/** Ids up to this length are never cut: a cut one might be another session's whole id. */
const LONGEST_WHOLE_ID = 20;
/** Characters beyond what tells the shown ids apart: sessions that are not shown may begin alike. */
const SPARE_ID_LENGTH = 4;
/** Stands in for an id that no terminal can show. */
const ODD_ID = '(see --json)';

interface Row {
  readonly title: string;
  readonly when: string;
  readonly where: string;
  readonly id: string;
  readonly candidate?: Candidate;
}

type Column = 'title' | 'when' | 'where' | 'id';
type Widths = Readonly<Record<Column, number>>;

/** The table, with a heading; nothing at all for an empty list. Text from logs is cleaned before it is cut. */
export function candidateTable(list: CandidateList, io: Io, palette: Palette): string {
  if (list.candidates.length === 0) return '';
  const idLength = shortIdLength(list.candidates.map(({ sessionId }) => sessionId));
  const rows = list.candidates.map((candidate, at): Row => {
    return {
      title: marksOf(candidate, list.origins[at]) + printable(candidate.displayTitle),
      when: relativeTime(candidate.createdAt, io.now()),
      where: place(candidate, io),
      id: shortId(candidate.sessionId, idLength),
      candidate,
    };
  });
  const heading: Row = { title: 'TITLE', when: 'WHEN', where: 'WHERE', id: 'ID' };
  const widths = columnWidths([heading, ...rows], terminalWidth(io.stdout, io.env));
  const lines = [renderRow(heading, widths, palette)];
  rows.forEach((row, at) => {
    const group = groupOf(row, rows[at - 1]);
    if (group !== undefined) lines.push(palette.faint(group));
    lines.push(renderRow(row, widths, palette));
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** Words above the first row of a group; a list without any session of this workspace needs none. */
function groupOf(row: Row, before: Row | undefined): string | undefined {
  const isHere = row.candidate?.sameWorkspace === true;
  if (before === undefined) return isHere ? 'this workspace' : undefined;
  return !isHere && before.candidate?.sameWorkspace === true ? 'elsewhere' : undefined;
}

function place({ cwd, sameWorkspace }: Candidate, io: Io): string {
  // The words above the group say it.
  if (sameWorkspace) return '';
  return cwd === undefined ? '-' : printable(homePath(cwd, io.homedir()));
}

/** How much of an id is shown: enough to tell the shown ones apart, and to be typed back. */
function shortIdLength(ids: readonly string[]): number {
  const sorted = [...ids].sort();
  let shared = 0;
  for (let at = 1; at < sorted.length; at++) {
    shared = Math.max(shared, sharedLength(sorted[at - 1]!, sorted[at]!));
  }
  return Math.max(MIN_ID_LENGTH, shared + 1 + SPARE_ID_LENGTH);
}

function sharedLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function shortId(id: string, length: number): string {
  const short = id.length <= Math.max(LONGEST_WHOLE_ID, length) ? id : id.slice(0, length);
  return isPrintable(short) ? short : ODD_ID;
}

/** The id is never cut; the place goes first where room is short, then the time; the title takes what is left. */
function columnWidths(rows: readonly Row[], width: number): Widths {
  const widest = (column: Column): number =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[column])), 0);
  const id = widest('id');
  const title = widest('title');
  const when = widest('when');
  const where = Math.min(widest('where'), Math.floor(width * 0.35));
  const withAll = width - id - when - where - 3 * GAP.length;
  if (withAll >= Math.min(title, MIN_TITLE_WIDTH))
    return { title: Math.min(title, withAll), when, where, id };
  const withoutPlace = width - id - when - 2 * GAP.length;
  if (withoutPlace >= Math.min(title, MIN_TITLE_WIDTH)) {
    return { title: Math.min(title, withoutPlace), when, where: 0, id };
  }
  return { title: Math.max(0, Math.min(title, width - id - GAP.length)), when: 0, where: 0, id };
}

function renderRow(row: Row, widths: Widths, palette: Palette): string {
  const cells: string[] = [];
  const add = (
    column: Column,
    cut: (text: string, width: number) => string,
    style: (text: string) => string,
  ): void => {
    if (widths[column] > 0) cells.push(style(padEnd(cut(row[column], widths[column]), widths[column])));
  };
  const { candidate } = row;
  const isHeading = candidate === undefined;
  const plain = (text: string): string => text;
  const faint = isHeading ? palette.heading : palette.faint;
  const title = candidate?.unreadable === undefined ? plain : palette.fault;
  add('title', truncateEnd, isHeading ? palette.heading : title);
  add('when', truncateEnd, faint);
  add('where', truncateStart, candidate?.sameWorkspace ? palette.here : faint);
  // Last, so that nothing pads it.
  cells.push(faint(row.id));
  return cells.join(GAP);
}
