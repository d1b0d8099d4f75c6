// A process that stays: `resident.mjs LIBRARY ROOT NAME RUNS GROWTH` lists again and again, in turn with the walk, both
// under the same conditions. GROWTH is a file of frames, one a line in hexadecimal; each is appended to one log before a
// listing. Prints times: pairs of lists, the listing's and the baseline's.
import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { countLines, createDecoder } from './decode.mjs';

/** Longer than a tick of the file system's clock: what is younger is read anew each time. */
const PAUSE_MS = 150;
/** In code that is not warm the first ones take several times as long. */
const WARM_UP = 10;

const { walk } = createRequire(import.meta.url)('./walk.cjs');
const [library, root, name, runsGiven, growth] = process.argv.slice(2);
const { openSessionStore } = await import(pathToFileURL(library).href);
const runs = Number(runsGiven);
const store = openSessionStore({ roots: [root] });
const list = () => store.listCandidates({ query: 'zz no title has this' });
const pause = () => new Promise((done) => setTimeout(done, PAUSE_MS));

async function time(list, work) {
  const start = performance.now();
  await work();
  list.push(performance.now() - start);
}

/** Times of both, in turn; `rest` comes before each of them, `prepare` before each pair. */
async function inTurn(count, { subject, baseline, rest = () => undefined, prepare = () => undefined }) {
  const times = [[], []];
  for (let run = 0; run < count; run += 1) {
    prepare(run);
    await rest();
    await time(times[0], subject);
    await rest();
    await time(times[1], baseline);
  }
  return times;
}

await list();
// Rows are kept once they are old enough.
await pause();
await pause();
const both = { subject: list, baseline: () => walk(root, name) };
await inTurn(WARM_UP, both);
const twice = await inTurn(runs, { ...both, subject: () => walk(root, name, true) });
const again = await inTurn(runs, both);
const paused = await inTurn(runs, { ...both, rest: pause });

const decoder = await createDecoder();
const frames = readFileSync(growth, 'utf8')
  .trim()
  .split('\n')
  .map((line) => Buffer.from(line, 'hex'));
const project = readdirSync(root)[0];
const log = join(root, project, readdirSync(join(root, project))[0], name);
const sizeBefore = statSync(log).size;
let frame;
const grown = await inTurn(Math.min(runs, frames.length), {
  prepare: (run) => {
    frame = frames[run];
    appendFileSync(log, frame);
  },
  rest: pause,
  subject: list,
  baseline: () => {
    walk(root, name);
    countLines(decoder, frame);
  },
});
// The root is as it was.
truncateSync(log, sizeBefore);
await store.close();
process.stdout.write(JSON.stringify({ twice, again, paused, grown }));
