/**
 * The quick way through rows that nobody needs to read whole: most bytes of a log are streamed deltas, tool
 * results and request headers. It proves, byte by byte, that a line is a valid row of that sort and takes its
 * seq; wherever the proof does not come out, `decodeRow` decides, so the answers are those of the slow way.
 */
import { BACKSLASH, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts';
import { KNOWN_TYPES, READ_TYPES } from './event-types.ts';
import type { JsonRuns } from './json-runs.ts';
import { skipSpace, skipString, walkElements, walkMembers, wholeNumber } from './json-scan.ts';
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

const MEMBER = {
  type: 1,
  seq: 2,
  time: 4,
  data: 8,
  surfaceOp: 16,
  seq0: 32,
  time0: 64,
  ignorable: 128,
  sources: 256,
} as const;
const BLOCK_MEMBER = { type: 1, text: 2 } as const;
const EVENT_MEMBERS = MEMBER.type | MEMBER.seq | MEMBER.time | MEMBER.data;
const PACKED_MEMBERS = MEMBER.type | MEMBER.seq0 | MEMBER.time0 | MEMBER.data;

/** One scanner serves all rows, so that a row costs no memory. */
class RowScanner {
  #buffer: Buffer = Buffer.alloc(0);
  #end = 0;
  #version = 0;
  #runs: JsonRuns = plainRuns;
  #members = 0;
  #type: RowType = { name: '', sort: 'log-only' };
  #messages = 0;
  #contentArrays = 0;
  #lastSource = -1;
  /** Of the block that is looked at: which members it has, whether it is a text block, and its text. */
  #blockMembers = 0;
  #isTextBlock = false;
  #textStart = 0;
  #textEnd = 0;
  readonly #row: ScannedRow = { kind: 'log-only', seq: -1, count: 1, time: 0, texts: [] };

  scan(buffer: Buffer, start: number, end: number, version: number, runs: JsonRuns): ScannedRow | undefined {
    this.#buffer = buffer;
    this.#end = end;
    this.#version = version;
    this.#runs = runs;
    this.#members = 0;
    this.#messages = 0;
    this.#contentArrays = 0;
    this.#lastSource = -1;
    this.#row.count = 1;
    this.#row.texts.length = 0;
    const behind = walkMembers(buffer, skipSpace(buffer, start, end), end, this.#onMember);
    if (behind < 0 || skipSpace(buffer, behind, end) !== end || !this.#isProven()) return undefined;
    const { sort } = this.#type;
    this.#row.kind = sort === 'packed' ? 'log-only' : sort;
    return this.#row;
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
          (members & ~(this.#version <= 1 ? MEMBER.sources : 0)) === (EVENT_MEMBERS | MEMBER.surfaceOp);
        return isUsual && this.#contentArrays === 1 && this.#lastSource < this.#row.seq;
      }
    }
  }

  readonly #onMember = (keyStart: number, keyEnd: number, at: number): number => {
    const member = memberNamed(this.#buffer, keyStart, keyEnd);
    // An unknown or escaped key, or one that stands twice: JSON.parse has rules for them, and the row is odd.
    if (member === 0 || (this.#members & member) !== 0) return -1;
    this.#members |= member;
    switch (member) {
      case MEMBER.type:
        return this.#scanType(at);
      case MEMBER.data:
        return this.#scanData(at);
      case MEMBER.seq:
      case MEMBER.seq0:
        return this.#scanNumber(at, true);
      case MEMBER.time:
      case MEMBER.time0:
        return this.#scanNumber(at, false);
      case MEMBER.surfaceOp:
        return isWord(this.#buffer, at, '"append"') ? at + 8 : -1;
      case MEMBER.sources:
        return this.#scanSources(at);
      default:
        return this.#runs.value(this.#buffer, at, this.#end);
    }
  };

  #scanType(at: number): number {
    const behind = skipString(this.#buffer, at, this.#end);
    // How `data` is read hangs on the type, so the type must stand before it, as all writers have it.
    if (behind < 0 || (this.#members & MEMBER.data) !== 0) return -1;
    for (const type of TYPES[behind - at - 2] ?? []) {
      if (!isWord(this.#buffer, at + 1, type.name)) continue;
      this.#type = type;
      return behind;
    }
    return -1;
  }

  #scanData(at: number): number {
    if ((this.#members & MEMBER.type) === 0) return -1;
    switch (this.#type.sort) {
      case 'log-only':
        return this.#runs.value(this.#buffer, at, this.#end);
      case 'packed': {
        const isToolCall = this.#type.name === 'tool-call-chunks';
        const packed = scanPackedData(this.#buffer, at, this.#end, isToolCall, this.#runs);
        if (packed === undefined) return -1;
        this.#row.count = packed.count;
        return packed.behind;
      }
      case 'user/message':
        // Its data are the message.
        return walkMembers(this.#buffer, at, this.#end, this.#onMessageMember);
      default:
        return walkMembers(this.#buffer, at, this.#end, this.#onDataMember);
    }
  }

  readonly #onDataMember = (keyStart: number, keyEnd: number, at: number): number => {
    if (!isPlain(this.#buffer, keyStart, keyEnd)) return -1;
    if (keyEnd - keyStart !== 7 || !isWord(this.#buffer, keyStart, 'message')) {
      return this.#runs.value(this.#buffer, at, this.#end);
    }
    // A second message would hide the first.
    this.#messages += 1;
    if (this.#messages > 1) return -1;
    return walkMembers(this.#buffer, at, this.#end, this.#onMessageMember);
  };

  readonly #onMessageMember = (keyStart: number, keyEnd: number, at: number): number => {
    if (!isPlain(this.#buffer, keyStart, keyEnd)) return -1;
    if (keyEnd - keyStart === 7 && isWord(this.#buffer, keyStart, 'content')) {
      const isArray = this.#buffer[at] === OPEN_BRACKET;
      // A second content would hide the first.
      this.#contentArrays += isArray ? 1 : 2;
      if (isArray && this.#type.sort === 'assistant/message') {
        return walkElements(this.#buffer, at, this.#end, this.#onBlock);
      }
    }
    return this.#runs.value(this.#buffer, at, this.#end);
  };

  readonly #onBlock = (at: number): number => {
    if (this.#buffer[at] !== OPEN_BRACE) return this.#runs.value(this.#buffer, at, this.#end);
    this.#blockMembers = 0;
    this.#isTextBlock = false;
    this.#textEnd = -1;
    const behind = walkMembers(this.#buffer, at, this.#end, this.#onBlockMember);
    if (this.#isTextBlock && this.#textEnd >= 0) this.#row.texts.push(this.#textStart, this.#textEnd);
    return behind;
  };

  readonly #onBlockMember = (keyStart: number, keyEnd: number, at: number): number => {
    if (!isPlain(this.#buffer, keyStart, keyEnd)) return -1;
    const behind = this.#runs.value(this.#buffer, at, this.#end);
    const member = keyEnd - keyStart === 4 ? blockMemberNamed(this.#buffer, keyStart) : 0;
    if (member === 0 || behind < 0) return behind;
    // A second one would hide the first.
    if ((this.#blockMembers & member) !== 0) return -1;
    this.#blockMembers |= member;
    if (this.#buffer[at] !== QUOTE) return behind;
    if (member === BLOCK_MEMBER.text) {
      this.#textStart = at;
      this.#textEnd = behind;
      return behind;
    }
    if (!isPlain(this.#buffer, at, behind)) return -1;
    this.#isTextBlock = behind - at === 6 && isWord(this.#buffer, at, '"text"');
    return behind;
  };

  #scanNumber(at: number, isSeq: boolean): number {
    const behind = behindDigits(this.#buffer, at, this.#end);
    const value = wholeNumber(this.#buffer, at, behind);
    if (value === undefined || (isSeq && value < 0)) return -1;
    if (isSeq) this.#row.seq = value;
    else this.#row.time = value;
    return behind;
  }

  /** Plain seqs that increase; anything else is for the slow way. Early logs cite every chunk of a message. */
  #scanSources(at: number): number {
    if (this.#buffer[at] !== OPEN_BRACKET) return -1;
    if (this.#buffer[at + 1] === CLOSE_BRACKET) return at + 2;
    const behind = this.#runs.numbers(this.#buffer, at + 1, this.#end, true);
    this.#lastSource = this.#runs.last();
    return behind;
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

/** Told apart by length and first letter, then compared. */
function memberNamed(buffer: Buffer, start: number, end: number): number {
  switch (end - start) {
    case 3:
      return isWord(buffer, start, 'seq') ? MEMBER.seq : 0;
    case 4:
      if (isWord(buffer, start, 'type')) return MEMBER.type;
      if (isWord(buffer, start, 'data')) return MEMBER.data;
      if (isWord(buffer, start, 'time')) return MEMBER.time;
      return isWord(buffer, start, 'seq0') ? MEMBER.seq0 : 0;
    case 5:
      return isWord(buffer, start, 'time0') ? MEMBER.time0 : 0;
    case 9:
      if (isWord(buffer, start, 'surfaceOp')) return MEMBER.surfaceOp;
      return isWord(buffer, start, 'ignorable') ? MEMBER.ignorable : 0;
    case 15:
      return isWord(buffer, start, 'sourceEventSeqs') ? MEMBER.sources : 0;
    default:
      return 0;
  }
}

function blockMemberNamed(buffer: Buffer, start: number): number {
  if (isWord(buffer, start, 'type')) return BLOCK_MEMBER.type;
  return isWord(buffer, start, 'text') ? BLOCK_MEMBER.text : 0;
}

function isWord(buffer: Buffer, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i += 1) if (buffer[at + i] !== word.charCodeAt(i)) return false;
  return true;
}

/** A string without escapes is what it looks like. */
function isPlain(buffer: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if (buffer[i] === BACKSLASH) return false;
  return true;
}

function behindDigits(buffer: Buffer, at: number, end: number): number {
  let i = buffer[at] === 0x2d ? at + 1 : at;
  while (i < end && buffer[i]! >= 0x30 && buffer[i]! <= 0x39) i += 1;
  return i;
}
