import { describe, expect, test } from 'vitest';
import { messageParts, messageText, surfaceTypeOf } from '../../../src/surface/message.ts';
import { projectEvent } from '../../../src/surface/projection.ts';
import {
  ALL_FORMATS,
  type Format,
  type Json,
  LogScript,
  textBlock,
} from '../../support/log-writer/log-script.ts';
import { eventsOf } from '../../support/log-writer/read-back.ts';

/** The item that the only event of a script becomes. */
function itemOf(format: Format, write: (script: LogScript) => void) {
  const script = new LogScript(format);
  write(script);
  const [event] = eventsOf(script.rows);
  return projectEvent(0, surfaceTypeOf(event!), messageParts(event!)!, format);
}

describe('text (6.2)', () => {
  test('text blocks only, top level only, joined with a line feed', () => {
    const blocks = [
      textBlock('a'),
      { type: 'reasoning', text: 'no' },
      { type: 'tool-call', id: 'c', name: 'n', arguments: '{}' },
      { type: 'tool-result', toolCallId: 'c', content: [textBlock('no')] },
      { type: 'image', text: 'no' },
      textBlock(''),
      textBlock('b\nc'),
    ];
    expect(messageText(blocks)).toBe('a\n\nb\nc');
    expect(messageText([])).toBe('');
  });

  test('H-23: odd blocks are passed over', () => {
    expect(
      messageText([null, 5, 'x', [], {}, { type: 'text' }, { type: 'text', text: 5 }, textBlock('kept')]),
    ).toBe('kept');
  });
});

describe.each(ALL_FORMATS)('items of v%i', (format) => {
  test('H-60: a user message is a person’s when its source says so, and by nothing else', () => {
    const item = { role: 'user', text: 'hi', checkpoint: false, seq: 0 };
    expect(itemOf(format, (script) => script.user('hi'))).toEqual(item);
    expect(itemOf(format, (script) => script.user('hi', { source: { kind: 'user', rpcId: 1 } }))).toEqual(
      item,
    );
    const others: Json[] = [
      { kind: 'plugin', plugin: 'plan-mode' },
      { kind: 'plugin', plugin: 'dsh-compaction-basic' },
      { kind: 'plugin' },
      { kind: 'compact-basic' },
      { kind: 'session-reference' },
      { kind: 'User' },
      { kind: 'agent-instructions' },
      { kind: 'compact' },
      { plugin: 'compact' },
      {},
    ];
    for (const source of others)
      expect(itemOf(format, (script) => script.user('hi', { source }))).toBeUndefined();
  });

  test('H-61: checkpoints, by the format’s own marker (v4: either)', () => {
    const checkpoint = { role: 'user', text: 'sum', checkpoint: true, seq: 0 };
    const old = itemOf(format, (script) =>
      script.user('sum', { source: { kind: 'plugin', plugin: 'compact' } }),
    );
    const fresh = itemOf(format, (script) => script.user('sum', { source: { kind: 'compact-checkpoint' } }));
    expect(old).toEqual(checkpoint);
    expect(fresh).toEqual(format === 4 ? checkpoint : undefined);
  });

  test('an answer is its text; without any it is nothing', () => {
    expect(itemOf(format, (script) => script.assistant('yes'))).toEqual({
      role: 'assistant',
      text: 'yes',
      checkpoint: false,
      seq: 0,
    });
    const call = { type: 'tool-call', id: 'c', name: 'n', arguments: '{}' };
    expect(itemOf(format, (script) => script.assistant('', { blocks: [call] }))).toBeUndefined();
    expect(itemOf(format, (script) => script.user(''))).toBeUndefined();
  });

  test('tool results, system and developer messages are nothing', () => {
    expect(itemOf(format, (script) => script.toolResult('c', 'text'))).toBeUndefined();
    expect(itemOf(format, (script) => script.system('text'))).toBeUndefined();
    expect(itemOf(format, (script) => script.developer('text'))).toBeUndefined();
  });
});

describe('early v0 shapes (12.0)', () => {
  const parts = (type: string, data: Json) =>
    messageParts({ type, seq: 0, time: 1, data, surfaceOp: 'append' });
  const content = [textBlock('x')];

  test('a user message without id and role', () => {
    expect(parts('user/message', { source: { kind: 'user' }, content })).toEqual({
      source: { kind: 'user' },
      content,
    });
  });

  test('a flat answer', () => {
    const flat = { turn: 1, step: 1, content, provenance: { provider: 'deepseek', model: 'm' } };
    expect(parts('assistant/message', flat)).toMatchObject({ source: { kind: 'model' }, content });
  });

  test('a flat tool result', () => {
    const flat = { turn: 1, step: 1, callId: 'c', content, isError: false };
    expect(parts('tool/result', flat)).toEqual({ source: { kind: 'tool', callId: 'c' }, content });
  });

  test('steering messages, with a message or without', () => {
    const message = { source: { kind: 'user' }, content };
    for (const data of [
      { turn: 1, message },
      { turn: 1, ...message },
    ]) {
      expect(parts('steering/message', data)).toMatchObject(message);
    }
    const event = { type: 'steering/message', seq: 0, time: 1, data: {}, surfaceOp: 'append' };
    expect(surfaceTypeOf(event)).toBe('user/message');
  });

  test('a user message is its own message, even with a member of that name', () => {
    const data = { source: { kind: 'user' }, content, message: { content: [] } };
    expect(parts('user/message', data)!.content).toBe(content);
  });
});
