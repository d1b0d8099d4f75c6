/** Every kind of finding. Kinds are stable: scripts route on them. One without words does not compile. */
import { EVENT_KINDS } from './event-kinds.ts';
import type { FindingWords } from './finding-words.ts';
import { LOG_KINDS } from './log-kinds.ts';

export const FINDING_KINDS = { ...LOG_KINDS, ...EVENT_KINDS } as const satisfies Record<string, FindingWords>;

export type FindingKind = keyof typeof FINDING_KINDS;

/** In the order of a log: its file, then its events. */
export const ALL_FINDING_KINDS = Object.keys(FINDING_KINDS) as readonly FindingKind[];
