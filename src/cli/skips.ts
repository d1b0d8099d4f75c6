/** Sessions that were skipped: one line for all of them, or the failure that `--strict` asks for. */

import type { Skip } from '../store.ts';
import { type CommandContext, detail, notice } from './context.ts';
import { CliError } from './exit.ts';

/** Reports `skipped` on standard error, each with its reason under `-v`; throws `DSH_REF_SKIPPED` under `--strict`. */
export function reportSkips(context: CommandContext, skipped: readonly Skip[]): void {
  const [first] = skipped;
  if (first === undefined) return;
  if (context.common.strict === true) {
    const message = `${summary(skipped)}; the first is ${describe(first)}`;
    throw new CliError('DSH_REF_SKIPPED', message, { details: { skipped } });
  }
  const hint = context.common.verbose === true ? '' : '; -v names each';
  notice(context, `${summary(skipped)}${hint}`);
  for (const skip of skipped) detail(context, `skipped ${describe(skip)}`);
}

function summary(skipped: readonly Skip[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of skipped) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const noun = skipped.length === 1 ? 'session' : 'sessions';
  return `${skipped.length} ${noun} skipped (${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')})`;
}

function describe({ path, kind, message }: Skip): string {
  const where = message.includes(path) ? '' : `${JSON.stringify(path)}: `;
  return `${where}${kind}: ${message}`;
}
