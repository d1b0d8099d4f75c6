/**
 * Compiled code that is kept for the next start: compiling is most of what a short command costs. Derived, private, and
 * bound to the very source: a file of it holds the source too, and is used only where both are the same to the byte.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import {
  isAtPlace,
  readAtPlace,
  readPrivateFile,
  removeOldFiles,
  replacePrivateFile,
} from '../places/private-file.ts';

/** Smaller files are compiled as fast as they are read. */
const MIN_SOURCE_BYTES = 2048;
/** Each run adds what it was the first to call: a few of them know nearly all that a command ever calls. */
const TIMES_WRITTEN = 3;
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** As a module is called: `(exports, require, module, __filename, __dirname)`. */
export type ModuleFunction = (
  exports: object,
  require: (id: string) => unknown,
  module: { exports: object },
  filename: string,
  dirname: string,
) => void;

const WRAPPER = ['(function (exports, require, module, __filename, __dirname) { ', '\n})'] as const;

/** A file that was compiled here, or compiled with code that may still be added to. */
interface Compiled {
  readonly name: string;
  readonly source: Buffer;
  readonly script: Script;
  /** How often its code has been written. */
  readonly times: number;
}

export interface KeptCodeOptions {
  /** Private directory; undefined = nothing is kept, nor looked for. */
  readonly directory: string | undefined;
  /** Version and machine that code is compiled for, as part of a file name. */
  readonly node: string;
  /** Code is kept by command, as each calls other parts of the same files: 'candidates', say. */
  readonly command: string;
}

export class KeptCode {
  readonly directory: string | undefined;
  readonly #suffix: string;
  readonly #command: string;
  readonly #compiled: Compiled[] = [];

  constructor({ directory, node, command }: KeptCodeOptions) {
    this.directory = directory;
    this.#command = command;
    this.#suffix = `.${node}.code`;
  }

  /** The function that the module in `file` is. */
  compile(file: string, name: string): ModuleFunction {
    const source = readFileSync(file);
    const isWorthwhile = this.directory !== undefined && source.length >= MIN_SOURCE_BYTES;
    const kept = isWorthwhile ? this.#read(name, source) : undefined;
    const options = { filename: file, columnOffset: -WRAPPER[0].length };
    const text = WRAPPER[0] + source.toString('utf8') + WRAPPER[1];
    const script = new Script(text, kept === undefined ? options : { ...options, cachedData: kept.code });
    const times = kept === undefined || script.cachedDataRejected === true ? 0 : kept.times;
    if (isWorthwhile && times < TIMES_WRITTEN) this.#compiled.push({ name, source, script, times });
    return script.runInThisContext() as ModuleFunction;
  }

  /** True where `keep` would write something. */
  get isNew(): boolean {
    return this.#compiled.length > 0;
  }

  /** Writes what has been compiled since, with all that has been called by now. Never fails: nothing depends on it. */
  keep(nowMs: number): void {
    const { directory } = this;
    if (directory === undefined || !this.isNew) return;
    for (const { name, source, script, times } of this.#compiled) {
      const code = script.createCachedData();
      const pieces = [Buffer.of(times + 1), source, code, code];
      if (!replacePrivateFile(directory, this.#fileName(name), pieces)) return;
    }
    removeOldFiles(directory, (name) => name.endsWith('.code'), { nowMs, keepMs: KEPT_MS });
  }

  /** `<times written, a byte><source><code><code>`: two copies that agree are as they were written. */
  #read(name: string, source: Buffer): { readonly code: Buffer; readonly times: number } | undefined {
    return readPrivateFile(join(this.directory!, this.#fileName(name)), (descriptor, { size }) => {
      const codeBytes = (size - 1 - source.length) / 2;
      if (!Number.isInteger(codeBytes) || codeBytes <= 0) return undefined;
      const code = Buffer.allocUnsafeSlow(codeBytes);
      const codeAt = 1 + source.length;
      const isWhole =
        readAtPlace(descriptor, code, codeAt) &&
        isAtPlace(descriptor, source, 1) &&
        isAtPlace(descriptor, code, codeAt + codeBytes);
      const times = Buffer.alloc(1);
      if (!isWhole || !readAtPlace(descriptor, times, 0)) return undefined;
      return { code, times: times[0]! };
    });
  }

  #fileName(name: string): string {
    return `${this.#command}.${name}${this.#suffix}`;
  }
}
