/** A small deterministic generator of random numbers (mulberry32): the same seed, the same log, everywhere. */
export class Prng {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 up to but not including 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)]!;
  }

  /** Text of about `bytes` units: words, now and then something that is not ASCII. */
  text(bytes: number): string {
    let text = '';
    while (text.length < bytes) {
      const from = POOL.indexOf(' ', this.int(0, POOL.length >> 1)) + 1;
      const to = POOL.indexOf(' ', from + Math.min(bytes - text.length, POOL.length >> 2));
      text += `${text === '' ? '' : ' '}${POOL.slice(from, to)}`;
    }
    return text;
  }
}

const WORDS =
  'the log of a session holds what was said and done in it so that another may read build test change file line error value plan answer question please run again later server route cart price stock order user'.split(
    ' ',
  );
const ODD_WORDS = ['größer', '日本語', '😀', 'naïve', '\u2028', '"quoted"', '<tag>', 'C:\\src', '…'];

/** What texts are cut from. */
const POOL = makePool(64 * 1024);

function makePool(units: number): string {
  const random = new Prng(7);
  let pool = '';
  while (pool.length < units) pool += `${random.pick(random.chance(0.05) ? ODD_WORDS : WORDS)} `;
  return pool;
}
