/** The other end of `look-thread.ts`: a thread that looks at the session directories and logs it is told of. */
import { sep } from 'node:path';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { ROW_NUMBERS } from './index-row.ts';
import { LISTING, type LookSet, NEXT_PART } from './look-thread.ts';
import { isRevisionIn, REVISION_NUMBERS, statAt } from './revision.ts';

/** Paths of the session directory and the log of each row, in turn. */
function pathsOf({ names }: LookSet): string[] {
  const paths: string[] = [];
  let directory: string | undefined;
  const each = names.split('\0');
  for (let next = 0; next < each.length; next += 1) {
    const name = each[next]!;
    if (name === '') directory = undefined;
    else if (directory === undefined) directory = name;
    else {
      next += 1;
      const path = directory + sep + name;
      paths.push(path, path + sep + each[next]!);
    }
  }
  return paths;
}

function isAsKnown(path: string, table: Float64Array, at: number): boolean {
  const stat = statAt(path);
  return stat !== undefined && isRevisionIn(table, at, stat);
}

/** Takes parts of the listing `listing` as long as there are any. */
function lookAtParts(
  { control, table, sameIn, starts }: LookSet,
  paths: readonly string[],
  listing: number,
): void {
  for (;;) {
    const part = Atomics.add(control, NEXT_PART, 1);
    const end = starts[part + 1];
    if (end === undefined) return;
    for (let row = starts[part]!; row < end; row += 1) {
      const at = row * ROW_NUMBERS;
      const isSame =
        isAsKnown(paths[2 * row]!, table, at) && isAsKnown(paths[2 * row + 1]!, table, at + REVISION_NUMBERS);
      if (isSame) Atomics.store(sameIn, row, listing);
    }
  }
}

const port = parentPort!;
const control = workerData as Int32Array;
let listing = 0;
let set: LookSet | undefined;
let paths: string[] = [];
// For ever: the thread is ended from outside.
for (;;) {
  Atomics.wait(control, LISTING, listing);
  // Before anything is taken: a part that is looked at for a listing that is over counts for that one only.
  listing = Atomics.load(control, LISTING);
  for (let told = receiveMessageOnPort(port); told !== undefined; told = receiveMessageOnPort(port)) {
    set = told.message as LookSet;
    paths = pathsOf(set);
  }
  if (set !== undefined) lookAtParts(set, paths, listing);
}
