/** The other end of `look-thread.ts`: a thread that looks at the session directories and logs it is told of. */
import { type Stats, statSync } from 'node:fs';
import { sep } from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { Looked, LookRequest } from './look-thread.ts';
import { REVISION_NUMBERS } from './revision.ts';

const port = parentPort!;

port.on('message', ({ number, rowCount, names }: LookRequest) => {
  const numbers = new Float64Array(rowCount * 2 * REVISION_NUMBERS).fill(Number.NaN);
  let at = 0;
  let directory: string | undefined;
  const each = names.split('\0');
  for (let next = 0; next < each.length; next += 1) {
    const name = each[next]!;
    if (name === '') directory = undefined;
    else if (directory === undefined) directory = name;
    else {
      next += 1;
      const path = directory + sep + name;
      write(numbers, at, lookAt(path));
      write(numbers, at + REVISION_NUMBERS, lookAt(path + sep + each[next]!));
      at += 2 * REVISION_NUMBERS;
    }
  }
  port.postMessage({ number, numbers } satisfies Looked, [numbers.buffer]);
});

function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // The thread that asked looks for itself at whatever is not as it was.
    return undefined;
  }
}

function write(numbers: Float64Array, at: number, stat: Stats | undefined): void {
  if (stat === undefined) return;
  numbers[at] = stat.dev;
  numbers[at + 1] = stat.ino;
  numbers[at + 2] = stat.size;
  numbers[at + 3] = stat.mtimeMs;
  numbers[at + 4] = stat.ctimeMs;
}
