/** What a session is ranked and told apart by, as its header has it. */
import type { SessionHeader } from '../log/header.ts';

/** A session of its own, a copy that goes on from another's history, or one that an agent started. */
export type SessionOrigin = 'root' | 'fork' | 'subagent';

export interface SessionOutline {
  readonly id: string;
  /** Unix epoch milliseconds. */
  readonly createdAt: number;
  /** Directory on the machine that wrote the log, as recorded. */
  readonly cwd?: string | undefined;
  readonly origin: SessionOrigin;
}

export function outlineOf(header: SessionHeader): SessionOutline {
  const { id, createdAt, cwd } = header;
  return { id, createdAt, cwd, origin: originOf(header) };
}

function originOf(header: SessionHeader): SessionOrigin {
  if (header.origin === 'subagent') return 'subagent';
  return header.isSeeded === true || header.seedLength !== undefined ? 'fork' : 'root';
}
