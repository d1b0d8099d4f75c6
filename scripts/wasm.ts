/** `npm run wasm`: assembles each `.wat` file below `src/` into the file beside it that the program loads. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { assemble } from './wat.ts';

const SRC = join(import.meta.dirname, '..', 'src');

/** What is made of one `.wat` file, and where it should lie. */
export interface Assembled {
  readonly path: string;
  readonly text: string;
}

export function assembledFiles(): Assembled[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.wat'))
    .map((name) => assembled(join(SRC, name)));
}

function assembled(source: string): Assembled {
  const name = basename(source, '.wat');
  const constant = `${name.toUpperCase().replaceAll('-', '_')}_WASM`;
  const code = Buffer.from(assemble(readFileSync(source, 'utf8'))).toString('base64');
  const text = `/** Made from \`${name}.wat\` by \`npm run wasm\`. */\nexport const ${constant} =\n  '${code}';\n`;
  return { path: source.replace(/\.wat$/, '-wasm.ts'), text };
}

if (process.argv[1] === import.meta.filename)
  for (const { path, text } of assembledFiles()) writeFileSync(path, text);
