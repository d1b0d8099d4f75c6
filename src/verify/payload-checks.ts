/** What single event types carry, as far as the format document says (sections 4.3, 8, 9.3, 11 and 12). */
import { isCount, isObject } from '../log/header.ts';
import type { StoredEvent } from '../log/rows.ts';
import { quoted, type Report } from './event-report.ts';

type Data = Record<string, unknown>;

const TITLE_SOURCES: ReadonlySet<unknown> = new Set(['fallback', 'provider', 'user']);
const HEADER_REASONS: ReadonlySet<unknown> = new Set(['initial', 'resume', 'change', 'series']);

export function checkPayload(event: StoredEvent, version: number, report: Report): void {
  if (!isObject(event.data)) return;
  const { data, type, seq } = event;
  switch (type) {
    case 'session/title':
      checkTitle(data, report);
      break;
    case 'subagent/descriptor':
      if (!isDescriptor(data)) report('descriptor-shape', descriptorFault(data));
      break;
    case 'subagent/catalog':
      if (!isCatalogEntry(data)) report('catalog-shape', `${type} of ${quoted(data.childId)} is malformed`);
      break;
    case 'session/end-seed':
      checkEndSeed(data, version, report);
      break;
    case 'request/header':
      checkRequestHeader(data, version, report);
      break;
    case 'request/context':
      if (data.contextWindow !== undefined && !(isCount(data.contextWindow) && data.contextWindow > 0)) {
        report('request-settings', `${type} has ${quoted(data.contextWindow)} as its context window`);
      }
      break;
  }
  for (const [name, reference] of seqReferences(type, data)) {
    if (isCount(reference) && reference < seq) continue;
    report('seq-reference', `${type} has ${quoted(reference)} in ${name}, which is no seq before its own`);
  }
}

function checkTitle({ title, source }: Data, report: Report): void {
  if (typeof title !== 'string' || title.trim() === '') {
    report('title-blank', `session/title has ${quoted(title)} as its title`);
  }
  if (!isObject(source) || !TITLE_SOURCES.has(source.kind)) {
    report('title-source', 'session/title does not say whether a fallback, a provider or the user made it');
  }
}

function isDescriptor({ version, mode, provider, label }: Data): boolean {
  if (version !== 1 && version !== 2 && version !== 3) return false;
  const isContinuable = version === 1 || mode === 'continuable';
  if (!isContinuable && mode !== 'one-shot') return false;
  if (typeof provider !== 'string') return false;
  return typeof label === 'string' || (label === undefined && !isContinuable);
}

function descriptorFault({ version }: Data): string {
  const isKnown = version === 1 || version === 2 || version === 3;
  return `subagent/descriptor ${isKnown ? 'is malformed' : `has the unknown version ${quoted(version)}`}`;
}

function isCatalogEntry({ version, childId, childCreatedAt, mode, label }: Data): boolean {
  if (version !== 0 && version !== 1) return false;
  if (typeof childId !== 'string' || childId === '' || !isCount(childCreatedAt)) return false;
  const isMode = mode === 'one-shot' || mode === 'continuable' || (mode === 'unknown' && version === 1);
  return isMode && (label === undefined || typeof label === 'string');
}

function checkEndSeed(data: Data, version: number, report: Report): void {
  if (!('inherited' in data)) return;
  if (version <= 1)
    report('end-seed', `session/end-seed has "inherited", which format v${version} does not have`);
  else if (data.inherited !== true) {
    report(
      'end-seed',
      `session/end-seed has ${quoted(data.inherited)} as "inherited", which can only be true`,
    );
  }
}

function checkRequestHeader({ header, reason }: Data, version: number, report: Report): void {
  if (reason === 'fallback') report('request-settings', 'request/header has the retired reason "fallback"');
  else if (!HEADER_REASONS.has(reason)) {
    report('request-settings', `request/header has the unknown reason ${quoted(reason)}`);
  }
  if (version >= 3 && isObject(header) && 'system' in header) {
    report(
      'request-settings',
      `request/header has a system prompt, which format v${version} keeps elsewhere`,
    );
  }
}

/** Seqs that a payload names, with the name of the field (format document, 12). */
function* seqReferences(type: string, data: Data): Generator<readonly [name: string, seq: unknown]> {
  if (type === 'command/done' && data.sourceEventSeq !== undefined)
    yield ['sourceEventSeq', data.sourceEventSeq];
  if (type === 'session/title' || type === 'session/title-llm-request') {
    yield* listed('messageSeqs', data.messageSeqs);
  }
  if (!/^compact(?:ion)?\/(?:summary|prune)$/.test(type)) return;
  yield* listed('shadowedSeqs', data.shadowedSeqs);
  if (!isObject(data.shadowedRange)) return;
  yield ['shadowedRange.start', data.shadowedRange.start];
  yield ['shadowedRange.end', data.shadowedRange.end];
}

function* listed(name: string, list: unknown): Generator<readonly [string, unknown]> {
  if (!Array.isArray(list)) return;
  for (const seq of list as readonly unknown[]) yield [name, seq];
}
