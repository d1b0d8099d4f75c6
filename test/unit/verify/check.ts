/** Checks bytes with the engine: the findings of a log that has them. */
import { loadZstd } from '../../../src/log/zstd.ts';
import type { Finding } from '../../../src/verify/findings.ts';
import { verifyLog } from '../../../src/verify/verify-log.ts';
import { plainLog } from '../../support/log-writer/container.ts';
import { withLogBytes } from '../../support/log-writer/read-back.ts';

const zstd = await loadZstd();

/** Compressed where it begins with anything but `{`, unless said otherwise. */
export function findingsOf(
  bytes: Uint8Array,
  { nameVersion, isCompressed = bytes[0] !== 0x7b }: { nameVersion?: number; isCompressed?: boolean } = {},
): readonly Finding[] {
  return withLogBytes(bytes, (open) => {
    const work = verifyLog({ bytes: open, zstd: isCompressed ? zstd : undefined, nameVersion }, undefined);
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value.findings;
    }
  });
}

/** `e kind` or `w kind` of each finding, in order. */
export function kindsOf(findings: readonly Finding[]): string[] {
  return findings.map(({ kind, severity }) => `${severity[0]} ${kind}`);
}

export function kindsOfLines(lines: readonly string[]): string[] {
  return kindsOf(findingsOf(plainLog(lines)));
}
