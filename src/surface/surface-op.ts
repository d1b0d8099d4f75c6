/** `surfaceOp`: append, or a replacement in the spelling of the log's format (format document, 5.2). */
import { isCount, isObject } from '../log/header.ts';

export type SurfaceOp = 'append' | { readonly startSeq: number; readonly endSeq: number };

/** The operation of an event in a log of format `version`, or undefined when it is none. */
export function decodeSurfaceOp(value: unknown, version: number): SurfaceOp | undefined {
  if (value === 'append') return 'append';
  if (!isObject(value) || value.op !== 'replace' || Object.keys(value).length !== 3) return undefined;
  const [startSeq, endSeq] = version <= 2 ? [value.start, value.end] : [value.startSeq, value.endSeq];
  return isCount(startSeq) && isCount(endSeq) ? { startSeq, endSeq } : undefined;
}
