/** The conversation that a citation would carry, with nothing cut, and counts of what it leaves out. */
import type { Diagnostic } from '../log/diagnostics.ts';
import type { SessionHeader } from '../log/header.ts';
import type { ConversationItem } from '../surface/projection.ts';
import type { SessionFacts } from '../surface/session-facts.ts';
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

/** A log that was folded with `TranscriptFold.keep`. */
export interface FoldedTranscript {
  readonly header: SessionHeader;
  readonly capturedThroughSeq: number | null;
  readonly surface: readonly Projected[];
  readonly facts: SessionFacts;
  readonly diagnostics: readonly Diagnostic[];
}

/** For the fold of one log: what to keep of each event, and what that makes in the end. */
export class TranscriptFold {
  #applied = 0;

  /** As `SessionReading` wants it; a log can be read more than once before it is folded. */
  readonly keep = ({ version }: SessionHeader): Keep<Projected> => {
    this.#applied = 0;
    return (event, type, message) => {
      this.#applied += 1;
      return projectCounted(event, type, message, version);
    };
  };

  transcript({ header, facts, capturedThroughSeq, surface, diagnostics }: FoldedTranscript): Transcript {
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
      leftOut: sumLeftOut(surface, this.#applied),
      diagnostics,
    };
  }
}
