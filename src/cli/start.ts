/** Where `bin/dsh-ref.js` enters the whole program. */
import { run } from './main.ts';
import { processIo, settle } from './process.ts';

/** Runs the command line of `process`, sets its exit code, and lets it end. */
export async function start(process: NodeJS.Process): Promise<void> {
  settle(process, await run(process.argv.slice(2), processIo(process, true)));
}
