/**
 * The quick way through rows that nobody needs to read whole: most bytes of a log are streamed deltas, tool
 * results and request headers. It proves, byte by byte, that a line is a valid row of that sort and takes its
 * seq; wherever the proof does not come out, `decodeRow` decides, so the answers are those of the slow way.
 */
import { BACKSLASH, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts';
import { KNOWN_TYPES, READ_TYPES } from './event-types.ts';
import type { JsonRuns } from './json-runs.ts';
import { wholeNumber } from './json-scan.ts';
import { KIND, keyWord, TAPE, TAPE_NUMBERS, type Tape } from './json-tape.ts';
import { scanPackedData } from './packed-scan.ts';
import { plainRuns } from './plain-runs.ts';

/**
 * What a line was proven to be; it takes `count` seqs from `seq` on. A message is one that is appended and has a
 * content array; of an assistant message the text blocks are known: `texts` has a start and an end for the JSON string
 * of each.
 */
export interface ScannedRow {
  kind: 'log-only' | ScannedMessage;
  seq: number;
  count: number;
  time: number;
  readonly texts: number[];
}

export type ScannedMessage = 'tool/result' | 'assistant/message' | 'user/message';

/** How rows of a type are proven. */
interface RowType {
  readonly name: string;
  readonly sort: 'packed' | ScannedRow['kind'];
}

/** By the length of the name, so that no name has to become a string. */
const TYPES: RowType[][] = [];
for (const name of ['text-chunks', 'reasoning-chunks', 'tool-call-chunks']) addType({ name, sort: 'packed' });
for (const name of ['tool/result', 'assistant/message', 'user/message'] as const)
  addType({ name, sort: name });
for (const name of KNOWN_TYPES) if (!READ_TYPES.has(name)) addType({ name, sort: 'log-only' });

function addType(type: RowType): void {
  const { length } = type.name;
  TYPES[length] ??= [];
  TYPES[length].push(type);
}

/** Members of a row, each a bit. */
const MEMBER = {
  type: 1,
  seq: 2,
  time: 4,
  data: 8,
  surfaceOp: 16,
  seq0: 32,
  time0: 64,
  ignorable: 128,
  sourceEventSeqs: 256,
} as const;
const EVENT_MEMBERS = MEMBER.type | MEMBER.seq | MEMBER.time | MEMBER.data;
const PACKED_MEMBERS = MEMBER.type | MEMBER.seq0 | MEMBER.time0 | MEMBER.data;

const TYPE_WORD = keyWord('type');
const TEXT_WORD = keyWord('text');
const BLOCK_MEMBER = { type: 1, text: 2 } as const;

/** A name, and how the tape has it. */
interface Name {
  readonly text: string;
  readonly word: number;
  readonly member: number;
}

/** By length. */
const MEMBER_NAMES: Name[][] = [];
for (const [text, member] of Object.entries(MEMBER)) {
  MEMBER_NAMES[text.length] ??= [];
  MEMBER_NAMES[text.length]!.push({ text, word: keyWord(text), member });
}
const MESSAGE: Name = { text: 'message', word: keyWord('message'), member: 0 };
const CONTENT: Name = { text: 'content', word: keyWord('content'), member: 0 };

/** One scanner serves all rows, so that a row costs no memory. */
class RowScanner {
  #buffer: Uint8Array = Buffer.alloc(0);
  #version = 0;
  #tape: Tape = { numbers: new Int32Array(0), entries: 0, base: 0 };
  #members = 0;
  #type: RowType = { name: '', sort: 'log-only' };
  #contentArrays = 0;
  #lastSource = -1;
  readonly #row: ScannedRow = { kind: 'log-only', seq: -1, count: 1, time: 0, texts: [] };

  scan(
    buffer: Uint8Array,
    start: number,
    end: number,
    version: number,
    runs: JsonRuns,
  ): ScannedRow | undefined {
    const tape = runs.tape(buffer, start, end);
    if (tape === undefined) return undefined;
    this.#buffer = buffer;
    this.#version = version;
    this.#tape = tape;
    this.#members = 0;
    this.#contentArrays = 0;
    this.#lastSource = -1;
    this.#row.count = 1;
    this.#row.texts.length = 0;
    for (let entry = 0; entry < tape.entries; entry = this.#number(entry, TAPE.next)) {
      if (!this.#takeMember(entry)) return undefined;
    }
    if (!this.#isProven()) return undefined;
    const { sort } = this.#type;
    this.#row.kind = sort === 'packed' ? 'log-only' : sort;
    return this.#row;
  }

  #number(entry: number, place: number): number {
    return this.#tape.numbers[entry * TAPE_NUMBERS + place]!;
  }

  /** A place of the tape as a place in the buffer. */
  #place(entry: number, place: number): number {
    return this.#number(entry, place) - this.#tape.base;
  }

  #isNamed(entry: number, { text, word }: Name): boolean {
    return (
      this.#number(entry, TAPE.keyWord) === word &&
      this.#number(entry, TAPE.keyBytes) === text.length &&
      isWord(this.#buffer, this.#place(entry, TAPE.keyAt), text, 4)
    );
  }

  #isProven(): boolean {
    const members = this.#members;
    switch (this.#type.sort) {
      case 'packed':
        return this.#version <= 1 && members === PACKED_MEMBERS;
      case 'log-only':
        return (members & ~MEMBER.ignorable) === EVENT_MEMBERS;
      case 'tool/result':
      case 'user/message':
        return members === (EVENT_MEMBERS | MEMBER.surfaceOp) && this.#contentArrays === 1;
      case 'assistant/message': {
        // From v2 on an assistant message cites nothing; one that does is odd, and noted by the slow way.
        const isUsual =
          (members & ~(this.#version <= 1 ? MEMBER.sourceEventSeqs : 0)) ===
          (EVENT_MEMBERS | MEMBER.surfaceOp);
        return isUsual && this.#contentArrays === 1 && this.#lastSource < this.#row.seq;
      }
    }
  }

  /** False where the row is not proven: so everywhere here. */
  #takeMember(entry: number): boolean {
    const member = this.#memberNamed(entry);
    // An unknown or escaped key, or one that stands twice: JSON.parse has rules for them, and the row is odd.
    if (member === 0 || (this.#members & member) !== 0) return false;
    this.#members |= member;
    const at = this.#place(entry, TAPE.valueAt);
    const end = this.#place(entry, TAPE.valueEnd);
    switch (member) {
      case MEMBER.type:
        return this.#takeType(at, end);
      case MEMBER.data:
        return this.#takeData(entry, at);
      case MEMBER.seq:
      case MEMBER.seq0: {
        const seq = wholeNumber(this.#buffer, at, end) ?? -1;
        this.#row.seq = seq;
        return seq >= 0;
      }
      case MEMBER.time:
      case MEMBER.time0: {
        const time = wholeNumber(this.#buffer, at, end);
        this.#row.time = time ?? 0;
        return time !== undefined;
      }
      case MEMBER.surfaceOp:
        return end - at === 8 && isWord(this.#buffer, at, '"append"');
      case MEMBER.sourceEventSeqs:
        return this.#takeSources(entry, at);
      default:
        return true;
    }
  }

  #memberNamed(entry: number): number {
    const names = MEMBER_NAMES[this.#number(entry, TAPE.keyBytes)];
    if (names === undefined) return 0;
    for (const name of names) if (this.#isNamed(entry, name)) return name.member;
    return 0;
  }

  #takeType(at: number, end: number): boolean {
    // How `data` is read hangs on the type, so the type must stand before it, as all writers have it.
    if (this.#buffer[at] !== QUOTE || (this.#members & MEMBER.data) !== 0) return false;
    for (const type of TYPES[end - at - 2] ?? []) {
      if (!isWord(this.#buffer, at + 1, type.name)) continue;
      this.#type = type;
      return true;
    }
    return false;
  }

  #takeData(entry: number, at: number): boolean {
    if ((this.#members & MEMBER.type) === 0) return false;
    const { name, sort } = this.#type;
    if (sort === 'log-only') return true;
    if (this.#buffer[at] !== OPEN_BRACE) return false;
    if (sort === 'packed') {
      const count = scanPackedData(this.#buffer, this.#tape, entry, name === 'tool-call-chunks');
      this.#row.count = count ?? 1;
      return count !== undefined;
    }
    // Of a user message the data are the message.
    return sort === 'user/message' ? this.#takeMessage(entry) : this.#takeMessageIn(entry);
  }

  /** `data` with a message among its members. */
  #takeMessageIn(data: number): boolean {
    const end = this.#number(data, TAPE.next);
    let messages = 0;
    for (let entry = data + 1; entry < end; entry = this.#number(entry, TAPE.next)) {
      if (this.#isEscaped(entry)) return false;
      if (!this.#isNamed(entry, MESSAGE)) continue;
      // A second message would hide the first.
      messages += 1;
      if (messages > 1 || this.#buffer[this.#place(entry, TAPE.valueAt)] !== OPEN_BRACE) return false;
      if (!this.#takeMessage(entry)) return false;
    }
    return true;
  }

  #takeMessage(message: number): boolean {
    const end = this.#number(message, TAPE.next);
    for (let entry = message + 1; entry < end; entry = this.#number(entry, TAPE.next)) {
      if (this.#isEscaped(entry)) return false;
      if (!this.#isNamed(entry, CONTENT)) continue;
      const isArray = this.#buffer[this.#place(entry, TAPE.valueAt)] === OPEN_BRACKET;
      // A second content would hide the first.
      this.#contentArrays += isArray ? 1 : 2;
      if (isArray && this.#type.sort === 'assistant/message' && !this.#takeBlocks(entry)) return false;
    }
    return true;
  }

  #takeBlocks(content: number): boolean {
    const end = this.#number(content, TAPE.next);
    for (let entry = content + 1; entry < end; entry = this.#number(entry, TAPE.next)) {
      if (!this.#takeBlock(entry)) return false;
    }
    return true;
  }

  #takeBlock(block: number): boolean {
    const end = this.#number(block, TAPE.next);
    let members = 0;
    let isTextBlock = false;
    let text = -1;
    for (let entry = block + 1; entry < end; entry = this.#number(entry, TAPE.next)) {
      if (this.#isEscaped(entry)) return false;
      const member = this.#blockMemberNamed(entry);
      if (member === 0) continue;
      // A second one would hide the first.
      if ((members & member) !== 0) return false;
      members |= member;
      const at = this.#place(entry, TAPE.valueAt);
      if (this.#buffer[at] !== QUOTE) continue;
      if (member === BLOCK_MEMBER.text) {
        text = entry;
        continue;
      }
      const valueEnd = this.#place(entry, TAPE.valueEnd);
      if (!isPlain(this.#buffer, at, valueEnd)) return false;
      isTextBlock = valueEnd - at === 6 && isWord(this.#buffer, at, '"text"');
    }
    if (isTextBlock && text >= 0) {
      this.#row.texts.push(this.#place(text, TAPE.valueAt), this.#place(text, TAPE.valueEnd));
    }
    return true;
  }

  #blockMemberNamed(entry: number): number {
    if (this.#number(entry, TAPE.keyBytes) !== 4) return 0;
    const word = this.#number(entry, TAPE.keyWord);
    return word === TYPE_WORD ? BLOCK_MEMBER.type : word === TEXT_WORD ? BLOCK_MEMBER.text : 0;
  }

  #isEscaped(entry: number): boolean {
    return (this.#number(entry, TAPE.kind) & KIND.escapedKey) !== 0;
  }

  /** Plain seqs that increase; anything else is for the slow way. Early logs cite every chunk of a message. */
  #takeSources(entry: number, at: number): boolean {
    if (this.#number(entry, TAPE.kind) === KIND.increasing) {
      this.#lastSource = this.#number(entry, TAPE.last);
      return true;
    }
    return this.#buffer[at] === OPEN_BRACKET && this.#buffer[at + 1] === CLOSE_BRACKET;
  }
}

const scanner = new RowScanner();

/**
 * Proves the line `[start, end)` of a log of format `version`; undefined where it is not proven, or must be read.
 * `runs` are such as may be used on these bytes. The result is valid until the next call.
 */
export function scanRow(
  buffer: Buffer,
  start: number,
  end: number,
  version: number,
  runs: JsonRuns = plainRuns,
): ScannedRow | undefined {
  return scanner.scan(buffer, start, end, version, runs);
}

/** True where `word` stands at `at`; its letters before `from` are known to. */
function isWord(buffer: Uint8Array, at: number, word: string, from = 0): boolean {
  for (let i = from; i < word.length; i += 1) if (buffer[at + i] !== word.charCodeAt(i)) return false;
  return true;
}

/** A string without escapes is what it looks like. */
function isPlain(buffer: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if (buffer[i] === BACKSLASH) return false;
  return true;
}
