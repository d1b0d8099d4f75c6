/** `npm run wasm`: assembles `src/log/json-runs.wat` into the file that the program loads. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assemble } from './wat.ts';

const LOG = join(import.meta.dirname, '..', 'src', 'log');

/** Where the assembled code lies. */
export const ASSEMBLED_PATH = join(LOG, 'json-runs-wasm.ts');

/** What should stand there. */
export function assembledFile(): string {
  const code = Buffer.from(assemble(readFileSync(join(LOG, 'json-runs.wat'), 'utf8'))).toString('base64');
  return `/** Made from \`json-runs.wat\` by \`npm run wasm\`. */\nexport const JSON_RUNS_WASM =\n  '${code}';\n`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(ASSEMBLED_PATH, assembledFile());
