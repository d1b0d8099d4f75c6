/** XXH64 with seed 0, low 32 bits only: the checksum field of a Zstandard frame. Numbers, not BigInts, for speed. */

/** A 64-bit value as two unsigned halves. */
class Wide {
  high: number;
  low: number;

  constructor(high: number, low: number) {
    this.high = high >>> 0;
    this.low = low >>> 0;
  }

  add(other: Wide): this {
    const low = this.low + other.low;
    this.high = (this.high + other.high + (low > 0xffffffff ? 1 : 0)) >>> 0;
    this.low = low >>> 0;
    return this;
  }

  multiply({ high, low }: Wide): this {
    const a0 = this.low & 0xffff;
    const a1 = this.low >>> 16;
    const b0 = low & 0xffff;
    const b1 = low >>> 16;
    const middle = a1 * b0 + ((a0 * b0) >>> 16);
    const carried = a0 * b1 + (middle & 0xffff);
    const upper = a1 * b1 + Math.floor(middle / 0x10000) + Math.floor(carried / 0x10000);
    this.high = (upper + Math.imul(this.high, low) + Math.imul(this.low, high)) >>> 0;
    this.low = Math.imul(this.low, low) >>> 0;
    return this;
  }

  rotate(bits: number): this {
    const { high, low } = this;
    const [a, b, by] = bits < 32 ? [high, low, bits] : [low, high, bits - 32];
    this.high = (by === 0 ? a : (a << by) | (b >>> (32 - by))) >>> 0;
    this.low = (by === 0 ? b : (b << by) | (a >>> (32 - by))) >>> 0;
    return this;
  }

  /** `this ^= this >>> bits`, of up to 63 bits. */
  fold(bits: number): this {
    const { high, low } = this;
    this.low = (low ^ (bits >= 32 ? high >>> (bits - 32) : (low >>> bits) | (high << (32 - bits)))) >>> 0;
    this.high = (bits >= 32 ? high : high ^ (high >>> bits)) >>> 0;
    return this;
  }

  xor(other: Wide): this {
    this.high = (this.high ^ other.high) >>> 0;
    this.low = (this.low ^ other.low) >>> 0;
    return this;
  }
}

const P1 = new Wide(0x9e3779b1, 0x85ebca87);
const P2 = new Wide(0xc2b2ae3d, 0x27d4eb4f);
const P3 = new Wide(0x165667b1, 0x9e3779f9);
const P4 = new Wide(0x85ebca77, 0xc2b2ae63);
const P5 = new Wide(0x27d4eb2f, 0x165667c5);

const copy = (value: Wide) => new Wide(value.high, value.low);
const lane = new Wide(0, 0);

function round(into: Wide, input: Wide): Wide {
  return into.add(input.multiply(P2)).rotate(31).multiply(P1);
}

export function checksumOf(bytes: Uint8Array): number {
  const { buffer, byteOffset, length } = bytes;
  const view = new DataView(buffer, byteOffset, length);
  const read = (at: number) => {
    lane.low = view.getUint32(at, true);
    lane.high = view.getUint32(at + 4, true);
    return lane;
  };
  let at = 0;
  const hash = length >= 32 ? stripes(view, () => (at = length - (length % 32))) : copy(P5);
  hash.add(new Wide(Math.floor(length / 2 ** 32), length));
  for (; at + 8 <= length; at += 8) {
    hash
      .xor(round(new Wide(0, 0), read(at)))
      .rotate(27)
      .multiply(P1)
      .add(P4);
  }
  if (at + 4 <= length) {
    hash
      .xor(new Wide(0, view.getUint32(at, true)).multiply(P1))
      .rotate(23)
      .multiply(P2)
      .add(P3);
    at += 4;
  }
  for (; at < length; at += 1) hash.xor(new Wide(0, bytes[at]!).multiply(P5)).rotate(11).multiply(P1);
  return hash.fold(33).multiply(P2).fold(29).multiply(P3).fold(32).low;
}

function stripes(view: DataView, done: () => void): Wide {
  const minusP1 = new Wide(~P1.high, ~P1.low).add(new Wide(0, 1));
  const sums = [copy(P1).add(P2), copy(P2), new Wide(0, 0), minusP1];
  const end = view.byteLength - (view.byteLength % 32);
  for (let at = 0; at < end; at += 8) {
    lane.low = view.getUint32(at, true);
    lane.high = view.getUint32(at + 4, true);
    round(sums[(at >> 3) & 3]!, lane);
  }
  done();
  const hash = new Wide(0, 0);
  for (const [index, bits] of [1, 7, 12, 18].entries()) hash.add(copy(sums[index]!).rotate(bits));
  for (const sum of sums)
    hash
      .xor(round(new Wide(0, 0), copy(sum)))
      .multiply(P1)
      .add(P4);
  return hash;
}
