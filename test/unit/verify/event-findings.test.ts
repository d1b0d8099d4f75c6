/** One small log for each thing that can be wrong with an event; each gives that finding and nothing else. */
import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '../../../src/verify/event-kinds.ts';
import { randomConversation } from '../../support/log-writer/conversation.ts';
import {
  ALL_FORMATS,
  type Format,
  type Json,
  LogScript,
  textBlock,
} from '../../support/log-writer/log-script.ts';
import { kindsOfLines } from './check.ts';

type Write = (script: LogScript) => unknown;
type Case = readonly [kind: string, what: string, format: Format, write: Write];

const USER = { kind: 'user' };
const message = (more: Json = {}): Json => ({
  id: 'm',
  role: 'user',
  source: USER,
  content: [textBlock('x')],
  ...more,
});
const said = (script: LogScript, more: Json, extra: Json = { surfaceOp: 'append' }) =>
  script.event('user/message', message(more), extra);
const assistant = (script: LogScript, more: Json, data: Json = {}) => {
  const source = { kind: 'model', provider: 'p', model: 'm' };
  const stream = script.format >= 2 ? { stream: [] } : {};
  const inner = { id: 'a', role: 'assistant', source, content: [textBlock('x')], ...more };
  script.event(
    'assistant/message',
    { turn: 1, step: 1, message: inner, ...stream, ...data },
    { surfaceOp: 'append' },
  );
};
const result = (script: LogScript, change: (inner: Json) => Json) => {
  script.assistant('', { blocks: [{ type: 'tool-call', id: 'c', name: 'read', arguments: '{}' }] });
  const data = script.toolResultData('c', 'out', 'r') as { message: Json };
  script.event('tool/result', { ...data, message: change(data.message) }, { surfaceOp: 'append' });
};
const image = { type: 'image', attachment: { attachmentId: 'sha256:00' } };

const CASES: readonly Case[] = [
  ['event-type-unknown', 'in v4', 4, (s) => s.event('new/thing', {})],
  ['event-type-unknown', 'ignorable in v2', 2, (s) => s.event('new/thing', {}, { ignorable: true })],
  ['event-type-format', 'a chunk in v2', 2, (s) => s.event('assistant/chunk', {})],
  ['event-type-format', 'retired', 0, (s) => s.event('mode/set', {})],
  ['event-type-format', 'a developer message in v3', 3, (s) => s.event('developer/message', {})],
  ['event-time', 'none', 4, (s) => s.raw('{"type":"todo/write","seq":0,"data":{}}')],
  ['event-time', 'a fraction', 4, (s) => s.raw('{"type":"todo/write","seq":0,"time":1.5,"data":{}}')],
  ['event-data', 'none', 4, (s) => s.raw('{"type":"todo/write","seq":0,"time":1}')],
  ['event-ignorable', 'false', 4, (s) => s.event('todo/write', {}, { ignorable: false })],
  ['event-key', 'one more', 4, (s) => s.event('todo/write', {}, { extra: 1 })],
  ['event-surface-keys', 'surfaceOp', 4, (s) => s.event('todo/write', {}, { surfaceOp: 'append' })],
  ['event-surface-keys', 'sources', 4, (s) => s.event('todo/write', {}, { sourceEventSeqs: [] })],
  ['message-content', 'a string', 4, (s) => said(s, { content: 'x' })],
  ['surface-op', 'none', 4, (s) => said(s, {}, {})],
  [
    'surface-op',
    'the spelling of v2',
    4,
    (s) => said(s, {}, { surfaceOp: { op: 'replace', start: 0, end: 0 } }),
  ],
  ['sources-invalid', 'own seq', 4, (s) => said(s, {}, { surfaceOp: 'append', sourceEventSeqs: [0] })],
  ['sources-odd', 'empty', 4, (s) => said(s, {}, { surfaceOp: 'append', sourceEventSeqs: [] })],
  [
    'sources-odd',
    'on an assistant message of v3',
    3,
    (s) => s.user('a') + s.assistant('b', { sourceEventSeqs: [0] }),
  ],
  ['replacement-invalid', 'of nothing', 4, (s) => said(s, {}, { surfaceOp: s.replace(0, 0) })],
  ['replacement-invalid', 'uncited', 2, (s) => s.user('a') + said(s, {}, { surfaceOp: s.replace(0, 0) })],
  ['seed-mark', 'without a mark', 4, (s) => Object.assign(s.header, { isSeeded: true })],
  ['seed-mark', 'without a header', 4, (s) => s.endSeed(true)],
  ['seed-length', 'too long', 1, (s) => Object.assign(s.header, { seedLength: 3 })],
  ['message-id', 'none', 1, (s) => said(s, { id: '' })],
  ['message-role', 'another', 4, (s) => said(s, { role: 'assistant' })],
  ['message-source', 'none', 4, (s) => said(s, { source: {} })],
  ['message-source', 'plugin in v4', 4, (s) => said(s, { source: { kind: 'plugin', plugin: 'x' } })],
  ['message-source', 'unknown in v3', 3, (s) => said(s, { source: { kind: 'cron' } })],
  ['message-source', 'no plug-in', 3, (s) => said(s, { source: { kind: 'plugin' } })],
  [
    'message-source',
    'no model',
    4,
    (s) => assistant(s, { source: { kind: 'model', provider: '', model: 'm' } }),
  ],
  ['message-source', 'wrong kind', 4, (s) => assistant(s, { source: USER })],
  ['message-shape', 'no stream', 2, (s) => assistant(s, {}, { stream: undefined })],
  ['message-shape', 'a stream', 1, (s) => assistant(s, {}, { stream: [] })],
  ['message-shape', 'interrupted', 4, (s) => assistant(s, {}, { interrupted: false })],
  ['message-shape', 'no turn', 4, (s) => assistant(s, {}, { turn: 'one' })],
  [
    'message-shape',
    'flat in v1',
    1,
    (s) => s.event('assistant/message', { turn: 1, step: 1, content: [] }, { surfaceOp: 'append' }),
  ],
  [
    'message-shape',
    'error without a mark',
    4,
    (s) => {
      s.assistant('', { blocks: [{ type: 'tool-call', id: 'c', name: 'read', arguments: '{}' }] });
      const data = s.toolResultData('c', 'out', 'r');
      s.event('tool/result', { ...data, error: { name: 'E', code: 'E' } }, { surfaceOp: 'append' });
    },
  ],
  [
    'message-shape',
    'two system blocks',
    4,
    (s) => {
      const inner = {
        id: 's',
        role: 'system',
        source: { kind: 'system-prompt' },
        content: [textBlock('a'), textBlock('b')],
      };
      s.event('system/message', { turn: 1, step: 1, message: inner }, { surfaceOp: 'append' });
    },
  ],
  ['content-block', 'no type', 4, (s) => said(s, { content: [{}] })],
  ['content-block', 'text without text', 4, (s) => said(s, { content: [{ type: 'text' }] })],
  [
    'content-block',
    'reasoning of a person',
    4,
    (s) => said(s, { content: [{ type: 'reasoning', text: '' }] }),
  ],
  ['content-block', 'a file in v1', 1, (s) => said(s, { content: [{ ...image, type: 'file' }] })],
  ['content-block-unknown', 'in v3', 3, (s) => said(s, { content: [{ type: 'video' }] })],
  ['call-id', 'empty', 4, (s) => result(s, (m) => ({ ...m, toolCallId: '' }))],
  ['call-id', 'two', 4, (s) => result(s, (m) => ({ ...m, toolCallId: 'd' }))],
  ['call-pairing', 'no call', 4, (s) => s.toolResult('c', 'out')],
  [
    'call-pairing',
    'no result',
    4,
    (s) => {
      s.startTurn();
      s.assistant('', { blocks: [{ type: 'tool-call', id: 'c', name: 'read', arguments: '{}' }] });
      s.endTurn();
    },
  ],
  ['call-pairing', 'tool/call', 4, (s) => s.event('tool/call', { callId: 'c' })],
  [
    'turn-nesting',
    'turn in turn',
    4,
    (s) => s.event('turn/start', { turn: 1 }) + s.event('turn/start', { turn: 2 }),
  ],
  ['turn-nesting', 'no turn', 4, (s) => s.event('turn/end', { turn: 1, reason: { kind: 'completed' } })],
  ['turn-nesting', 'step outside', 4, (s) => s.event('step/start', { turn: 1, step: 1 })],
  ['turn-nesting', 'no step', 4, (s) => s.event('step/end', { turn: 1, step: 1 })],
  ['turn-reason', 'unknown', 4, (s) => s.startTurn() + s.endTurn('tired')],
  ['title-blank', 'blank', 4, (s) => s.title(' ')],
  ['title-blank', 'null', 4, (s) => s.title(null)],
  ['title-source', 'unknown', 4, (s) => s.title('x', { kind: 'me' })],
  ['descriptor-shape', 'version', 4, (s) => s.descriptor({ version: 9 })],
  ['descriptor-shape', 'no label', 4, (s) => s.descriptor({ mode: 'continuable' })],
  ['catalog-shape', 'no child', 4, (s) => s.event('subagent/catalog', { version: 0 })],
  [
    'offload-target',
    'not there',
    4,
    (s) => s.event('image/offload', { targets: [{ seq: 7, imageIndexes: [] }] }),
  ],
  [
    'offload-target',
    'no such image',
    4,
    (s) => {
      said(s, { content: [image, image] });
      s.event('image/offload', { targets: [{ seq: 0, imageIndexes: [0, 2] }] });
    },
  ],
  [
    'seq-reference',
    'later',
    4,
    (s) => s.event('session/title', { title: 'x', messageSeqs: [0], source: { kind: 'user' } }),
  ],
  [
    'seq-reference',
    'range',
    1,
    (s) => s.event('compaction/summary', { shadowedRange: { start: 0, end: 'x' } }),
  ],
  ['end-seed', 'in v1', 1, (s) => s.endSeed(true)],
  [
    'request-settings',
    'retired reason',
    1,
    (s) => s.event('request/header', { header: {}, reason: 'fallback' }),
  ],
  [
    'request-settings',
    'system in v3',
    3,
    (s) => s.event('request/header', { header: { system: '' }, reason: 'initial' }),
  ],
  ['request-settings', 'window', 4, (s) => s.contextWindow(0)],
];

describe('what can be wrong with an event', () => {
  it.each(CASES)('%s: %s', (kind, _what, format, write) => {
    const script = new LogScript(format);
    write(script);
    const found = kindsOfLines(script.lines).map((entry) => entry.slice(2));
    expect([...new Set(found)]).toEqual([kind]);
  });

  it('every kind of an event has a case', () => {
    const tested = new Set(CASES.map(([kind]) => kind));
    expect(Object.keys(EVENT_KINDS).filter((kind) => !tested.has(kind))).toEqual([]);
  });
});

describe('what is as it should be', () => {
  it.each(ALL_FORMATS)('v%i conversations have no findings', (format) => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const { script } = randomConversation({ format, seed, bytes: 20_000 });
      expect(kindsOfLines(script.lines)).toEqual([]);
    }
  });

  it('an unknown event that may be ignored is sound from v3 on, whatever it carries', () => {
    const script = new LogScript(3);
    script.event('new/thing', {}, { ignorable: true, surfaceOp: 'append', sourceEventSeqs: [] });
    expect(kindsOfLines(script.lines)).toEqual([]);
  });

  it('the shapes of early v0 are sound in v0', () => {
    const script = new LogScript(0);
    script.event('user/message', { source: USER, content: [textBlock('x')] }, { surfaceOp: 'append' });
    script.event(
      'steering/message',
      { turn: 1, content: [textBlock('x')], source: USER },
      { surfaceOp: 'append' },
    );
    script.event(
      'assistant/message',
      { turn: 1, step: 1, content: [textBlock('x')] },
      { surfaceOp: 'append' },
    );
    script.event('compact/start', {});
    expect(kindsOfLines(script.lines)).toEqual([]);
  });

  it('a turn may start inside another when its input was delivered next', () => {
    const script = new LogScript(4);
    script.event('turn/start', { turn: 1 });
    script.event('agent/inbox/spliced', { target: 'next-turn', inserted: [{}] });
    script.event('turn/start', { turn: 2 });
    expect(kindsOfLines(script.lines)).toEqual([]);
  });

  it('an offload follows replacements: only what is current now can be named', () => {
    const script = new LogScript(4);
    said(script, { content: [image] });
    said(script, { content: [image, image] }, { surfaceOp: script.replace(0, 0), sourceEventSeqs: [0] });
    script.event('image/offload', { targets: [{ seq: 1, imageIndexes: [0, 1] }] });
    expect(kindsOfLines(script.lines)).toEqual([]);
    script.event('image/offload', { targets: [{ seq: 0, imageIndexes: [0] }] });
    expect(kindsOfLines(script.lines)).toEqual(['w offload-target']);
  });

  it('a replacement of an event that was refused is no finding of its own', () => {
    const script = new LogScript(4);
    said(script, {}, {});
    said(script, {}, { surfaceOp: script.replace(0, 0), sourceEventSeqs: [0] });
    expect(kindsOfLines(script.lines)).toEqual(['e surface-op']);
  });
});
