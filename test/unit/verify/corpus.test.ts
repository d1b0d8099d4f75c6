/** The whole corpus: sound roots have no findings, damaged ones those of their name, and prepare agrees. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { SessionLogError } from '../../../src/errors.ts';
import { openSessionStore, verifySessions } from '../../../src/store.ts';
import { kindsOf } from './check.ts';

const corpus = inject('corpus');
const rootsBelow = (...names: string[]): string[] => {
  const folder = join(corpus, ...names);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name !== 'damaged')
    .map((name) => join(folder, name));
};
const damaged = readdirSync(join(corpus, 'roots/damaged'));
const damagedRoot = (name: string): string => join(corpus, 'roots/damaged', name);
const allRoots = [
  ...rootsBelow('roots'),
  ...damaged.map(damagedRoot),
  ...rootsBelow('generations', 'roots'),
  ...rootsBelow('public', 'roots'),
];

describe('agreement with prepare', () => {
  it.each(allRoots.map((root) => [root.slice(corpus.length + 1), root]))('%s', async (_name, root) => {
    const store = openSessionStore({ roots: [root!], index: false });
    const report = await verifySessions({ roots: [root!] });
    const { sessions } = await store.listSessions();
    const ids = new Set([...sessions, ...report.verified].flatMap(({ sessionId }) => sessionId ?? []));
    for (const id of ids) {
      const ofRoot = report.verified.filter(({ sessionId }) => sessionId === id);
      const alone = await verifySessions({ roots: [root!], sessionIds: [id] });
      const isRefused = await store.readConversation(id).then(
        () => false,
        (error) => error instanceof SessionLogError,
      );
      const hasError = (list: typeof report.verified): boolean =>
        list.some(({ findings }) => findings.some(({ severity }) => severity === 'error'));
      expect([id, hasError(ofRoot), hasError(alone.verified)]).toEqual([id, isRefused, isRefused]);
    }
  });
});

describe('sound roots', () => {
  /** What was written into them on purpose. */
  const KNOWN: Record<string, string[]> = {
    interrupted: ['w call-pairing', 'w turn-nesting'],
    sources: ['w message-source'],
    titles: ['w title-blank'],
    tools: ['w content-block'],
  };

  it.each(rootsBelow('roots').map((root) => [root.slice(root.lastIndexOf('/') + 1), root]))(
    '%s',
    async (name, root) => {
      const { findings, verified } = await verifySessions({ roots: [root!] });
      expect(verified.length).toBeGreaterThan(1);
      expect([...new Set(kindsOf(findings))]).toEqual(KNOWN[name!] ?? []);
    },
  );

  it.each(rootsBelow('public', 'roots'))('%s', async (root) => {
    const { findings } = await verifySessions({ roots: [root] });
    expect(kindsOf(findings)).toEqual(['w header-depth']);
  });
});

/** Findings of the session `victim` by the name of the damaged root; a whole name or its beginning. */
const OF_NAME: readonly (readonly [name: string, ...kinds: string[]])[] = [
  ['header-created-', 'e header-invalid'],
  ['header-cwd-', 'e session-mismatch'],
  ['header-depth-missing', 'w header-depth'],
  ['header-extra-field', 'w header-key'],
  ['header-id-', 'e session-mismatch'],
  ['header-version-1', 'e header-version'],
  ['header-version-99', 'e session-unsupported'],
  ['header-', 'e header-invalid'],
  ['layout-duplicate-id', 'e session-ambiguous', 'e session-ambiguous'],
  ['layout-empty-file', 'e log-empty'],
  ['layout-moved-', 'e session-mismatch'],
  ['layout-stray-file-in-root', 'w line-torn', 'e log-empty'],
  ['layout-'],
  ['line-bad-json-after-', 'w row-json'],
  ['line-bad-json-', 'e row-json'],
  ['line-blank-line-end', 'w row-json'],
  ['line-blank-line-middle', 'e row-json'],
  ['line-last-line-cut-in-half', 'w row-json'],
  ['line-line-cut-in-half', 'e row-json'],
  ['line-no-turn-end-at-all', 'w row-seq', 'w row-seq'],
  ['line-null-line', 'e row-shape'],
  ['line-seq-gap-middle', 'e row-seq', 'e row-seq'],
  ['line-seq-gap-open-tail', 'w row-seq'],
  ['line-seq-swapped', 'e row-seq', 'e row-seq', 'e row-seq'],
  ['line-seq-', 'e row-seq'],
  ['line-two-objects-on-a-line', 'e row-json'],
  ['line-unknown-type-', 'w event-type-unknown'],
  // Keys in another order, other known types, trailing spaces, an open last turn: all as it may be.
  ['line-'],
  ['plain-half-line-at-end', 'w line-torn'],
  ['plain-header-only'],
  ['plain-header-', 'w line-torn', 'e log-empty'],
  ['plain-newline-', 'e header-invalid'],
  ['plain-no-final-newline', 'w line-torn'],
  ['plain-zeros-at-end', 'w line-torn'],
  ['plain-zeros-in-middle', 'e row-json'],
  ['torn-zstd-header-', 'w frame-torn', 'e log-empty'],
  ['torn-zstd-', 'w frame-torn'],
  ['torn-long-', 'w frame-torn'],
  ['zstd-bit-', 'e frame-damaged'],
  ['zstd-checksum-', 'e frame-damaged'],
  ['zstd-cut-'],
  ['zstd-frame-', 'e row-seq'],
  ['zstd-garbage-', 'e frame-structure'],
  ['zstd-header-frame-missing', 'e first-frame', 'e header-invalid'],
  ['zstd-header-frame-repeated', 'e row-seq'],
  ['zstd-magic-alone-at-end', 'w frame-torn'],
  ['zstd-magic-', 'e frame-structure'],
  ['zstd-one-zero-at-end', 'w frame-torn'],
  ['zstd-plain-text-file', 'e frame-structure'],
  ['zstd-three-bytes-at-end', 'w frame-torn'],
  ['zstd-zeros-at-end', 'e frame-structure'],
];

describe('damaged roots', () => {
  // Cut anywhere: at the end of a line that is no finding, elsewhere it is a torn one.
  const rows = damaged.filter((name) => !name.startsWith('torn-plain-'));

  it.each(rows)('%s', async (name) => {
    const { verified } = await verifySessions({ roots: [damagedRoot(name)] });
    const rule = OF_NAME.find(([beginning]) => name.startsWith(beginning));
    const victim = verified.filter(({ path }) => !path.includes('/healthy/'));
    const kinds = kindsOf(victim.flatMap(({ findings }) => findings));
    // What a torn frame still holds may end inside a line.
    const isTorn = name.startsWith('torn-long-');
    expect(isTorn ? kinds.filter((kind) => kind !== 'w line-torn') : kinds).toEqual(rule!.slice(1));
    const healthy = verified.filter(({ path }) => path.includes('/healthy/'));
    expect(healthy.flatMap(({ findings }) => findings)).toEqual([]);
  });

  it.each(damaged.filter((name) => name.startsWith('torn-plain-')))('%s', async (name) => {
    const { findings } = await verifySessions({ roots: [damagedRoot(name)], sessionIds: ['victim'] }).catch(
      () => ({
        findings: [],
      }),
    );
    for (const kind of kindsOf(findings)) expect(['w line-torn', 'e log-empty']).toContain(kind);
  });
});
