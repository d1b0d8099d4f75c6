/** What may be odd about a header that is accepted (format document, section 3). */
import { HEADER_KEYS, type SessionHeader } from '../log/header.ts';
import { quoted, type Report } from './event-report.ts';

const RETIRED_KEYS: ReadonlySet<string> = new Set(['sandboxMode', 'approvalPolicy']);
/** POSIX, a Windows drive, or a Windows share. */
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/;

export function checkHeader(header: SessionHeader, report: Report): void {
  for (const key of Object.keys(header)) {
    if (RETIRED_KEYS.has(key))
      report('header-retired-key', `the header has the retired field ${quoted(key)}`);
    else if (!HEADER_KEYS.has(key)) report('header-key', `the header has the unknown field ${quoted(key)}`);
  }
  if (header.delegationDepth === undefined) {
    report('header-depth', 'the header has no "delegationDepth"; it is read as 0');
  }
  if (header.cwd !== undefined && !ABSOLUTE.test(header.cwd)) {
    report('header-cwd', `the recorded directory ${quoted(header.cwd)} is not an absolute path`);
  }
}
