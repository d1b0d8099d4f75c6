/** Text from arguments or from standard input, which is read only where `-` asks for it. */

import { isUtf8 } from 'node:buffer';
import { CliError, UsageError } from './exit.ts';
import type { InputStream } from './io.ts';
import type { Task } from './perform.ts';

const MAX_INPUT_BYTES = 256 * 1024 * 1024;

/** The words joined by spaces, or all of standard input when `-` is the only word. */
export async function readText(task: Task, words: readonly string[]): Promise<string> {
  if (words.length === 0)
    throw new UsageError('no text was given', { remedy: 'give one, or - for standard input' });
  return words.length === 1 && words[0] === '-' ? readInput(task.io.stdin, task.signal) : words.join(' ');
}

async function readInput(stdin: InputStream, signal: AbortSignal): Promise<string> {
  const stop = (): unknown => stdin.destroy();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    return decode(await readBytes(stdin));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function readBytes(stdin: InputStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of stdin) {
      const bytes = Buffer.from(chunk);
      sizeBytes += bytes.length;
      if (sizeBytes > MAX_INPUT_BYTES) break;
      chunks.push(bytes);
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw inputFault(`standard input cannot be read: ${why}`, 'check what it is connected to', cause);
  }
  if (sizeBytes > MAX_INPUT_BYTES) {
    throw inputFault(`standard input is larger than ${MAX_INPUT_BYTES} bytes`, 'give a shorter text');
  }
  return Buffer.concat(chunks, sizeBytes);
}

/** Exact but for a byte order mark at the start, which some shells put in front of piped text. */
function decode(bytes: Buffer): string {
  if (!isUtf8(bytes))
    throw inputFault('standard input is not valid UTF-8', 'convert it, for example with iconv');
  return new TextDecoder().decode(bytes);
}

function inputFault(message: string, remedy: string, cause?: unknown): CliError {
  return new CliError('DSH_REF_INPUT_FAILED', message, { remedy, cause });
}
