import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SpillRequest } from '../../../src/spill/local.ts';

/** A fresh private directory that goes when the test ends. */
export async function makeScratch(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'dsh-ref-spill-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A request as a session reference makes it; the owner `a` hashes to `session-ca978112ca1b`. */
export function request(content: string, suggestedName = 'session-reference-1.txt'): SpillRequest {
  const source = { kind: 'session-reference', sessionId: 'other', label: 'Other' } as const;
  return { owner: { sessionId: 'a' }, source, suggestedName, content };
}

/** Every path below, relative, by code units. */
export async function tree(root: string): Promise<string[]> {
  return (await readdir(root, { recursive: true })).sort();
}

/** Permission bits. */
export async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
