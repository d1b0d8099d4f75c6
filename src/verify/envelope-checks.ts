/** The envelope of one event, and whether its type belongs in the log (format document, 4.1, 4.3 and 4.6). */
import { KNOWN_TYPES } from '../log/event-types.ts';
import type { StoredEvent } from '../log/rows.ts';
import { surfaceTypesOf } from '../surface/message.ts';
import { quoted, type Report } from './event-report.ts';

const KEYS: ReadonlySet<string> = new Set([
  'type',
  'seq',
  'time',
  'data',
  'surfaceOp',
  'sourceEventSeqs',
  'ignorable',
]);

/** First and last format of the types that are tied to a structure. Other types come and go within a format. */
const FORMATS_OF_TYPE: ReadonlyMap<string, readonly [first: number, last: number]> = new Map([
  ['assistant/chunk', [0, 1]],
  ['assistant/attempt', [2, Number.POSITIVE_INFINITY]],
  ['compact/start', [0, 0]],
  ['compact/summary', [0, 0]],
  ['compact/prune', [0, 0]],
  ['compact/end', [0, 0]],
  ['steering/message', [0, 0]],
  ['system/message', [3, Number.POSITIVE_INFINITY]],
  ['image/offload', [3, Number.POSITIVE_INFINITY]],
  ['subagent/catalog', [3, Number.POSITIVE_INFINITY]],
  ['tool/code-dispatch', [0, 2]],
  ['tool/code-dispatch-start', [0, 2]],
  ['tool/ptc-dispatch', [3, Number.POSITIVE_INFINITY]],
  ['tool/ptc-dispatch-start', [3, Number.POSITIVE_INFINITY]],
  ['developer/message', [4, Number.POSITIVE_INFINITY]],
]);
const RETIRED_TYPES: ReadonlySet<string> = new Set(['request/header-delta', 'mode/set']);

export function checkEnvelope(event: StoredEvent, version: number, report: Report): void {
  const { type } = event;
  if (!Number.isSafeInteger(event.time)) {
    report(
      'event-time',
      `${type} has the time ${quoted(event.time)}, which is no whole number of milliseconds`,
    );
  }
  if (!('data' in event)) report('event-data', `${type} has no data`);
  if ('ignorable' in event && event.ignorable !== true) {
    report(
      'event-ignorable',
      `${type} has ${quoted(event.ignorable)} as "ignorable", which can only be true`,
    );
  }
  for (const key of Object.keys(event)) {
    if (!KEYS.has(key)) report('event-key', `${type} has the unknown key ${quoted(key)}`);
  }
  if (!surfaceTypesOf(version).has(type)) checkLogOnly(event, version, report);
}

function checkLogOnly(event: StoredEvent, version: number, report: Report): void {
  const { type } = event;
  const isKnown = KNOWN_TYPES.has(type);
  // From v3 on an unknown event that may be ignored is sound, whatever it carries; before that it stops an upgrade.
  if (!isKnown && event.ignorable === true && version >= 3) return;
  if (!isKnown) {
    const mark =
      event.ignorable === true ? ', marked as ignorable, but a log of this format is refused with it' : '';
    report('event-type-unknown', `the event type ${quoted(type)} is unknown${mark}`);
    return;
  }
  const formats = FORMATS_OF_TYPE.get(type);
  if (RETIRED_TYPES.has(type)) {
    report('event-type-format', `${type} is retired; the harness refuses it`);
  } else if (formats !== undefined && (version < formats[0] || version > formats[1])) {
    report('event-type-format', `${type} is no event type of format v${version}`);
  }
  for (const key of ['surfaceOp', 'sourceEventSeqs'] as const) {
    if (event[key] !== undefined)
      report('event-surface-keys', `${type} carries ${key}, which means nothing there`);
  }
}
