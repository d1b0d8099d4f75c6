/** Findings about events: envelope, surface, messages, turns, and what single types carry. */
import type { FindingWords } from './finding-words.ts';

export const EVENT_KINDS = {
  'event-type-unknown': {
    severity: 'warning',
    title: 'unknown event type',
    meaning:
      'A type that no known format has; its event is passed over and the text around it stays readable.',
    rule: '4.3',
  },
  'event-type-format': {
    severity: 'warning',
    title: 'event type of another format',
    meaning: 'The format of this log does not have this event type.',
    rule: '4.3, 4.5, 4.6',
  },
  'event-time': {
    severity: 'warning',
    title: 'bad time',
    meaning: 'An event has no time that is a whole number of milliseconds.',
    rule: '4.1',
  },
  'event-data': {
    severity: 'warning',
    title: 'no data',
    meaning: 'An event has no data.',
    rule: '4.1',
  },
  'event-ignorable': {
    severity: 'warning',
    title: 'bad ignorable mark',
    meaning: 'The mark `ignorable` is something else than true.',
    rule: '4.1',
  },
  'event-key': {
    severity: 'warning',
    title: 'unknown event key',
    meaning: 'An event has a key beside the seven that exist.',
    rule: '4.1',
  },
  'event-surface-keys': {
    severity: 'warning',
    title: 'surface keys on a log-only event',
    meaning:
      'surfaceOp or sourceEventSeqs on an event that is never on the surface; they mean nothing there.',
    rule: '4.1, 5.1',
  },
  'message-content': {
    severity: 'error',
    title: 'message without content',
    meaning: 'An event that is on the surface has no message with an array of content.',
    rule: '6.1, 12.5',
  },
  'surface-op': {
    severity: 'error',
    title: 'no surface operation',
    meaning: 'An event that is on the surface does not say where: no valid surfaceOp of its format.',
    rule: '5.1, 5.2',
  },
  'sources-invalid': {
    severity: 'error',
    title: 'bad provenance list',
    meaning: 'sourceEventSeqs is no list of earlier seqs without repeats.',
    rule: '4.2, 5.4',
  },
  'sources-odd': {
    severity: 'warning',
    title: 'unexpected provenance list',
    meaning: 'sourceEventSeqs stands, or is empty, where the format does not allow it.',
    rule: '5.4',
  },
  'replacement-invalid': {
    severity: 'error',
    title: 'impossible replacement',
    meaning: 'A replacement names what is not on the surface, does not cite it, or may not replace it.',
    rule: '5.3 to 5.5',
  },
  'seed-mark': {
    severity: 'error',
    title: 'fork mark contradicts the header',
    meaning: 'The header and the mark of inherited events disagree.',
    rule: '3, 9.3',
  },
  'seed-length': {
    severity: 'warning',
    title: 'more inherited events than events',
    meaning: 'The header says that more events were copied from the parent than the log has.',
    rule: '3',
  },
  'message-id': {
    severity: 'warning',
    title: 'message without id',
    meaning: 'A message has no non-empty string as its id.',
    rule: '6.1',
  },
  'message-role': {
    severity: 'warning',
    title: 'wrong role',
    meaning: 'A message has another role than its event type asks for.',
    rule: '6.1',
  },
  'message-source': {
    severity: 'warning',
    title: 'bad message source',
    meaning: 'A message does not say who wrote it, or says it in a way that its format does not have.',
    rule: '6.1, 6.3',
  },
  'message-shape': {
    severity: 'warning',
    title: 'odd message shape',
    meaning: 'A message, or what stands beside it, has another shape than its format has.',
    rule: '6.1, 12.0',
  },
  'content-block': {
    severity: 'warning',
    title: 'odd content block',
    meaning: 'A block of a message is malformed, or stands where its type does not belong.',
    rule: '6.2',
  },
  'content-block-unknown': {
    severity: 'warning',
    title: 'unknown content block',
    meaning: 'A block has a type that its format does not have; it is passed over.',
    rule: '6.2, 12.3',
  },
  'call-id': {
    severity: 'warning',
    title: 'bad tool call id',
    meaning: 'A tool result names no call, or two different ones.',
    rule: '6.1',
  },
  'call-pairing': {
    severity: 'warning',
    title: 'call without result, or the reverse',
    meaning: 'Tool calls and results of a step do not match.',
    rule: '9.1',
  },
  'turn-nesting': {
    severity: 'warning',
    title: 'turns or steps out of order',
    meaning: 'Turns and steps do not begin and end as they must.',
    rule: '4.6, 9.1, 12.2',
  },
  'turn-reason': {
    severity: 'warning',
    title: 'unknown end of turn',
    meaning: 'A turn ends for a reason that no format knows.',
    rule: '4.6',
  },
  'title-blank': {
    severity: 'warning',
    title: 'blank title',
    meaning: 'A title is no string or blank; it does not count.',
    rule: '8.1',
  },
  'title-source': {
    severity: 'warning',
    title: 'bad title source',
    meaning: 'A title does not say where it comes from.',
    rule: '8.1',
  },
  'descriptor-shape': {
    severity: 'warning',
    title: 'bad subagent descriptor',
    meaning: 'A descriptor has an unknown version or an invalid shape; it resets the label to none.',
    rule: '8.2',
  },
  'catalog-shape': {
    severity: 'warning',
    title: 'bad subagent catalog entry',
    meaning: 'An entry about a child session is malformed.',
    rule: '8.2',
  },
  'offload-target': {
    severity: 'warning',
    title: 'bad image offload',
    meaning: 'An offload names no current message, or images that it does not have.',
    rule: '5.7',
  },
  'seq-reference': {
    severity: 'warning',
    title: 'reference to no earlier event',
    meaning:
      'An event refers to a seq that is not before its own; the harness refuses such a log when it upgrades it.',
    rule: '12',
  },
  'end-seed': {
    severity: 'warning',
    title: 'bad fork or resume mark',
    meaning: 'A session/end-seed carries data that its format does not have.',
    rule: '9.3',
  },
  'request-settings': {
    severity: 'warning',
    title: 'odd request settings',
    meaning:
      'A request/header or request/context has a form that its format does not have, or a retired one.',
    rule: '4.3, 11',
  },
} as const satisfies Record<string, FindingWords>;
