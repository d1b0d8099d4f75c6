/** The other end of `look-thread.ts`: a thread that looks at the session directories and logs it is told of. */
import { sep } from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { Looked, LookRequest } from './look-thread.ts';
import { REVISION_NUMBERS, revisionAt, revisionNumbers } from './revision.ts';

const port = parentPort!;

port.on('message', ({ number, rowCount, names }: LookRequest) => {
  const numbers = new Float64Array(rowCount * 2 * REVISION_NUMBERS);
  let at = 0;
  const look = (path: string): void => {
    numbers.set(revisionNumbers(revisionAt(path)), at);
    at += REVISION_NUMBERS;
  };
  let directory: string | undefined;
  const each = names.split('\0');
  for (let next = 0; next < each.length; next += 1) {
    const name = each[next]!;
    if (name === '') directory = undefined;
    else if (directory === undefined) directory = name;
    else {
      next += 1;
      const path = directory + sep + name;
      look(path);
      look(path + sep + each[next]!);
    }
  }
  port.postMessage({ number, numbers } satisfies Looked, [numbers.buffer]);
});
