import type { Transcript } from '../../snapshot/transcript.ts';
import type { OutputStream } from '../io.ts';
import { onOneLine, printable, printableLines } from './printable.ts';

/** A transcript as Markdown, laid out as `show` does: what it is of, then each message, word for word. */
export function transcriptMarkdown({ metadata, messages }: Transcript, stream: OutputStream): string {
  const { sessionId, label, cwd, capturedThroughSeq, capturedFormatVersion } = metadata;
  const line = stream.isTTY ? printable : onOneLine;
  const through = capturedThroughSeq === null ? 'no events' : `events 0 to ${capturedThroughSeq}`;
  const head = [
    `# ${line(label)}\n\n`,
    `- Session: ${line(sessionId)}\n`,
    `- Directory: ${cwd === null ? 'none recorded' : line(cwd)}\n`,
    `- Log: format v${capturedFormatVersion}, ${through}\n`,
    `- Messages: ${messages.length}\n`,
  ];
  const said = messages.map(({ role, text }) => {
    const end = text.endsWith('\n') ? '' : '\n';
    const heading = role === 'user' ? 'User' : 'Assistant';
    return `\n## ${heading}\n\n${stream.isTTY ? printableLines(text) : text}${end}`;
  });
  return head.join('') + said.join('');
}
