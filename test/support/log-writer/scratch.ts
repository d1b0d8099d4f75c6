/** A folder for one test, removed when the test is done. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function scratch(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'dsh-ref-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
