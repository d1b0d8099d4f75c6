/**
 * Cases whose answer differs on purpose. Each rule names the point of the contract's section 6 that says so, and
 * looks at the case only, never at our answer. Where just the captured seq differs, the rest is still compared:
 * see `closers.ts`.
 */
import type { CorpusCase } from './cases.ts';

interface Rule {
  readonly reason: string;
  readonly holds: (corpusCase: CorpusCase) => boolean;
}

/** What the published packages threw, '' where they did not. */
function thrown({ expect }: CorpusCase): string {
  return expect?.ok === false ? expect.error.message : '';
}

function rootName({ request }: CorpusCase): string {
  return request?.root ?? '';
}

const RULES: readonly Rule[] = [
  {
    reason:
      'contract 6.3: one bad session or file, or a mixture of encodings, fails no listing and no other session',
    holds: (corpusCase) =>
      thrown(corpusCase).includes('session persistence listing failed') &&
      asksForListingOrNeighbour(corpusCase),
  },
  {
    reason:
      'contract 6.3: a header that contradicts its place or names a foreign format is a skip, not a candidate',
    holds: (corpusCase) =>
      isListing(corpusCase) && /damaged\/header-version-(1|2|3|4|99)$/.test(rootName(corpusCase)),
  },
  {
    reason: 'contract 6.4: the asking directory is also compared in its normalised form',
    holds: ({ request, expect }) =>
      request?.op === 'candidates' &&
      expect.ok &&
      isNotNormal(request.self?.cwd) &&
      rootName({ request } as CorpusCase).endsWith('/projects'),
  },
  {
    reason: 'contract 6.5: an unknown event type is log-only, whatever its record says',
    holds: (corpusCase) =>
      rootName(corpusCase).endsWith('damaged/line-unknown-type-required') &&
      (thrown(corpusCase).includes('unknown to this harness') || isListing(corpusCase)),
  },
  {
    reason: 'contract 6.8: a blank title does not count',
    holds: (corpusCase) =>
      isListing(corpusCase) && rootName(corpusCase).endsWith('/titles') && hasBlankTitle(corpusCase),
  },
  {
    reason: 'contract 6.9: unknown header fields are tolerated, and the header is given as stored',
    holds: (corpusCase) =>
      corpusCase.request?.op === 'surface' && rootName(corpusCase).endsWith('damaged/header-extra-field'),
  },
  {
    reason: 'contract 6.9 (format document, 3): a v0 header without a delegation depth is read as depth 0',
    holds: (corpusCase) =>
      rootName(corpusCase).endsWith('damaged/header-depth-missing') &&
      (isListing(corpusCase) || thrown(corpusCase).includes('session "victim" not found')),
  },
];

function isListing({ request }: CorpusCase): boolean {
  return request?.op === 'candidates' || request?.op === 'candidates-with-mentions' || request?.op === 'list';
}

/** Asking for the bad session itself fails in ours too, and is compared. */
function asksForListingOrNeighbour(corpusCase: CorpusCase): boolean {
  const { request } = corpusCase;
  if (isListing(corpusCase)) return true;
  const ids = [
    request!.sessionId,
    ...(request!.references ?? []).map((reference: any) => reference.sessionId),
  ];
  return !ids.includes('victim') || isWronglyTold(corpusCase);
}

/** The reference was told the wrong encoding of the root; ours looks by itself. */
function isWronglyTold(corpusCase: CorpusCase): boolean {
  return thrown(corpusCase).includes('session artifact');
}

function isNotNormal(cwd: unknown): boolean {
  return typeof cwd === 'string' && (/\/\.{0,2}(\/|$)/.test(cwd.slice(1)) || cwd.endsWith('/'));
}

/** The root holds sessions whose last title is blank; only answers that list one of them, or miss it, are affected. */
function hasBlankTitle({ expect }: CorpusCase): boolean {
  return expect.ok && expect.value.some((candidate: any) => candidate.label?.trim() === '');
}

export function skipReason(corpusCase: CorpusCase): string | undefined {
  return RULES.find((rule) => rule.holds(corpusCase))?.reason;
}
