// A process that stays: `resident.mjs LIBRARY ROOT NAME RUNS GROWTH` lists again and again, in turn with the walk.
// GROWTH is a file of frames, one a line in hexadecimal; each is appended to one log before a listing. Prints times.
import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { countLines, createDecoder } from './decode.mjs';

const { walk } = createRequire(import.meta.url)('./walk.cjs');
const [library, root, name, runsGiven, growth] = process.argv.slice(2);
const { openSessionStore } = await import(pathToFileURL(library).href);
const runs = Number(runsGiven);
const frames = readFileSync(growth, 'utf8').trim().split('\n');
const store = openSessionStore({ roots: [root] });
const decoder = await createDecoder();
const project = readdirSync(root)[0];
const grown = join(root, project, readdirSync(join(root, project))[0], name);
const sizeBefore = statSync(grown).size;
const times = { same: [], grown: [], walk: [], walkAndDecode: [] };

async function time(list, work) {
  const start = performance.now();
  await work();
  if (list !== undefined) list.push(performance.now() - start);
}

const query = { query: 'zz no title has this' };
await store.listCandidates(query);
// Rows are kept once they are older than a tick of the file system's clock.
await new Promise((done) => setTimeout(done, 300));
for (let run = 0; run < runs + 3; run += 1) {
  const isWarmUp = run < 3;
  await time(isWarmUp ? undefined : times.same, () => store.listCandidates(query));
  await time(isWarmUp ? undefined : times.walk, () => walk(root, name));
  const frame = Buffer.from(frames[run % frames.length], 'hex');
  if (run >= frames.length) break;
  appendFileSync(grown, frame);
  await new Promise((done) => setTimeout(done, 150));
  await time(isWarmUp ? undefined : times.grown, () => store.listCandidates(query));
  await time(isWarmUp ? undefined : times.walkAndDecode, () => {
    walk(root, name);
    countLines(decoder, frame);
  });
}
await store.close();
// The root is as it was.
truncateSync(grown, sizeBefore);
process.stdout.write(JSON.stringify(times));
