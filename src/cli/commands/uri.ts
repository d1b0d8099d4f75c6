import type { Command } from 'commander';
import { decodeSessionReferenceUri, encodeSessionReferenceUri } from '../../mention/uri.ts';
import { UsageError } from '../exit.ts';
import type { OutputStream } from '../io.ts';
import { hasControl, hasLoneSurrogate, isPrintable, printableJson } from '../output/printable.ts';
import type { Configure } from './index.ts';

export interface DecodeOptions {
  readonly json?: boolean;
  readonly null?: boolean;
}

export const configure: Configure = (command, invoke) => {
  command.description('Session ids to URIs and back. Nothing is read from disk.');
  command
    .command('encode <id...>')
    .description('The URI of each id, one a line. Any text is an id.')
    .addHelpText('after', '\nExample:\n  dsh-ref uri encode session-1 session-2')
    .action((ids: string[], _options: object, encode: Command) =>
      invoke(encode, async () => encodeUris(ids)),
    );
  command
    .command('decode <uri...>')
    .description('The id of each URI, exactly, one a line.')
    .option('--json', 'one JSON string a line; fits every id')
    .option('-0, --null', 'end each id with NUL in place of a line feed')
    .addHelpText('after', '\nExample:\n  dsh-ref uri decode dsh-session:InNlc3Npb24tMSI')
    .action((uris: string[], options: DecodeOptions, decode: Command) =>
      invoke(decode, async ({ task }) => decodeUris(uris, options, task.io.stdout)),
    );
};

/** The output of `uri encode`. */
export function encodeUris(ids: readonly string[]): string {
  return ids.map((id) => `${encodeSessionReferenceUri(id)}\n`).join('');
}

/**
 * The output of `uri decode`.
 *
 * @throws UsageError for an id that the form asked for cannot carry exactly
 */
export function decodeUris(
  uris: readonly string[],
  options: DecodeOptions,
  stream: Pick<OutputStream, 'isTTY'>,
): string {
  if (options.json === true && options.null === true)
    throw new UsageError('--json and -0 exclude each other');
  const ids = uris.map(decodeSessionReferenceUri);
  if (options.json === true) {
    const lines = ids.map((id) => `${JSON.stringify(id)}\n`).join('');
    return stream.isTTY ? printableJson(lines) : lines;
  }
  const end = options.null === true ? '\0' : '\n';
  return ids.map((id) => exactly(id, options, stream) + end).join('');
}

function exactly(id: string, options: DecodeOptions, stream: Pick<OutputStream, 'isTTY'>): string {
  const fault = faultOf(id, options.null === true, stream);
  if (fault === undefined) return id;
  const shown = JSON.stringify(id.length > 200 ? `${id.slice(0, 200)}…` : id);
  throw new UsageError(`the id ${shown} ${fault.what}`, { remedy: `use ${fault.instead}` });
}

function faultOf(
  id: string,
  isNulEnded: boolean,
  stream: Pick<OutputStream, 'isTTY'>,
): { what: string; instead: string } | undefined {
  if (hasLoneSurrogate(id))
    return { what: 'holds half of a surrogate pair, which has no bytes', instead: '--json' };
  if (isNulEnded && id.includes('\0')) return { what: 'holds a NUL', instead: '--json' };
  if (stream.isTTY && !isPrintable(id)) {
    return { what: 'holds characters that a terminal must not be sent', instead: '--json' };
  }
  if (!isNulEnded && hasControl(id)) {
    return { what: 'holds a line break or another control character', instead: '--json or -0' };
  }
  return undefined;
}
