/** Options of `prepare`. */
import type { SpillFlags } from './spill.ts';

export const PREPARE_FORMATS = ['json', 'text', 'ndjson'] as const;
export type PrepareFormat = (typeof PREPARE_FORMATS)[number];

export interface PrepareFlags extends SpillFlags {
  readonly maxBytes?: number;
  readonly contextWindow?: number;
  readonly contextFraction?: number;
  readonly maxReferences?: number;
  readonly reference?: readonly string[];
  readonly messages?: string;
  readonly explain?: boolean;
  readonly format?: PrepareFormat;
}
