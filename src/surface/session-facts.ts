/** Facts folded beside the surface: title, subagent label, context window, and what a fork copied. */
import { isCount, isObject, type SessionHeader } from '../log/header.ts';
import type { StoredEvent } from '../log/rows.ts';

/** The latest title that counts (format document, 8.1; contract, 6.8). */
export interface SessionTitle {
  readonly title: string;
  /** Seq of the winning event. */
  readonly eventSeq: number;
}

interface Descriptor {
  readonly label?: string;
  readonly seq: number;
}

/** All that has been folded so far: a later fold can go on from it. */
export interface FactsState {
  readonly title?: SessionTitle;
  readonly descriptor?: Descriptor;
  readonly inheritedMarkerSeq?: number;
  /** Tokens. */
  readonly contextWindow?: number;
}

export class SessionFacts {
  readonly #header: SessionHeader;
  #title: SessionTitle | undefined;
  #descriptor: Descriptor | undefined;
  #inheritedMarkerSeq: number | undefined;
  #contextWindow: number | undefined;

  constructor(header: SessionHeader, state: FactsState = {}) {
    this.#header = header;
    this.#title = state.title;
    this.#descriptor = state.descriptor;
    this.#inheritedMarkerSeq = state.inheritedMarkerSeq;
    this.#contextWindow = state.contextWindow;
  }

  get state(): FactsState {
    return {
      ...(this.#title && { title: this.#title }),
      ...(this.#descriptor && { descriptor: this.#descriptor }),
      ...(this.#inheritedMarkerSeq !== undefined && { inheritedMarkerSeq: this.#inheritedMarkerSeq }),
      ...(this.#contextWindow !== undefined && { contextWindow: this.#contextWindow }),
    };
  }

  apply(event: StoredEvent): void {
    switch (event.type) {
      case 'session/title':
        this.#title = decodeTitle(event) ?? this.#title;
        break;
      case 'subagent/descriptor':
        this.#descriptor = decodeDescriptor(event);
        break;
      case 'session/end-seed':
        if (isObject(event.data) && event.data.inherited === true) this.#inheritedMarkerSeq = event.seq;
        break;
      case 'request/context':
        this.#contextWindow = decodeContextWindow(event);
        break;
    }
  }

  get title(): SessionTitle | undefined {
    return this.#title;
  }

  /** Tokens, by the last `request/context`; undefined when that one does not say (format document, 11). */
  get contextWindow(): number | undefined {
    return this.#contextWindow;
  }

  /** How many events at the front were copied from the parent (format document, section 3). */
  get inheritedEventCount(): number {
    if (this.#header.version <= 1) return this.#header.seedLength ?? 0;
    return this.#header.isSeeded === true ? (this.#inheritedMarkerSeq ?? 0) : 0;
  }

  /** The session's own subagent label; a label that a fork inherited is an ancestor's (format document, 8.2). */
  get subagentLabel(): string | undefined {
    if (this.#header.origin !== 'subagent' || this.#descriptor === undefined) return undefined;
    return this.#descriptor.seq >= this.inheritedEventCount ? this.#descriptor.label : undefined;
  }

  /** Contradiction between the header and the fork's mark, as a phrase; undefined when there is none. */
  seedFault(): string | undefined {
    if (this.#header.version <= 1) return undefined;
    const hasMarker = this.#inheritedMarkerSeq !== undefined;
    if (this.#header.isSeeded === hasMarker) return undefined;
    return hasMarker
      ? 'it marks inherited events, but its header says that it has none'
      : 'its header says that it has inherited events, but nothing marks their end';
  }
}

function decodeTitle(event: StoredEvent): SessionTitle | undefined {
  const { data } = event;
  if (!isObject(data) || typeof data.title !== 'string' || data.title.trim() === '') return undefined;
  return { title: data.title, eventSeq: event.seq };
}

/** A descriptor of an unknown version or of an invalid shape resets the result to none. */
function decodeDescriptor(event: StoredEvent): Descriptor | undefined {
  const { data } = event;
  if (!isObject(data)) return undefined;
  const { version, label, provider } = data;
  if (version !== 1 && version !== 2 && version !== 3) return undefined;
  const mode = version === 1 ? 'continuable' : data.mode;
  if (mode !== 'one-shot' && mode !== 'continuable') return undefined;
  if (typeof provider !== 'string') return undefined;
  if (label !== undefined && typeof label !== 'string') return undefined;
  if (mode === 'continuable' && label === undefined) return undefined;
  return label === undefined ? { seq: event.seq } : { label, seq: event.seq };
}

function decodeContextWindow(event: StoredEvent): number | undefined {
  const { data } = event;
  if (!isObject(data)) return undefined;
  const window = data.contextWindow;
  return isCount(window) && window > 0 ? window : undefined;
}
