/** Who wrote a message: its source, by event type and format (format document, 6.1, 6.3 and 12.4). */
import { isObject } from '../log/header.ts';
import { quoted, type Report } from './event-report.ts';

/** Source kinds of v0 to v3; plug-ins of others write `plugin` there. From v4 on producers choose their own. */
const KINDS_BEFORE_V4: ReadonlySet<string> = new Set([
  'user',
  'model',
  'tool',
  'plugin',
  'session-reference',
  'agent-instructions',
  'skill-catalog',
  'skill-invocation',
  'goal',
  'coordinator',
  'subagent-report',
  'subagent-settled',
  'team-message',
  'agent-message',
  'webhook',
]);

/** The only kind that a type may have; others are free. */
const KIND_OF_TYPE: ReadonlyMap<string, string> = new Map([
  ['assistant/message', 'model'],
  ['tool/result', 'tool'],
]);

export function checkSource(
  source: unknown,
  { type, version }: { readonly type: string; readonly version: number },
  report: Report,
): void {
  if (!isObject(source) || typeof source.kind !== 'string' || source.kind === '') {
    report('message-source', `the message of ${type} does not say who wrote it`);
    return;
  }
  const { kind } = source;
  const due = KIND_OF_TYPE.get(type);
  if (due !== undefined && kind !== due) {
    report('message-source', `the message of ${type} has the source kind ${quoted(kind)}, not "${due}"`);
    return;
  }
  if (version >= 4 && kind === 'plugin') {
    report('message-source', `the message of ${type} has the source kind "plugin", which v4 does not have`);
  } else if (version <= 3 && !KINDS_BEFORE_V4.has(kind)) {
    report('message-source', `the message of ${type} has the unknown source kind ${quoted(kind)}`);
  } else if (kind === 'plugin' && !isNonEmptyString(source.plugin)) {
    report('message-source', `the message of ${type} is a plug-in's, but does not name it`);
  }
  const namesModel = isNonEmptyString(source.provider) && isNonEmptyString(source.model);
  if (kind === 'model' && !namesModel) {
    report('message-source', `the message of ${type} does not name its provider and model`);
  }
}

function isNonEmptyString(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
