import type { ErrorFormat } from './perform.ts';

/** How errors are to be printed, known before anything is parsed: a usage error is printed that way too. */
export function readErrorFormat(argv: readonly string[]): ErrorFormat {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  let format: ErrorFormat = 'text';
  options.forEach((argument, at) => {
    const value = argument === '--error-format' ? options[at + 1] : undefined;
    if (value === 'json' || argument === '--error-format=json') format = 'json';
    if (value === 'text' || argument === '--error-format=text') format = 'text';
  });
  return format;
}
