/** The conversation that a citation would carry, with nothing cut, and counts of what it leaves out. */
import { findSession } from '../catalog/catalog.ts';
import { throwIfCancelled } from '../errors.ts';
import type { Diagnostic } from '../log/diagnostics.ts';
import type { SessionHeader } from '../log/header.ts';
import { readSession } from '../store/read-session.ts';
import type { ConversationItem } from '../surface/projection.ts';
import type { Keep } from '../surface/session-fold.ts';
import { type LeftOut, type Projected, projectCounted, sumLeftOut } from './left-out.ts';

export interface TranscriptOptions {
  readonly roots: readonly string[];
  readonly sessionId: string;
  readonly signal?: AbortSignal;
}

export interface Transcript {
  /** The header as stored. */
  readonly session: SessionHeader;
  readonly title?: string;
  /** Of a subagent, the name that it has as one. */
  readonly subagentLabel?: string;
  readonly capturedThroughSeq: number | null;
  /** Epoch milliseconds of the latest message on the surface; undefined without one. */
  readonly lastMessageAt?: number;
  readonly items: readonly ConversationItem[];
  readonly leftOut: LeftOut;
  readonly diagnostics: readonly Diagnostic[];
}

/** Errors: SessionLogError for the look-up and the log; SESSION_REFERENCE_CANCELLED. */
export async function readTranscript({ roots, sessionId, signal }: TranscriptOptions): Promise<Transcript> {
  throwIfCancelled(signal);
  const { log } = await findSession(roots, sessionId, () => throwIfCancelled(signal));
  let applied = 0;
  const keep = ({ version }: SessionHeader): Keep<Projected> => {
    // A log can be read more than once before it is folded.
    applied = 0;
    return (event, type, message) => {
      applied += 1;
      return projectCounted(event, type, message, version);
    };
  };
  const folded = await readSession(log, { keep }, signal);
  const { header, facts, capturedThroughSeq, surface, diagnostics } = folded;
  const title = facts.title?.title;
  const { subagentLabel } = facts;
  const times = surface.map(({ time }) => time).filter(Number.isSafeInteger);
  return {
    session: header,
    ...(title === undefined ? {} : { title }),
    ...(subagentLabel === undefined ? {} : { subagentLabel }),
    capturedThroughSeq,
    ...(times.length === 0 ? {} : { lastMessageAt: times.reduce((a, b) => Math.max(a, b)) }),
    items: surface.flatMap(({ item }) => (item === undefined ? [] : [item])),
    leftOut: sumLeftOut(surface, applied),
    diagnostics,
  };
}
