import { describe, expect, test } from 'vitest';
import { ALL_FORMATS, type Format, type Json, LogScript } from '../../support/log-writer/log-script.ts';
import { codeOf, eventsOf, foldEvents } from '../../support/log-writer/read-back.ts';

const fold = (script: LogScript) => foldEvents(script.format, eventsOf(script.rows));
const code = (script: LogScript) => codeOf(() => fold(script));

/** Events that only use up seqs, until the next one is `seq`. */
function fill(script: LogScript, seq: number): void {
  while (script.nextSeq < seq) script.event('turn/start', { turn: 1 });
}

/** The worked example of 5.3, up to seq 15; by `steps`, the surface after each event of it. */
function workedExample(format: Format): { script: LogScript; steps: [number, number[]][] } {
  const script = new LogScript(format);
  const steps: [number, number[]][] = [];
  const at = (seq: number, list: number[], write: () => void) => {
    fill(script, seq);
    write();
    steps.push([seq, list]);
  };
  const checkpoint = (start: number, end: number, sourceEventSeqs: number[]) =>
    script.user('summary', { surfaceOp: script.replace(start, end), sourceEventSeqs });
  at(1, [1], () => script.user('a'));
  at(4, [1, 4], () => script.assistant('b'));
  at(6, [1, 4, 6], () => script.user('c'));
  at(9, [9, 6], () => checkpoint(1, 4, [1, 4]));
  at(12, [9, 6, 12], () => script.assistant('d'));
  at(15, [15, 12], () => checkpoint(9, 6, [9, 6]));
  return { script, steps };
}

describe.each(ALL_FORMATS)('the fold of v%i', (format) => {
  test('the worked example of 5.3, in place and in list order', () => {
    const { script, steps } = workedExample(format);
    for (const [seq, list] of steps) {
      expect(foldEvents(format, eventsOf(script.rows.slice(0, seq + 1))).seqs).toEqual(list);
    }
    fill(script, 18);
    script.user('late', { surfaceOp: script.replace(4, 6), sourceEventSeqs: [4, 6] });
    expect(() => fold(script)).toThrow(/seq 4, which is not on the surface.*seq 18, line 20/);
  });

  const base = () => {
    const script = new LogScript(format);
    const seqs = ['a', 'b', 'c'].map((text) => script.user(text));
    script.event('turn/start', { turn: 1 });
    return { script, seqs };
  };
  const replace = (start: unknown, end: unknown, extra: Json = {}) => {
    const { script } = base();
    const surfaceOp = script.replace(start as number, end as number);
    script.user('new', { surfaceOp, sourceEventSeqs: [0, 1, 2], ...extra });
    return script;
  };

  test('a replacement stands where its span stood', () => {
    expect(fold(replace(0, 0)).seqs).toEqual([4, 1, 2]);
    expect(fold(replace(1, 1)).seqs).toEqual([0, 4, 2]);
    expect(fold(replace(1, 2)).seqs).toEqual([0, 4]);
    expect(fold(replace(0, 2)).seqs).toEqual([4]);
  });

  test.each([
    ['a start that is not on the surface', replace(3, 2)],
    ['an end that is not on the surface', replace(0, 3)],
    ['its own seq', replace(4, 4)],
    ['a later seq', replace(0, 9)],
    ['a span backwards', replace(2, 0)],
    ['a negative start', replace(-1, 2)],
    ['a fraction', replace(0, 1.5)],
    ['text as an end', replace(0, '2')],
    ['no end', replace(0, undefined)],
    ['an op of another name', replace(0, 1, { surfaceOp: { op: 'insert', start: 0, end: 1 } })],
    ['the other spelling', replace(0, 1, { surfaceOp: otherSpelling(format) })],
    [
      'both spellings',
      replace(0, 1, { surfaceOp: { ...otherSpelling(format), ...base().script.replace(0, 1) } }),
    ],
    ['a word that is no op', replace(0, 1, { surfaceOp: 'prepend' })],
    ['null as op', replace(0, 1, { surfaceOp: null })],
    ['a list as op', replace(0, 1, { surfaceOp: ['append'] })],
    ['no op at all', replace(0, 1, { surfaceOp: undefined })],
    ['no provenance', replace(0, 1, { sourceEventSeqs: undefined })],
    ['provenance that misses a shadowed node', replace(0, 2, { sourceEventSeqs: [0, 2] })],
    ['provenance of an own seq', replace(0, 1, { sourceEventSeqs: [0, 1, 4] })],
  ])('is refused with %s, and nothing changes', (_what, script) => {
    expect(code(script)).toBe('SESSION_LOG_CORRUPT');
    const events = eventsOf(script.rows);
    const { fold: before } = foldEvents(format, events.slice(0, -1));
    expect(() => before.apply(events.at(-1)!, 1)).toThrow();
    expect([...before.surface()]).toEqual([0, 1, 2]);
  });

  test('a tool result may change its content only, and only that of one result', () => {
    const script = new LogScript(format);
    const [user, result] = [script.user('q'), script.toolResult('call-1', 'long output')];
    script.toolResult('call-2', 'other');
    const prune = (start: number, end: number, data: Json) => {
      const next = new LogScript(format);
      next.rows.push(...script.rows);
      next.nextSeq = script.nextSeq;
      next.event('tool/result', data, {
        surfaceOp: next.replace(start, end),
        sourceEventSeqs: [user, result, 2],
      });
      return next;
    };
    const id = 'm-2';
    const good = script.toolResultData('call-1', 'cut', id);
    expect(fold(prune(result, result, good)).seqs).toEqual([0, 3, 2]);
    const reordered = JSON.parse(JSON.stringify({ message: good.message, step: 1, turn: 1 }));
    expect(code(prune(result, result, reordered))).toBe('none');
    expect(code(prune(result, result, script.toolResultData('call-1', 'cut', 'm-9')))).toBe(
      'SESSION_LOG_CORRUPT',
    );
    expect(code(prune(result, result, script.toolResultData('call-2', 'cut', id)))).toBe(
      'SESSION_LOG_CORRUPT',
    );
    expect(code(prune(result, result, { ...good, turn: 2 }))).toBe('SESSION_LOG_CORRUPT');
    expect(code(prune(result, result, { ...good, meta: {} }))).toBe('SESSION_LOG_CORRUPT');
    expect(code(prune(result, result, withError(good)))).toBe('SESSION_LOG_CORRUPT');
    expect(code(prune(user, user, good))).toBe('SESSION_LOG_CORRUPT');
    expect(code(prune(result, 2, good))).toBe('SESSION_LOG_CORRUPT');
    expect(code(prune(user, result, good))).toBe('SESSION_LOG_CORRUPT');
  });

  test('any other message may replace tool results', () => {
    const script = new LogScript(format);
    script.toolRound('call-1', 'output');
    script.compact('sum', 0, 2, [0, 2]);
    expect(fold(script).seqs).toEqual([5]);
  });

  test.each(['user/message', 'assistant/message', 'tool/result'])('a %s needs a content array', (type) => {
    const bad: unknown[] = [
      null,
      5,
      [],
      {},
      { message: {} },
      { message: { content: 'text' } },
      { content: {} },
    ];
    for (const data of bad) {
      expect(codeOf(() => foldEvents(format, [{ type, seq: 0, time: 1, data, surfaceOp: 'append' }]))).toBe(
        'SESSION_LOG_CORRUPT',
      );
    }
  });

  test('which types are on the surface', () => {
    const script = new LogScript(format);
    script.user('u');
    script.assistant('');
    script.toolResult('c', 't');
    script.system('');
    script.developer('d');
    script.event(
      'steering/message',
      { turn: 1, content: [], source: { kind: 'user' } },
      { surfaceOp: 'append' },
    );
    script.event('later/message', { content: [] }, { surfaceOp: 'append', ignorable: true });
    const extra = [[5], [], [], [3], [3, 4]][format]!;
    expect(fold(script).seqs).toEqual([0, 1, 2, ...extra]);
  });
});

function otherSpelling(format: Format): Json {
  return format <= 2 ? { op: 'replace', startSeq: 0, endSeq: 1 } : { op: 'replace', start: 0, end: 1 };
}

function withError(data: Json): Json {
  const copy = structuredClone(data) as { message: Json & { content: Json[] } };
  if (copy.message.role === 'tool') copy.message.isError = true;
  else copy.message.content[0]!.isError = true;
  return copy;
}

describe('the leading system message (5.5)', () => {
  const script = (format: Format, write: (script: LogScript) => void, head = true) => {
    const made = new LogScript(format);
    if (head) made.system('S');
    else made.user('first');
    made.user('a');
    made.user('b');
    write(made);
    return code(made);
  };
  const user =
    (start: number, end: number, sourceEventSeqs = [0, 1, 2]) =>
    (made: LogScript) =>
      made.user('x', { surfaceOp: made.replace(start, end), sourceEventSeqs });
  const system = (start: number, end: number) => (made: LogScript) =>
    made.system('T', { surfaceOp: made.replace(start, end), sourceEventSeqs: [0, 1, 2] });

  test.each([3, 4] as const)('is protected in v%i', (format) => {
    expect(script(format, user(0, 0))).toBe('SESSION_LOG_CORRUPT');
    expect(script(format, user(0, 2))).toBe('SESSION_LOG_CORRUPT');
    expect(script(format, system(0, 1))).toBe('SESSION_LOG_CORRUPT');
    expect(script(format, system(0, 0))).toBe('none');
    expect(script(format, user(1, 2))).toBe('none');
    expect(script(format, system(1, 2))).toBe('none');
  });

  test.each([3, 4] as const)('trap 34: elsewhere it is not, in v%i', (format) => {
    const write = (made: LogScript) => {
      made.system('late');
      user(0, 3, [0, 1, 2, 3])(made);
    };
    expect(script(format, write, false)).toBe('none');
  });

  test('still holds after the head was replaced', () => {
    const write = (made: LogScript) => {
      system(0, 0)(made);
      user(3, 1, [0, 1, 2, 3])(made);
    };
    expect(script(4, write)).toBe('SESSION_LOG_CORRUPT');
  });
});

describe('trap 37: v3 shapes in a v4 log', () => {
  test('wrapped tool results are pruned by their own shape', () => {
    const old = new LogScript(3);
    const result = old.toolResult('call-1', 'output');
    old.prune(result, old.toolResultData('call-1', 'cut', 'm-1'));
    expect(foldEvents(4, eventsOf(old.rows)).seqs).toEqual([2]);
  });

  test('early flat tool results of v0 are pruned too', () => {
    const script = new LogScript(0);
    const data = { turn: 1, step: 1, callId: 'c', content: [], isError: false };
    script.event('tool/result', data, { surfaceOp: 'append' });
    const cut = { ...data, content: [{ type: 'text', text: 'cut' }] };
    script.event('tool/result', cut, { surfaceOp: script.replace(0, 0), sourceEventSeqs: [0] });
    expect(fold(script).seqs).toEqual([1]);
  });
});
