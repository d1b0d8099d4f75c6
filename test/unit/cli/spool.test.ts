import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Spool } from '../../../src/cli/spool.ts';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dsh-ref-spool-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function contents(spool: Spool): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of spool.chunks()) parts.push(Uint8Array.from(chunk));
  return Buffer.concat(parts).toString();
}

async function fill(spool: Spool, pieces: number): Promise<string> {
  let all = '';
  for (let at = 0; at < pieces; at += 1) {
    const piece = `${at}:${'é'.repeat(at % 50_000)}\n`;
    all += piece;
    await spool.write(Buffer.from(piece));
  }
  return all;
}

describe('output put aside', () => {
  it.each([
    [0, 10],
    [1, 10],
    [3, 10],
    [2000, 1000],
    [2000, 100_000],
    [2000, 1e9],
  ])('%i pieces come back in order, with %i bytes in memory', async (pieces, memoryBytes) => {
    const spool = new Spool(directory, memoryBytes);
    const all = await fill(spool, pieces);
    expect(await contents(spool)).toBe(all);
    await spool.close();
  });

  it('H-74: lies in a file that has no name', async () => {
    const spool = new Spool(directory, 1);
    const all = await fill(spool, 500);
    expect(readdirSync(directory)).toEqual([]);
    expect(await contents(spool)).toBe(all);
    await spool.close();
  });

  it('stays in memory where there is no directory for it', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    for (const place of [undefined, join(directory, 'nowhere'), file]) {
      const spool = new Spool(place, 1);
      const all = await fill(spool, 300);
      expect(await contents(spool)).toBe(all);
      await spool.close();
    }
    rmSync(file);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('a write that fails is an error of its own', async () => {
    const spool = new Spool(directory, 1);
    await spool.write(Buffer.from('xx'));
    await spool.close();
    await expect(spool.write(Buffer.alloc(70_000))).rejects.toMatchObject({ code: 'DSH_REF_OUTPUT_FAILED' });
  });
});
