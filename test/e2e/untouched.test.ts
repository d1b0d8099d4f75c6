/** Reading never changes what is read: every byte, time and mode of a root is as before after every command. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { encodeSessionReferenceUri } from '../../src/mention/uri.ts';
import { runProgram } from '../support/run-program.ts';
import { treeState } from '../support/tree-state.ts';

const uri = encodeSessionReferenceUri('s-healthy');
const COMMANDS: readonly (readonly string[])[] = [
  ['candidates'],
  ['candidates', 'a', '--format', 'json'],
  ['prepare', `see @[x](${uri})`],
  ['prepare', `see @[x](${uri})`, '--max-bytes', '300'],
  ['mention', 's-healthy'],
  ['show', 's-healthy'],
  ['export', 's-healthy'],
  ['verify'],
  ['index', 'refresh'],
];

it.each(COMMANDS.map((command) => [command.join(' '), command] as const))('%s', async (_line, command) => {
  const scratch = mkdtempSync(join(tmpdir(), 'dsh-ref-untouched-'));
  try {
    const root = join(scratch, 'root');
    cpSync(join(inject('corpus'), 'generations/roots/identity'), root, { recursive: true });
    const before = treeState(root);
    const result = await runProgram([...command, '--root', root]);
    expect([0, 4]).toContain(result.status);
    expect(treeState(root)).toEqual(before);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});
