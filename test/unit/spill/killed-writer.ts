/** A writer that is killed: `killed-writer.ts ROOT write|publish`, half-way or just after the final name exists. */
import fs, { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { openLocalSpill } from '../../../src/spill/local.ts';

const [rootDir = '', moment] = process.argv.slice(2);

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

if (moment === 'write') {
  fs.write = ((file: number, bytes: Uint8Array) => {
    writeSync(file, bytes.subarray(0, 2));
    die();
  }) as unknown as typeof fs.write;
} else {
  fs.rmSync = die;
}
syncBuiltinESMExports();

const source = { kind: 'session-reference', sessionId: 'other', label: 'Other' } as const;
await openLocalSpill({ rootDir, keepDays: 0 }).saveText({
  owner: { sessionId: 'a' },
  source,
  suggestedName: 'x',
  content: 'text',
});
