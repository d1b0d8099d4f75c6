/** Findings about a file as such: its frames, lines, header and rows; and about where it lies. */
import type { FindingWords } from './finding-words.ts';

export const LOG_KINDS = {
  'frame-damaged': {
    severity: 'error',
    title: 'damaged frame',
    meaning: 'A whole frame does not decode to what its checksum and sizes say.',
    rule: '2.3',
  },
  'frame-structure': {
    severity: 'error',
    title: 'no frame here',
    meaning: 'The bytes where a frame is due are none: wrong magic number, reserved bits or block type.',
    rule: '2.3',
  },
  'frame-skippable': {
    severity: 'error',
    title: 'skippable frame',
    meaning: 'A skippable Zstandard frame, which no writer makes and the harness refuses.',
    rule: '2.3',
  },
  'first-frame': {
    severity: 'error',
    title: 'first frame is not the header',
    meaning:
      'The first frame holds more or less than the header line: the log was recompressed by something else.',
    rule: '2.2',
  },
  'frame-torn': {
    severity: 'warning',
    title: 'torn last frame',
    meaning:
      'The file ends inside a frame: a writer is at work, or was stopped. What came out whole is read.',
    rule: '2.3',
  },
  'frame-without-checksum': {
    severity: 'warning',
    title: 'frame without checksum',
    meaning: 'A frame has no checksum, so damage in it cannot be noticed; the writers always add one.',
    rule: '2.2',
  },
  'frame-ends-inside-line': {
    severity: 'warning',
    title: 'line across frames',
    meaning: 'A whole frame ends inside a line; records never span frames in a sound log.',
    rule: '2.2, 2.4',
  },
  'line-torn': {
    severity: 'warning',
    title: 'torn last line',
    meaning: 'Bytes behind the last line feed are not a row yet and are left out.',
    rule: '2.1',
  },
  'line-carriage-return': {
    severity: 'warning',
    title: 'carriage return',
    meaning: 'A line ends with CR LF; harmless, but no writer does it.',
    rule: '2.1',
  },
  'line-encoding': {
    severity: 'warning',
    title: 'bytes that are not UTF-8',
    meaning: 'A line is not valid UTF-8; replacement characters stand in for what cannot be read.',
    rule: '2.1',
  },
  'log-empty': {
    severity: 'error',
    title: 'no header',
    meaning: 'There is no complete header line: not a log, or not yet.',
    rule: '2.1, 2.3',
  },
  'log-too-large': {
    severity: 'error',
    title: 'too large',
    meaning: 'A line, the header or the whole log is larger than this program is ready to hold.',
    rule: '2.3',
  },
  'header-invalid': {
    severity: 'error',
    title: 'bad header',
    meaning: 'The first line is not a session header, or one of its fields breaks a rule.',
    rule: '3',
  },
  'header-version': {
    severity: 'error',
    title: 'header and file name disagree',
    meaning: 'The format number in the header is not the one in the name of the file.',
    rule: '1.6',
  },
  'header-key': {
    severity: 'warning',
    title: 'unknown header field',
    meaning: 'The header has a field that no format knows; the harness refuses it from v1 on.',
    rule: '3',
  },
  'header-retired-key': {
    severity: 'warning',
    title: 'retired header field',
    meaning: 'The header has a field that was retired; the harness refuses the log.',
    rule: '3',
  },
  'header-depth': {
    severity: 'warning',
    title: 'no delegation depth',
    meaning: 'An old header lacks its delegation depth; it is read as 0.',
    rule: '3',
  },
  'header-cwd': {
    severity: 'warning',
    title: 'directory is not absolute',
    meaning: 'The recorded working directory is not an absolute path of any platform.',
    rule: '3',
  },
  'row-json': {
    severity: 'either',
    title: 'row is not JSON',
    meaning: 'A line is not JSON (an empty line, a cut line, zeros after a power loss).',
    rule: '2.1, 2.4',
  },
  'row-shape': {
    severity: 'either',
    title: 'row is no event',
    meaning: 'A line is JSON, but not an object with a type.',
    rule: '2.4, 4.1',
  },
  'row-seq': {
    severity: 'either',
    title: 'broken numbering',
    meaning: 'A row does not continue where the one before it stopped: lost, repeated or swapped rows.',
    rule: '2.4, 4.1',
  },
  'row-packed': {
    severity: 'either',
    title: 'bad packed row',
    meaning: 'A packed chunk row is malformed.',
    rule: '4.4',
  },
  'row-packed-format': {
    severity: 'either',
    title: 'packed row in a later format',
    meaning: 'A packed chunk row stands in a log of v2 or later, which has none.',
    rule: '4.5',
  },
  'session-unsupported': {
    severity: 'error',
    title: 'newer format',
    meaning: 'A newer harness wrote the session; an older generation beside it is never used instead.',
    rule: '1.6',
  },
  'session-ambiguous': {
    severity: 'error',
    title: 'claimed twice',
    meaning: 'Two logs or two directories claim the same session, so neither can be trusted.',
    rule: '1.6',
  },
  'session-mismatch': {
    severity: 'error',
    title: 'in the wrong place',
    meaning: 'The header belongs in another directory than the log lies in.',
    rule: '1.6',
  },
  'path-unreadable': {
    severity: 'error',
    title: 'cannot be read',
    meaning: 'The operating system refused a directory or a log.',
    rule: '1.8',
  },
  'path-not-a-file': {
    severity: 'error',
    title: 'not a file',
    meaning: 'A pipe, socket, device or directory stands where a log should be.',
    rule: '1.2',
  },
  'path-stray': {
    severity: 'warning',
    title: 'where nothing is looked for',
    meaning:
      'A log or a link lies where the harness layout does not look; the harness fails its listing over some.',
    rule: '1.2, 1.7',
  },
  'root-mixed-encodings': {
    severity: 'warning',
    title: 'plain and compressed logs in one root',
    meaning: 'A root has plain and compressed logs; the harness refuses such a root.',
    rule: '1.5, 1.6',
  },
} as const satisfies Record<string, FindingWords>;
