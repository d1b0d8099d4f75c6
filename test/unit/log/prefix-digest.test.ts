/** The digest of a log's beginning does not depend on how the log has been read. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { LogBytes } from '../../../src/log/bytes.ts';
import { PrefixDigest } from '../../../src/log/prefix-digest.ts';

const directory = mkdtempSync(join(tmpdir(), 'dsh-ref-bytes-'));
afterAll(() => rmSync(directory, { recursive: true }));

const path = join(directory, 'log');
const content = Buffer.alloc(600_000, 0).map((_byte, at) => (at * 31 + (at >> 8)) & 0xff);
writeFileSync(path, content);

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64').slice(0, 22);

function open(use: (bytes: LogBytes) => void): void {
  const bytes = LogBytes.open(path);
  try {
    use(bytes);
  } finally {
    bytes.close();
  }
}

describe('the digest of what stands before an offset', () => {
  it('is that of those bytes, whatever was read before', () => {
    const offset = fc.nat(content.length);
    const step = fc.oneof(
      fc.record({ view: offset, length: fc.oneof(fc.nat(300), fc.nat(400_000)) }),
      fc.record({ digest: offset }),
      fc.record({ inOrder: fc.nat(content.length) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.nat(8), offset, (steps, followedFrom, last) => {
        open((bytes) => {
          let digest: PrefixDigest | undefined;
          for (const [at, each] of [...steps, { digest: last }].entries()) {
            if (at === followedFrom) digest = new PrefixDigest(bytes);
            if ('view' in each) bytes.view(each.view, each.length);
            else if ('digest' in each) {
              digest ??= new PrefixDigest(bytes);
              expect(digest.before(each.digest)).toBe(digestOf(content.subarray(0, each.digest)));
            } else for (let at = 0; at < each.inOrder; at += 20_000) bytes.view(at, 25_000);
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it('takes no second reading of what has just been read in order', () => {
    open((bytes) => {
      const digest = new PrefixDigest(bytes);
      for (let at = 0; at < content.length; at += 10_000) bytes.view(at, 10_000);
      const atHand = bytes.buffered(content.length - 10_000);
      expect(digest.before(content.length)).toBe(digestOf(content));
      expect(bytes.buffered(content.length - 10_000)).toBe(atHand);
    });
  });

  it('ends where a file that was cut meanwhile ends', () => {
    open((bytes) => {
      truncateSync(path, 1000);
      expect(new PrefixDigest(bytes).before(content.length)).toBe(digestOf(content.subarray(0, 1000)));
      writeFileSync(path, content);
    });
  });
});
