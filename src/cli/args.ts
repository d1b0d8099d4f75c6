/** Strict reading of option values. What is no number is a usage error that names the option. */

import { InvalidArgumentError } from 'commander';
import { MAX_TIMER_MS } from './perform.ts';

/** A whole number without sign, point or exponent, at most 2^53 - 1. Its range is the library's business. */
export function parseCount(value: string): number {
  const count = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(count)) throw new InvalidArgumentError('It must be a whole number.');
  return count;
}

/** As `parseCount`, from 1 on. */
export function parsePositiveCount(value: string): number {
  const count = parseCount(value);
  if (count === 0) throw new InvalidArgumentError('It must be at least 1.');
  return count;
}

/** Milliseconds that a timer can wait. */
export function parseMilliseconds(value: string): number {
  const delayMs = parsePositiveCount(value);
  if (delayMs > MAX_TIMER_MS) throw new InvalidArgumentError(`It must be at most ${MAX_TIMER_MS}.`);
  return delayMs;
}

/** A decimal fraction such as `0.25`, without sign or exponent. Its range is the library's business. */
export function parseFraction(value: string): number {
  if (!/^(?:\d+\.?\d*|\.\d+)$/.test(value))
    throw new InvalidArgumentError('It must be a number such as 0.25.');
  return Number(value);
}

/** Any text but an empty or blank one. */
export function parseNonBlank(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return value;
}

/** Values of an option that may be repeated, in order. */
export function collectNonBlank(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), parseNonBlank(value)];
}
