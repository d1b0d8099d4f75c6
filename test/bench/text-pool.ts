/** Text that compresses about as well as prose and source code do, by seed: slices of one large pool. */
import { Prng } from '../support/log-writer/prng.ts';

const POOL_UNITS = 4 * 1024 * 1024;
const SYLLABLES =
  'al an ar as at be ca ce co de di do ed en er es fa fi for ge ha he ic in ing is it ke la le li lo ma me mi ne no nt on op or ou pa pe ra re ri ro sa se si so st ta te th ti to tr un ur us ve vi wa we y'.split(
    ' ',
  );
const JOINTS = [
  ' ',
  ' ',
  ' ',
  ' ',
  ' ',
  ' ',
  ', ',
  '. ',
  '\n',
  '\n  ',
  '(',
  ') ',
  ' = ',
  '.',
  '_',
  ': ',
  "'",
];

export class TextPool {
  readonly #pool: string;
  readonly #random: Prng;

  constructor(seed: number) {
    this.#random = new Prng(seed);
    this.#pool = makePool(new Prng(seed + 1));
  }

  /** `units` UTF-16 units from anywhere in the pool. */
  slice(units: number): string {
    const from = this.#random.int(0, this.#pool.length - units - 1);
    return this.#pool.slice(from, from + units);
  }
}

function makePool(random: Prng): string {
  const words = Array.from({ length: 6000 }, () => {
    let word = '';
    for (let syllables = random.int(1, 4); syllables > 0; syllables -= 1) word += random.pick(SYLLABLES);
    return word;
  });
  const parts: string[] = [];
  for (let units = 0; units < POOL_UNITS; units += parts.at(-1)!.length) {
    // As in real text, some of it was there a little earlier.
    if (parts.length > 400 && random.chance(0.08)) {
      const from = parts.length - random.int(20, 400);
      parts.push(parts.slice(from, from + random.int(4, 16)).join(''));
      continue;
    }
    parts.push(word(random, words) + random.pick(JOINTS));
  }
  return parts.join('');
}

function word(random: Prng, words: readonly string[]): string {
  if (random.chance(0.02)) return random.int(0, 0xffffff).toString(16);
  if (random.chance(0.004)) return random.pick(['größer', '日本語', '😀', 'naïve', '…']);
  // A few words make up most of a text.
  return words[Math.floor(words.length * random.next() ** 3)]!;
}
