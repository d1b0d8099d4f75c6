/** Bytes and texts from files, arguments or standard input, which is read only where `-` asks for it. */

import { isUtf8 } from 'node:buffer';
import { createReadStream, type Stats, statSync } from 'node:fs';
import { CliError, UsageError } from './exit.ts';
import type { Task } from './perform.ts';
import { absolutePath } from './roots.ts';

/** Most that is taken into memory as one text. */
export const MAX_INPUT_BYTES = 256 * 1024 * 1024;

/** The words joined by spaces, or all of standard input when `-` is the only word. */
export async function readText(task: Task, words: readonly string[]): Promise<string> {
  if (words.length === 0)
    throw new UsageError('no text was given', { remedy: 'give one, or - for standard input' });
  return words.length === 1 && words[0] === '-' ? readWhole(task, '-') : words.join(' ');
}

/** All of the regular file `path`; nothing else is opened, as it might never end. Errors: `DSH_REF_INPUT_FAILED`. */
export async function readTextFile(task: Task, path: string): Promise<string> {
  const absolute = absolutePath(task.io, path);
  let info: Stats;
  try {
    info = statSync(absolute);
  } catch (cause) {
    throw unreadable(nameOf(path), cause);
  }
  if (!info.isFile()) throw inputFault(`${nameOf(path)} is not a regular file`, 'check the path');
  return readWhole(task, absolute);
}

/** The bytes of the file `path`, or of standard input for `-`, as they come. Errors: `DSH_REF_INPUT_FAILED`. */
export async function* byteChunks({ io, signal }: Task, path: string): AsyncGenerator<Buffer> {
  const stream = path === '-' ? io.stdin : createReadStream(absolutePath(io, path));
  const stop = (): unknown => stream.destroy();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  } catch (cause) {
    throw unreadable(nameOf(path), cause);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Exact but for a byte order mark at the start, which some shells put in front of piped text. */
async function readWhole(task: Task, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of byteChunks(task, path)) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_INPUT_BYTES) {
      throw inputFault(`${nameOf(path)} is larger than ${MAX_INPUT_BYTES} bytes`, 'give a shorter text');
    }
  }
  const bytes = Buffer.concat(chunks, sizeBytes);
  if (!isUtf8(bytes))
    throw inputFault(`${nameOf(path)} is not valid UTF-8`, 'convert it, for example with iconv');
  return new TextDecoder().decode(bytes);
}

function nameOf(path: string): string {
  return path === '-' ? 'standard input' : `the file ${JSON.stringify(path)}`;
}

function unreadable(name: string, cause: unknown): CliError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return inputFault(`${name} cannot be read: ${why}`, 'check the path and its permissions', cause);
}

function inputFault(message: string, remedy: string, cause?: unknown): CliError {
  return new CliError('DSH_REF_INPUT_FAILED', message, { remedy, cause });
}
