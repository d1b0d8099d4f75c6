import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findSession, listCatalog } from '../../../src/catalog/catalog.ts';
import { plainLog, zstdLog } from '../../support/log-writer/container.ts';
import { type Format, LogScript } from '../../support/log-writer/log-script.ts';
import { scratch } from '../../support/log-writer/scratch.ts';
import { keyOf, writeRoot } from '../../support/log-writer/write-root.ts';

const linesOf = (id: string, format: Format = 4) => new LogScript(format, { id }).lines;

function put(root: string, name: string, bytes: Uint8Array | string): void {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), bytes);
}

async function listOf(root: string) {
  const { entries, skips } = await listCatalog([root], () => {});
  return {
    ids: entries.map(({ sessionId }) => sessionId).sort(),
    skips: skips.map(({ kind, path }) => `${kind} ${path.slice(root.length + 1)}`).sort(),
  };
}

describe('piles', () => {
  test('any name, any depth, any encoding, whatever the directory is called', async () => {
    const root = scratch();
    put(root, 'one.jsonl', plainLog(linesOf('one')));
    put(root, 'deep/er/{x}/(y)/[z]/two.jsonl.zstd', zstdLog(linesOf('two', 2)));
    put(root, '.hidden/.three.jsonl', plainLog(linesOf('three', 0)));
    put(root, 'back\\slash/odd\\name\n.jsonl', plainLog(linesOf('four')));
    put(root, 'other.txt', plainLog(linesOf('no')));
    put(root, 'other.jsonl.bak', plainLog(linesOf('no')));
    put(root, 'other.jsonl.0123456789ab.tmp', plainLog(linesOf('no')));
    expect(await listOf(root)).toEqual({ ids: ['four', 'one', 'three', 'two'], skips: [] });
  });

  test('canonical names in a directory are generations of one session', async () => {
    const root = scratch();
    put(root, 'export/session.jsonl', plainLog(linesOf('old', 0)));
    put(root, 'export/session.v3.jsonl', plainLog(linesOf('new', 3)));
    put(root, 'twice/session.v4.jsonl', plainLog(linesOf('x')));
    put(root, 'twice/session.v4.jsonl.zstd', zstdLog(linesOf('x')));
    put(root, 'later/session.v7.jsonl', 'whatever');
    put(root, 'wrong/session.v3.jsonl', plainLog(linesOf('wrong', 4)));
    expect(await listOf(root)).toEqual({
      ids: ['new'],
      skips: [
        'ambiguous twice/session.v4.jsonl.zstd',
        'corrupt wrong/session.v3.jsonl',
        'unsupported later/session.v7.jsonl',
      ],
    });
  });

  test('the export layout: a session with its subagents beside it', async () => {
    const root = scratch();
    put(root, 'session-a/session.jsonl', plainLog(linesOf('a', 0)));
    put(root, 'session-a/subagents/agent-1.jsonl', plainLog(linesOf('a-1', 0)));
    put(root, 'session-a/subagents/agent-2.jsonl', plainLog(linesOf('a-2', 0)));
    put(root, 'session-b/session.jsonl', plainLog(linesOf('b', 0)));
    expect(await listOf(root)).toEqual({ ids: ['a', 'a-1', 'a-2', 'b'], skips: [] });
    expect((await findSession([root], 'a-2', () => {})).log.path).toBe(
      join(root, 'session-a/subagents/agent-2.jsonl'),
    );
  });

  test('project directories further down are walked, not globbed', async () => {
    const root = scratch();
    const nested = join(root, 'backup', '2026');
    writeRoot(nested, {
      sessions: [
        { id: 'a', cwd: '/x' },
        { id: 'b', cwd: undefined },
      ],
    });
    put(nested, `${keyOf('/x')}/flat.jsonl`, plainLog(linesOf('flat')));
    put(nested, 'loose.jsonl', plainLog(linesOf('loose')));
    put(nested, '--link--.jsonl', plainLog(linesOf('named')));
    expect(await listOf(root)).toEqual({
      ids: ['a', 'b', 'loose', 'named'],
      skips: [`stray backup/2026/${keyOf('/x')}/flat.jsonl`],
    });
  });

  test('other JSONL files are no sessions and no faults; damaged ones are faults', async () => {
    const root = scratch();
    put(root, 'dataset.jsonl', '{"prompt":"x"}\n{"prompt":"y"}\n');
    put(root, 'list.jsonl', '[1,2]\n');
    put(root, 'half.jsonl', '{"type":"session","version":4');
    put(root, 'empty.jsonl', '');
    put(root, 'text.jsonl', 'hello\n');
    put(root, 'future.jsonl', '{"type":"session","version":9}\n');
    put(root, 'short.jsonl', '{"type":"session","version":4}\n');
    put(root, 'noise.jsonl.zstd', 'not compressed');
    expect(await listOf(root)).toEqual({
      ids: [],
      skips: [
        'corrupt noise.jsonl.zstd',
        'corrupt short.jsonl',
        'corrupt text.jsonl',
        'empty empty.jsonl',
        'empty half.jsonl',
        'unsupported future.jsonl',
      ],
    });
  });

  test('links to directories are not followed, links to files are', async () => {
    const [root, other] = [scratch(), scratch()];
    put(other, 'far/away.jsonl', plainLog(linesOf('away')));
    put(root, 'near.jsonl', plainLog(linesOf('near')));
    symlinkSync(join(other, 'far'), join(root, 'far'));
    symlinkSync(join(other, 'far/away.jsonl'), join(root, 'linked.jsonl'));
    symlinkSync(join(root, 'nowhere'), join(root, 'dangling.jsonl'));
    expect((await listOf(root)).ids).toEqual(['away', 'near']);
  });

  test('two logs of one id: neither is the session', async () => {
    const root = scratch();
    put(root, 'a.jsonl', plainLog(linesOf('twin')));
    put(root, 'b/a.jsonl.zstd', zstdLog(linesOf('twin', 2)));
    put(root, 'c.jsonl', plainLog(linesOf('single')));
    expect(await listOf(root)).toEqual({
      ids: ['single'],
      skips: ['ambiguous a.jsonl', 'ambiguous b/a.jsonl.zstd'],
    });
    await expect(findSession([root], 'twin', () => {})).rejects.toMatchObject({
      code: 'SESSION_LOG_AMBIGUOUS',
    });
  });
});
