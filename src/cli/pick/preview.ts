/** The last messages of the selected session: read when the selection rests, given up when it moves on. */

import type { Conversation } from '../../store.ts';
import { printable, printableLines } from '../output/printable.ts';
import { wrapText } from './wrap.ts';

/** A message as far as a preview can show it. */
export interface PreviewMessage {
  readonly who: 'user' | 'assistant' | 'checkpoint';
  readonly text: string;
}

export type Preview =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'reading' }
  | { readonly kind: 'messages'; readonly messages: readonly PreviewMessage[] }
  | { readonly kind: 'fault'; readonly message: string };

/** Previews of one session at a time. */
export interface Previews {
  /** Asks for the preview of a session, in place of the one asked for before. */
  show(sessionId: string | undefined): void;
  current(): Preview;
  /** Gives up what is being read. */
  stop(): void;
}

export interface PreviewSource {
  readonly read: (sessionId: string, signal: AbortSignal) => Promise<Conversation>;
  /** Called when `current` has become another. */
  readonly onChange: () => void;
}

const DEBOUNCE_MS = 80;
const MAX_REMEMBERED = 50;
const MAX_MESSAGES = 40;
const MAX_MESSAGE_LENGTH = 4000;
const NOTHING: Preview = { kind: 'nothing' };

/** Previews read from `source`; the last ones are remembered, with no more than can be shown of them. */
export function createPreviews({ read, onChange }: PreviewSource): Previews {
  const remembered = new Map<string, Preview>();
  let wanted: string | undefined;
  let current = NOTHING;
  let stop = (): void => undefined;
  const start = async (sessionId: string, { signal }: AbortController): Promise<void> => {
    const preview = await read(sessionId, signal).then(messagesOf, faultOf);
    if (signal.aborted) return;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(sessionId, preview);
    current = preview;
    onChange();
  };
  return {
    show(sessionId) {
      if (sessionId === wanted) return;
      stop();
      wanted = sessionId;
      current = sessionId === undefined ? NOTHING : (remembered.get(sessionId) ?? { kind: 'reading' });
      if (sessionId === undefined || current.kind !== 'reading') return;
      const controller = new AbortController();
      const timer = setTimeout(() => void start(sessionId, controller), DEBOUNCE_MS);
      stop = () => {
        clearTimeout(timer);
        controller.abort();
      };
    },
    current: () => current,
    stop: () => stop(),
  };
}

function messagesOf({ items }: Conversation): Preview {
  const messages = items.slice(-MAX_MESSAGES).map(({ role, text, checkpoint }) => {
    // A copy: a slice would keep the whole text in memory.
    const shown = Buffer.from(text.slice(0, MAX_MESSAGE_LENGTH)).toString();
    return { who: checkpoint ? ('checkpoint' as const) : role, text: shown };
  });
  return { kind: 'messages', messages };
}

function faultOf(error: unknown): Preview {
  return { kind: 'fault', message: error instanceof Error ? error.message : String(error) };
}

/** A line of the preview; the first `headLength` characters say who speaks. */
export interface PreviewLine {
  readonly text: string;
  readonly headLength: number;
  readonly isFault?: boolean;
}

/** At most `height` lines of at most `width` columns: the newest messages, the last one at the end, each cut short. */
export function previewLines(preview: Preview, width: number, height: number): PreviewLine[] {
  switch (preview.kind) {
    case 'nothing':
      return [];
    case 'reading':
      return plainLines('reading …', width, height);
    case 'fault': {
      const said = printable(preview.message.slice(0, MAX_MESSAGE_LENGTH));
      return plainLines(`cannot be read: ${said}`, width, height).map((line) => ({ ...line, isFault: true }));
    }
    case 'messages': {
      if (preview.messages.length === 0) return plainLines('no messages', width, height);
      return messageLines(preview.messages, width, height);
    }
  }
}

function plainLines(text: string, width: number, height: number): PreviewLine[] {
  return wrapText(text, width, height).map((line) => ({ text: line, headLength: 0 }));
}

function messageLines(messages: readonly PreviewMessage[], width: number, height: number): PreviewLine[] {
  const longest = Math.max(2, Math.floor(height / Math.min(3, messages.length)));
  let lines: PreviewLine[] = [];
  for (const { who, text } of messages.toReversed()) {
    const room = Math.min(longest, height - lines.length);
    if (room < 1) break;
    const head = `${who}: `;
    const wrapped = wrapText(head + printableLines(text).trim(), width, room);
    lines = [
      ...wrapped.map((line, at) => ({
        text: line,
        headLength: at === 0 && line.startsWith(head) ? head.length : 0,
      })),
      ...lines,
    ];
  }
  return lines;
}
