/** One row of the list: title · where · when, in columns that do not move while the list does. */

import { homePath, marksOf } from '../output/candidate-words.ts';
import { printable } from '../output/printable.ts';
import { relativeTime } from '../output/time.ts';
import { padEnd, truncateEnd, truncateStart } from '../output/width.ts';
import type { Choice } from './choices.ts';

/** What times and places are told against. */
export interface Viewer {
  readonly nowMs: number;
  /** The home directory, for `~`. */
  readonly home: string;
}

const GAP = '  ';
/** The widest times: `59 min ago` and a date. */
const WHEN_WIDTH = 10;
/** Below these columns first the place goes, then the time. */
const MIN_COLUMNS_WITH_PLACE = 60;
const MIN_COLUMNS_WITH_TIME = 32;
/** No terminal shows more of one title or path. */
const MAX_CELL_LENGTH = 1000;

/** The row of `choice`, exactly `width` columns wide. Text from logs is cleaned before it is cut. */
export function rowText(choice: Choice, width: number, viewer: Viewer): string {
  const when = width >= MIN_COLUMNS_WITH_TIME ? WHEN_WIDTH : 0;
  const where = width >= MIN_COLUMNS_WITH_PLACE ? Math.floor(width * 0.3) : 0;
  const gaps = (when > 0 ? GAP.length : 0) + (where > 0 ? GAP.length : 0);
  const titleWidth = Math.max(0, width - when - where - gaps);
  const title = truncateEnd(
    marksOf(choice.candidate, choice.origin) + clean(choice.candidate.displayTitle),
    titleWidth,
  );
  const cells = [padEnd(title, titleWidth)];
  if (where > 0) cells.push(padEnd(truncateStart(placeOf(choice, viewer), where), where));
  if (when > 0) cells.push(padEnd(relativeTime(choice.candidate.createdAt, viewer.nowMs), when));
  return cells.join(GAP);
}

function clean(text: string): string {
  return printable(text.slice(0, MAX_CELL_LENGTH));
}

function placeOf({ candidate: { cwd, sameWorkspace } }: Choice, { home }: Viewer): string {
  if (sameWorkspace) return 'here';
  if (cwd === undefined) return '-';
  return printable(homePath(cwd, home).slice(-MAX_CELL_LENGTH));
}
