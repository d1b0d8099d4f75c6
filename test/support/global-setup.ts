/** Unpacks the shipped corpus once for all test files, into a folder of its own that is removed afterwards. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { unpackFolder } from './corpus/archive.ts';

declare module 'vitest' {
  interface ProvidedContext {
    corpus: string;
  }
}

export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-ref-corpus-'));
  unpackFolder(readFileSync(join(import.meta.dirname, '../../fixtures/corpus.ndjson.gz')), folder);
  project.provide('corpus', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
