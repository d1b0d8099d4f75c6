/** The list of candidates from the store, with progress while it is made and a word on what had to be skipped. */

import type { CandidateList, CandidateOptions, SessionStore } from '../store.ts';
import type { CommandContext } from './context.ts';
import { startProgress } from './progress.ts';
import { reportSkips } from './skips.ts';

export async function fetchCandidates(
  context: CommandContext,
  store: SessionStore,
  options: Omit<CandidateOptions, 'signal' | 'onProgress'>,
): Promise<CandidateList> {
  const { onProgress, clear } = startProgress(context, 'sessions read');
  const { signal } = context.task;
  const list = await store.listCandidates({ ...options, signal, onProgress }).finally(clear);
  reportSkips(context, list.skipped);
  return list;
}
