/** The documents that are made from the code are what it would make now; `npm run docs` mends them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDocuments, staleDocuments } from '../../scripts/docs.ts';
import { assembledFiles } from '../../scripts/wasm.ts';
import { allCommands, loadDefinitions } from '../../src/cli/completion/definitions.ts';
import { CLI_CODES, LOG_CODES, REFERENCE_CODES } from '../../src/errors.ts';

const documents = await makeDocuments();

it('are not stale', () => {
  expect(staleDocuments(documents)).toEqual([]);
});

it('the assembled code is that of its text; `npm run wasm` mends it', () => {
  const files = assembledFiles();
  expect(files.length).toBeGreaterThan(1);
  for (const { path, text } of files) expect(readFileSync(path, 'utf8'), path).toBe(text);
});

it('a stale one is named', () => {
  const changed = new Map([...documents].map(([path, text]) => [path, `${text}more`]));
  expect(staleDocuments(changed)).toEqual(['docs/cli.md', 'docs/errors.md', 'man/dsh-ref.1']);
  expect(staleDocuments(new Map([['docs/no-such.md', '']]))).toEqual(['docs/no-such.md']);
});

it('do not depend on the terminal', async () => {
  const before = process.env.COLUMNS;
  process.env.COLUMNS = '200';
  try {
    expect(await makeDocuments()).toEqual(documents);
  } finally {
    if (before === undefined) delete process.env.COLUMNS;
    else process.env.COLUMNS = before;
  }
});

describe('they are complete', async () => {
  const man = documents.get('man/dsh-ref.1')!.replaceAll('\\-', '-').replaceAll(/\\f./g, '');

  it('errors.md has one row for each code', () => {
    const rows = [...documents.get('docs/errors.md')!.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(
      ([, code]) => code,
    );
    expect(rows).toEqual(Object.keys({ ...REFERENCE_CODES, ...LOG_CODES, ...CLI_CODES }));
  });

  it('cli.md and the man page have every command and every option', async () => {
    for (const { path, options } of allCommands(await loadDefinitions())) {
      if (path !== '')
        expect(documents.get('docs/cli.md')).toMatch(`\n${path.includes(' ') ? '###' : '##'} ${path}\n`);
      for (const { flags } of options) for (const flag of flags) expect(man).toContain(flag);
    }
  });

  it('the man page has every environment variable that the code asks for', () => {
    const src = join(import.meta.dirname, '../../src');
    const names = (readdirSync(src, { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => {
        const code = readFileSync(join(src, name), 'utf8');
        const taken = [...code.matchAll(/\{([A-Z_, ]+)\} = (?:\w+\.)*env\b/g)].flatMap(([, list]) =>
          list!.split(',').map((variable) => variable.trim()),
        );
        return [...taken, ...[...code.matchAll(/\benv\.([A-Z][A-Z_]*)/g)].map(([, variable]) => variable!)];
      });
    expect(names.length).toBeGreaterThan(10);
    expect([...new Set(names)].filter((name) => !man.includes(name))).toEqual([]);
  });

  it('the man page has no line that roff would take for a request of its own', () => {
    const requests = documents
      .get('man/dsh-ref.1')!
      .split('\n')
      .filter((line) => /^[.']/.test(line))
      .map((line) => line.split(' ')[0]);
    const known = ['.\\"', '.B', '.BR', '.PP', '.RE', '.RS', '.SH', '.SS', '.TH', '.TP', '.fi', '.nf'];
    expect([...new Set(requests)].sort()).toEqual(known.sort());
    expect(documents.get('man/dsh-ref.1')).toMatch(/^[\n\x20-\x7e]*$/);
  });
});
