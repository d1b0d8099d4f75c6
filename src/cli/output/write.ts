import { CliError, ClosedPipe, codeOf } from '../exit.ts';
import type { OutputStream } from '../io.ts';

const SLICE_BYTES = 64 * 1024;
const CLOSED_CODES = new Set([
  'EPIPE',
  'EOF',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** The whole of standard output: a text, or one that was put aside since it may be large. */
export type Output = string | { chunks(): AsyncIterable<Uint8Array> };

/**
 * Writes all of `output` and returns when the system has taken it, however slow the reader. Goes on slice by slice,
 * so that a signal is noticed in between.
 *
 * @throws ClosedPipe when the reader is gone; CliError `DSH_REF_OUTPUT_FAILED` for any other fault
 */
export async function writeOutput(stream: OutputStream, output: Output, signal?: AbortSignal): Promise<void> {
  for await (const bytes of typeof output === 'string' ? [Buffer.from(output)] : output.chunks()) {
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      if (signal?.aborted) return;
      await writeSlice(stream, bytes.subarray(from, from + SLICE_BYTES));
    }
  }
}

/** Writes to standard error. Nobody can be told when that fails, so it never throws. */
export async function writeDiagnostics(stream: OutputStream, text: string): Promise<void> {
  // A standard error that is closed or full must not change the outcome.
  await writeSlice(stream, Buffer.from(text)).catch(() => undefined);
}

/** Keeps a stream's `error` event from ending the process; the write that failed reports it. */
export function guardStream(stream: OutputStream): void {
  // For good: the event may come after the write has reported its failure.
  stream.on('error', () => undefined);
}

function writeSlice(stream: OutputStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(outputFault(error)) : resolve()));
  });
}

function outputFault(error: Error): Error {
  if (CLOSED_CODES.has(codeOf(error) ?? '')) return new ClosedPipe();
  return new CliError('DSH_REF_OUTPUT_FAILED', `standard output cannot be written: ${error.message}`, {
    cause: error,
  });
}
