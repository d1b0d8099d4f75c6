import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { FileReference } from '../../../src/files/file-reference.ts';

/** A fresh directory that goes when the test ends, with these entries: `name/` a directory, else a file. */
export async function makeWorkspace(entries: readonly string[] = []): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'dsh-ref-files-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await addEntries(root, entries);
  return root;
}

export async function addEntries(root: string, entries: readonly string[]): Promise<void> {
  for (const entry of entries) {
    const path = join(root, entry);
    await mkdir(entry.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!entry.endsWith('/')) await writeFile(path, '');
  }
}

/** `path` for files, `path [d]` for directories, as the document writes them. */
export function show(candidates: readonly FileReference[]): string[] {
  return candidates.map(({ path, kind }) => (kind === 'directory' ? `${path} [d]` : path));
}

/** Runs `work` as somebody who is not above permissions; as root that means: as nobody. */
export async function withoutPrivileges<T>(root: string, work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  await chmod(root, 0o755);
  process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
