import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choicesOf, type Find, loadFind } from '../../../src/cli/pick/choices.ts';
import type { Candidate } from '../../../src/store.ts';
import { candidate } from './support.ts';

function findIn(candidates: readonly Candidate[]): Promise<Find> {
  const origins = candidates.map(() => 'root' as const);
  const total = candidates.length;
  return loadFind(choicesOf({ candidates, origins, total, seen: total, skipped: [] }));
}

const idsOf = (find: Find, query: string): string[] =>
  find(query).choices.map(({ candidate: { sessionId } }) => sessionId);

const SESSIONS = [
  candidate('one', { label: 'Refactor the login module', cwd: '/work/alpha' }),
  candidate('two', { label: 'Budget limits', cwd: '/work/login-service' }),
  candidate('three', { label: '请帮我重构登录模块', cwd: '/work/beta' }),
  candidate('4f6460d5-7bd9-4f58-a0a8-1c7d4b6cf0e2', { label: 'Größe', displayTitle: 'a subagent' }),
];

describe('the search', () => {
  it('gives all in their order for an empty query', async () => {
    const find = await findIn(SESSIONS);
    expect(idsOf(find, '')).toEqual(SESSIONS.map(({ sessionId }) => sessionId));
    expect(find('  ')).toMatchObject({ total: 4 });
  });

  it('finds letters with gaps, in title, directory and id', async () => {
    const find = await findIn(SESSIONS);
    expect(idsOf(find, 'login').sort()).toEqual(['one', 'two']);
    expect(idsOf(find, 'refactor login')).toEqual(['one']);
    expect(idsOf(find, 'rfctr')).toEqual(['one']);
    expect(idsOf(find, '登录')).toEqual(['three']);
    expect(idsOf(find, '4f64')).toEqual(['4f6460d5-7bd9-4f58-a0a8-1c7d4b6cf0e2']);
    expect(idsOf(find, 'größe')).toHaveLength(1);
    expect(idsOf(find, 'zzz')).toEqual([]);
  });

  it('finds words in different places', async () => {
    const find = await findIn(SESSIONS);
    expect(idsOf(find, 'alpha login')[0]).toBe('one');
    expect(idsOf(find, 'login two')[0]).toBe('two');
  });

  it('keeps the order of the listing among equals', async () => {
    const same = Array.from({ length: 300 }, (_, at) => candidate(`s${at}`, { label: 'same title' }));
    expect(idsOf(await findIn(same), 'same')).toEqual(same.map(({ sessionId }) => sessionId));
  });

  it('counts all, and gives no more than anybody looks at', async () => {
    const many = Array.from({ length: 3000 }, (_, at) => candidate(`s${at}`, { label: 'same title' }));
    const { choices, total } = (await findIn(many))('title');
    expect([choices.length, total]).toEqual([1000, 3000]);
  });

  it('finds what a plain search for one word finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[a-zA-Z0-9 _\-./[\]登录éß]{1,40}$/), { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.nat(),
        async (titles, from, length) => {
          const find = await findIn(titles.map((label, at) => candidate(`s${at}`, { label })));
          const title = titles[from % titles.length]!;
          const start = from % title.length;
          const word = title.slice(start, start + 1 + (length % 8)).split(' ')[0]!;
          if (word === '') return;
          expect(idsOf(find, word)).toContain(`s${titles.indexOf(title)}`);
        },
      ),
    );
  });

  it('takes hostile texts', async () => {
    const evil = ['\ud800', '\0\u001b[2J', 'a'.repeat(2_000_000), '', '__proto__', '\u202e'];
    const find = await findIn(evil.map((label, at) => candidate(`s${at}`, { label })));
    for (const query of [...evil.map((text) => text.slice(0, 200)), 'constructor', '\\', '(', '*'])
      find(query);
    expect(idsOf(find, '__proto__')).toEqual(['s4']);
  });
});
