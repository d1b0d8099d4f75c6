import { describe, expect, test } from 'vitest';
import { ALL_FORMATS, type Json, LogScript } from '../../support/log-writer/log-script.ts';
import { eventsOf, foldEvents } from '../../support/log-writer/read-back.ts';

const facts = (script: LogScript, header: Json = {}) =>
  foldEvents(script.format, eventsOf(script.rows), header).fold.facts;

describe.each(ALL_FORMATS)('titles of v%i', (format) => {
  const titleOf = (...titles: unknown[]) => {
    const script = new LogScript(format);
    for (const title of titles) script.title(title);
    return facts(script).title?.title;
  };

  test('the last one wins, whatever its source', () => {
    const script = new LogScript(format);
    script.title('by hand', { kind: 'user' });
    script.title('by the model', { kind: 'provider', provider: 'x' });
    expect(facts(script).title).toMatchObject({ title: 'by the model', eventSeq: 1 });
    expect(titleOf()).toBeUndefined();
  });

  test('contract 6.8: what is no non-blank string does not count', () => {
    for (const blank of ['', ' ', '\t\n', '\u00a0', null, 5, ['x'], {}, undefined]) {
      expect(titleOf('good', blank)).toBe('good');
      expect(titleOf(blank)).toBeUndefined();
    }
    expect(titleOf(' spaced ')).toBe(' spaced ');
  });

  test('whatever else the record lacks', () => {
    const bare = [{ type: 'session/title', seq: 0, time: 1, data: { title: 'bare' } }];
    expect(foldEvents(format, bare).fold.facts.title?.title).toBe('bare');
    for (const data of [null, 5, 'x', [], undefined]) {
      expect(
        foldEvents(format, [{ type: 'session/title', seq: 0, time: 1, data }]).fold.facts.title,
      ).toBeUndefined();
    }
  });

  test('a request for a title sets nothing, a copied one counts', () => {
    const script = new LogScript(format);
    script.title('copied');
    script.endSeed(true);
    script.event('session/title-llm-request', { title: 'asked' });
    expect(facts(script, format <= 1 ? {} : { isSeeded: true }).title?.title).toBe('copied');
  });
});

describe.each(ALL_FORMATS)('subagent labels of v%i', (format) => {
  const isOld = format <= 1;
  const labelOf = (descriptors: readonly Json[], header: Json = { origin: 'subagent' }, copied = 0) => {
    const script = new LogScript(format);
    const mark = () => {
      if (copied > 0 && script.nextSeq === copied) script.endSeed(true);
    };
    for (const fields of descriptors) {
      script.descriptor(fields);
      mark();
    }
    const seed = copied === 0 ? {} : isOld ? { seedLength: copied } : { isSeeded: true };
    return facts(script, { ...header, ...seed }).subagentLabel;
  };

  test('versions 1 to 3, the last one wins', () => {
    expect(labelOf([{ label: 'A' }])).toBe('A');
    expect(labelOf([{ label: 'A' }, { version: 3, mode: 'continuable', label: 'B' }])).toBe('B');
    expect(labelOf([{ version: 1, mode: undefined, label: 'C' }])).toBe('C');
    expect(labelOf([{ label: 'A' }, {}])).toBeUndefined();
  });

  test.each([
    { version: 0, label: 'X' },
    { version: 4, label: 'X' },
    { version: '2', label: 'X' },
    { mode: 'other', label: 'X' },
    { mode: undefined, label: 'X' },
    { mode: 'continuable' },
    { version: 1, mode: undefined },
    { label: 7 },
    { label: null },
    { provider: undefined, label: 'X' },
    { provider: 5, label: 'X' },
  ])('%j resets the label to none', (fields) => {
    expect(labelOf([{ label: 'A' }, fields])).toBeUndefined();
    expect(labelOf([{ label: 'A' }, fields, { label: 'B' }])).toBe('B');
  });

  test('only a subagent has one, and only its own', () => {
    expect(labelOf([{ label: 'A' }], {})).toBeUndefined();
    expect(labelOf([{ label: 'ancestor' }], { origin: 'subagent' }, 1)).toBeUndefined();
    expect(labelOf([{ label: 'ancestor' }, { label: 'own' }], { origin: 'subagent' }, 1)).toBe('own');
  });
});

describe('inherited events', () => {
  test.each([0, 1] as const)('v%i: the header says it, end-seed events do not', (format) => {
    const script = new LogScript(format);
    script.user('a');
    script.endSeed(false);
    script.endSeed(false);
    expect(facts(script, { seedLength: 1 }).inheritedEventCount).toBe(1);
    expect(facts(script).inheritedEventCount).toBe(0);
    expect(facts(script).seedFault()).toBeUndefined();
  });

  test.each([2, 3, 4] as const)('v%i: the last marker says it, and must agree with the header', (format) => {
    const script = new LogScript(format);
    script.user('a');
    script.endSeed(true);
    script.user('b');
    script.endSeed(true);
    script.endSeed(false);
    expect(facts(script, { isSeeded: true }).inheritedEventCount).toBe(3);
    expect(() => foldEvents(format, eventsOf(script.rows), { isSeeded: true }).fold.end()).not.toThrow();
    expect(() => foldEvents(format, eventsOf(script.rows)).fold.end()).toThrow('marks inherited events');
    const without = new LogScript(format);
    without.endSeed(false);
    expect(() => foldEvents(format, eventsOf(without.rows), { isSeeded: true }).fold.end()).toThrow(
      'nothing marks',
    );
    expect(() => foldEvents(format, eventsOf(without.rows)).fold.end()).not.toThrow();
  });
});

test.each(ALL_FORMATS)('v%i: the context window is that of the last request, or unknown', (format) => {
  const windowOf = (...windows: (number | undefined)[]) => {
    const script = new LogScript(format);
    for (const tokens of windows) script.contextWindow(tokens);
    return facts(script).contextWindow;
  };
  expect(windowOf()).toBeUndefined();
  expect(windowOf(1000)).toBe(1000);
  expect(windowOf(1000, 2000)).toBe(2000);
  expect(windowOf(1000, undefined)).toBeUndefined();
  for (const odd of ['5', -1, 1.5, 0, null]) expect(windowOf(1000, odd as number)).toBeUndefined();
});

test.each(ALL_FORMATS)('v%i: unknown types are log-only, with a diagnostic', (format) => {
  const script = new LogScript(format);
  script.event('cordis/thing', { content: [] }, { surfaceOp: 'append' });
  script.event('cordis/thing', { content: [] }, { ignorable: true });
  script.event('turn/start', { turn: 1 }, { surfaceOp: 'append' });
  script.rows.push(
    '{"type":"turn/end","seq":3,"time":1.5,"data":{}}',
    '{"type":"turn/end","seq":4,"time":1}',
  );
  const { seqs, kinds, fold } = foldEvents(format, eventsOf(script.rows));
  expect([seqs, kinds]).toEqual([[], ['unknown-event-type', 'odd-envelope']]);
  expect(fold.facts.title).toBeUndefined();
});
