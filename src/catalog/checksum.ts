/**
 * A checksum of 128 bits against damage, not against people: loading the system's digests takes longer than reading
 * an index of a thousand sessions. A change within any four bytes that lie together is always seen.
 */

const LANES = 4;
const MULTIPLIERS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/** 16 bytes. `seed` tells apart what must not be taken for one another. */
export function checksum(bytes: Uint8Array, seed: number): Uint8Array {
  const words = wordsOf(bytes);
  const [k0, k1, k2, k3] = MULTIPLIERS;
  let a = seed ^ bytes.length;
  let b = a ^ k1;
  let c = a ^ k2;
  let d = a ^ k3;
  const whole = words.length - (words.length % LANES);
  for (let at = 0; at < whole; at += LANES) {
    a = step(a, words[at]!, k0);
    b = step(b, words[at + 1]!, k1);
    c = step(c, words[at + 2]!, k2);
    d = step(d, words[at + 3]!, k3);
  }
  for (let at = whole; at < words.length; at += 1) a = step(a, words[at]!, k0);
  for (let at = words.length * 4; at < bytes.length; at += 1) b = step(b, bytes[at]!, k1);
  // Each lane into each other one, every step one that can be undone, so that no difference is lost.
  for (const constant of MULTIPLIERS) {
    a = step(a, d, constant);
    b = step(b, a, constant);
    c = step(c, b, constant);
    d = step(d, c, constant);
  }
  return new Uint8Array(Uint32Array.of(a, b, c, d).buffer);
}

/** For given `word` no two states lead to the same one, and for a given state no two words do. */
function step(state: number, word: number, multiplier: number): number {
  const mixed = Math.imul(state ^ word, multiplier);
  return mixed ^ (mixed >>> 15);
}

function wordsOf({ buffer, byteOffset, length }: Uint8Array): Uint32Array {
  const words = length >> 2;
  return byteOffset % 4 === 0
    ? new Uint32Array(buffer, byteOffset, words)
    : new Uint32Array(buffer.slice(byteOffset, byteOffset + words * 4));
}
