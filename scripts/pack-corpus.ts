/** `npm run pack-corpus -- DIR`: makes `fixtures/corpus.ndjson.gz` from a corpus folder. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packFolder } from '../test/support/corpus/archive.ts';

const [directory] = process.argv.slice(2);
if (directory === undefined) {
  console.error('usage: npm run pack-corpus -- DIR');
  process.exit(2);
}
const archive = packFolder(directory);
const target = join(import.meta.dirname, '..', 'fixtures', 'corpus.ndjson.gz');
writeFileSync(target, archive);
console.log(`${target}: ${archive.length} bytes`);
