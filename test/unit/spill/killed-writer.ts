/** A writer that is killed: `killed-writer.ts ROOT write|publish`, half-way or just after the final name exists. */
import fs, { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { openLocalSpill } from '../../../src/spill/local.ts';

const [rootDir = '', moment] = process.argv.slice(2);

async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

if (moment === 'write') {
  const anyFile = await open(import.meta.filename);
  const FileHandle = Object.getPrototypeOf(anyFile) as typeof anyFile;
  await anyFile.close();
  FileHandle.writeFile = async function writeHalf(data) {
    await this.write((data as Uint8Array).subarray(0, 2));
    await die();
  };
} else {
  fs.unlink = die;
  syncBuiltinESMExports();
}

const source = { kind: 'session-reference', sessionId: 'other', label: 'Other' } as const;
await openLocalSpill({ rootDir, keepDays: 0 }).saveText({
  owner: { sessionId: 'a' },
  source,
  suggestedName: 'x',
  content: 'text',
});
