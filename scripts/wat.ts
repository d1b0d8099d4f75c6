/**
 * A small assembler for the text form of WebAssembly (folded expressions only): as much of the language as
 * the `.wat` files below `src/` use. Whatever it does not know it refuses.
 */

type Expression = string | Expression[];

const VALUE_TYPES: Record<string, number> = { i32: 0x7f, i64: 0x7e, f64: 0x7c, v128: 0x7b };

/** Instructions without an immediate. */
const OPCODES: Record<string, readonly number[]> = {
  return: [0x0f],
  'i32.eqz': [0x45],
  'i32.eq': [0x46],
  'i32.ne': [0x47],
  'i32.lt_u': [0x49],
  'i32.gt_u': [0x4b],
  'i32.le_u': [0x4d],
  'i32.ge_u': [0x4f],
  'i64.eqz': [0x50],
  'i64.le_s': [0x57],
  'i32.ctz': [0x68],
  'i32.add': [0x6a],
  'i32.sub': [0x6b],
  'i32.mul': [0x6c],
  'i32.and': [0x71],
  'i32.or': [0x72],
  'i32.xor': [0x73],
  'i32.shl': [0x74],
  'i32.shr_u': [0x76],
  'i64.ctz': [0x7a],
  'i64.add': [0x7c],
  'i64.sub': [0x7d],
  'i64.mul': [0x7e],
  'i64.and': [0x83],
  'i64.or': [0x84],
  'i64.xor': [0x85],
  'i64.shl': [0x86],
  'i64.shr_u': [0x88],
  'i32.wrap_i64': [0xa7],
  'i64.extend_i32_u': [0xad],
  'f64.convert_i64_s': [0xb9],
  'i8x16.splat': [0xfd, 0x0f],
  'i8x16.eq': [0xfd, 0x23],
  'i8x16.lt_u': [0xfd, 0x26],
  'v128.or': [0xfd, 0x50],
  'i8x16.bitmask': [0xfd, 0x64],
};

/** Loads and stores, at any address: the alignment is a hint, given as none. */
const ACCESSES: Record<string, readonly number[]> = {
  'i32.load': [0x28],
  'i64.load': [0x29],
  'i32.load8_u': [0x2d],
  'i32.load16_u': [0x2f],
  'v128.load': [0xfd, 0x00],
  'i32.store': [0x36],
  'i32.store8': [0x3a],
  'i32.store16': [0x3b],
  'v128.store': [0xfd, 0x0b],
};

const EMPTY_BLOCK = 0x40;
const END = 0x0b;

/** The bytes of the module that `text` describes. */
export function assemble(text: string): Uint8Array {
  const [module, ...rest] = parse(text);
  if (!Array.isArray(module) || module[0] !== 'module' || rest.length > 0) throw new Error('not one module');
  return new ModuleWriter(module.slice(1)).bytes();
}

class ModuleWriter {
  readonly #imports: number[][] = [];
  readonly #globals: number[][] = [];
  readonly #types: number[][] = [];
  readonly #functions: number[][] = [];
  readonly #exports: number[][] = [];
  readonly #bodies: number[][] = [];
  readonly #globalNames: string[] = [];
  readonly #functionNames: string[] = [];

  constructor(fields: readonly Expression[]) {
    const functions = fields.filter((field): field is Expression[] => field[0] === 'func');
    this.#functionNames = functions.map((field) => word(field[1]));
    for (const field of fields) {
      if (!Array.isArray(field)) throw new Error(`a word in the module: ${field}`);
      if (field[0] === 'import') this.#import(field);
      else if (field[0] === 'global') this.#global(field);
      else if (field[0] === 'func') this.#function(field);
      else throw new Error(`unknown field ${field[0]}`);
    }
  }

  bytes(): Uint8Array {
    const sections: [number, number[][]][] = [
      [1, this.#types],
      [2, this.#imports],
      [3, this.#functions],
      [6, this.#globals],
      [7, this.#exports],
      [10, this.#bodies],
    ];
    const bytes = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
    for (const [id, items] of sections) {
      const content = [...unsigned(items.length), ...items.flat()];
      bytes.push(id, ...unsigned(content.length), ...content);
    }
    return Uint8Array.from(bytes);
  }

  /** `(import "from" "name" (memory pages))` */
  #import([, from, name, memory]: readonly Expression[]): void {
    if (!Array.isArray(memory) || memory[0] !== 'memory') throw new Error('only a memory can be imported');
    this.#imports.push([...quoted(from), ...quoted(name), 0x02, 0x00, ...unsigned(Number(memory[1]))]);
  }

  /** `(global $name (mut type) (type.const value))` */
  #global([, name, type, value]: readonly Expression[]): void {
    if (!Array.isArray(type) || type[0] !== 'mut') throw new Error('a global must be mutable');
    this.#globalNames.push(word(name));
    this.#globals.push([valueType(type[1]), 0x01, ...this.#code(value!, [], []), END]);
  }

  /** `(func $name (export "name")? (param $name type)* (result type)? (local $name type)* instruction*)` */
  #function([, name, ...fields]: readonly Expression[]): void {
    const named = { param: [], result: [], local: [] } as Record<string, Expression[][]>;
    const index = this.#functions.length;
    let at = 0;
    for (; Array.isArray(fields[at]); at += 1) {
      const [kind, ...rest] = fields[at] as Expression[];
      if (kind === 'export') this.#exports.push([...quoted(rest[0]), 0x00, ...unsigned(index)]);
      else if (named[word(kind)] !== undefined) named[word(kind)]!.push(rest);
      else break;
    }
    const { param, result, local } = named as Record<'param' | 'result' | 'local', Expression[][]>;
    const names = [...param, ...local].map(([variable]) => word(variable));
    if (new Set(names).size !== names.length) throw new Error(`${word(name)} names a variable twice`);
    this.#types.push([
      0x60,
      ...vector(param.map(([, type]) => valueType(type))),
      ...vector(result.map(([type]) => valueType(type))),
    ]);
    this.#functions.push(unsigned(index));
    const body = [
      ...unsigned(local.length),
      ...local.flatMap(([, type]) => [1, valueType(type)]),
      ...fields.slice(at).flatMap((instruction) => this.#code(instruction, names, [])),
      END,
    ];
    this.#bodies.push([...unsigned(body.length), ...body]);
  }

  /** One folded instruction; `labels` are those of the blocks around it, the innermost last. */
  #code(expression: Expression, variables: readonly string[], labels: readonly string[]): number[] {
    if (!Array.isArray(expression)) throw new Error(`not a folded instruction: ${expression}`);
    const [name, ...operands] = expression;
    const inner = (list: readonly Expression[], around = labels) =>
      list.flatMap((operand) => this.#code(operand, variables, around));
    const indexed = (opcode: number, names: readonly string[]) => [
      ...inner(operands.slice(1)),
      opcode,
      ...unsigned(indexOf(names, operands[0])),
    ];
    switch (name) {
      case 'block':
      case 'loop': {
        const body = inner(operands.slice(1), [...labels, word(operands[0])]);
        return [name === 'block' ? 0x02 : 0x03, EMPTY_BLOCK, ...body, END];
      }
      case 'if': {
        const [condition, then, otherwise] = operands as [Expression, Expression[], Expression[]?];
        const branch = (arm: readonly Expression[]) => inner(arm.slice(1), [...labels, '']);
        if (then[0] !== 'then' || (otherwise && otherwise[0] !== 'else')) throw new Error('odd if');
        const rest = otherwise === undefined ? [] : [0x05, ...branch(otherwise)];
        return [...inner([condition]), 0x04, EMPTY_BLOCK, ...branch(then), ...rest, END];
      }
      case 'br':
        return indexed(0x0c, labels.toReversed());
      case 'br_if':
        return indexed(0x0d, labels.toReversed());
      case 'call':
        return indexed(0x10, this.#functionNames);
      case 'local.get':
        return indexed(0x20, variables);
      case 'local.set':
        return indexed(0x21, variables);
      case 'local.tee':
        return indexed(0x22, variables);
      case 'global.get':
        return indexed(0x23, this.#globalNames);
      case 'global.set':
        return indexed(0x24, this.#globalNames);
      case 'i32.const':
        return [0x41, ...signed(BigInt.asIntN(32, BigInt(word(operands[0]))))];
      case 'i64.const':
        return [0x42, ...signed(BigInt.asIntN(64, BigInt(word(operands[0]))))];
    }
    const access = ACCESSES[word(name)];
    if (access !== undefined) return [...inner(operands), ...access, 0x00, 0x00];
    const opcode = OPCODES[word(name)];
    if (opcode === undefined) throw new Error(`unknown instruction ${name}`);
    return [...inner(operands), ...opcode];
  }
}

/** Brackets to nested lists; comments run from `;;` to the end of the line. */
function parse(text: string): Expression[] {
  const tokens = text.replaceAll(/;;.*/g, '').match(/"[^"]*"|[()]|[^\s()"]+/g) ?? [];
  const open: Expression[][] = [[]];
  for (const token of tokens) {
    if (token === '(') open.push([]);
    else if (token === ')') {
      const closed = open.pop()!;
      if (open.length === 0) throw new Error('a bracket too many');
      open.at(-1)!.push(closed);
    } else open.at(-1)!.push(token);
  }
  if (open.length !== 1) throw new Error('a bracket is not closed');
  return open[0]!;
}

function word(expression: Expression | undefined): string {
  if (typeof expression !== 'string') throw new Error('a word is missing');
  return expression;
}

function valueType(expression: Expression | undefined): number {
  const type = VALUE_TYPES[word(expression)];
  if (type === undefined) throw new Error(`unknown type ${expression}`);
  return type;
}

function indexOf(names: readonly string[], name: Expression | undefined): number {
  const index = names.indexOf(word(name));
  if (index < 0 || name === '') throw new Error(`unknown name ${name}`);
  return index;
}

function quoted(expression: Expression | undefined): number[] {
  return vector([...Buffer.from(word(expression).slice(1, -1))]);
}

function vector(bytes: readonly number[]): number[] {
  return [...unsigned(bytes.length), ...bytes];
}

/** LEB128 without a sign. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  do {
    bytes.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    left >>>= 7;
  } while (left > 0);
  return bytes;
}

/** LEB128 with a sign. */
function signed(value: bigint): number[] {
  const bytes: number[] = [];
  for (let left = value; ; ) {
    const byte = Number(left & 0x7fn);
    left >>= 7n;
    const isLast = (left === 0n && (byte & 0x40) === 0) || (left === -1n && (byte & 0x40) !== 0);
    bytes.push(isLast ? byte : byte | 0x80);
    if (isLast) return bytes;
  }
}
