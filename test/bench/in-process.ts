/** Rows about pure functions, called in this process. */

import { parseSessionReferenceText } from '../../src/mention/mention.ts';
import { encodeSessionReferenceUri } from '../../src/mention/uri.ts';
import { type ConversationItem, retain } from '../../src/snapshot/retention.ts';
import { Prng } from '../support/log-writer/prng.ts';
import type { Sizes } from './data.ts';
import { inTurn, timeCall } from './measure.ts';
import type { Result } from './report.ts';
import { TextPool } from './text-pool.ts';

const BUDGET_BYTES = 64 * 1024;
const FIELDS = { sessionId: 's', label: 'a session', cwd: '/bench', capturedThroughSeq: 1 };

export function* retentionRows({ messages, runs }: Sizes): Generator<Result> {
  const random = new Prng(51);
  const text = new TextPool(1);
  const all = Array.from({ length: messages.at(-1)! }, (_none, at): ConversationItem => {
    const units = Math.round(20 + 1500 * random.next() ** 3);
    return { role: at % 2 === 0 ? 'user' : 'assistant', text: text.slice(units), checkpoint: false };
  });
  const retaining = (count: number) => {
    const items = all.slice(0, count);
    return () => timeCall(() => retain(FIELDS, items, BUDGET_BYTES));
  };
  for (const count of messages) {
    const items = all.slice(0, count);
    const stringify = () => timeCall(() => JSON.stringify(items));
    const what = `retention of ${count} messages at 64 KiB`;
    yield {
      what,
      against: 'one JSON.stringify',
      goalRatio: 3,
      ...inTurn(retaining(count), stringify, runs + 2),
    };
  }
  const [n, fourN] = messages.slice(-2) as [number, number];
  const times = inTurn(retaining(fourN), retaining(n), runs + 2);
  yield { what: `retention, ${fourN} messages`, against: `${n} messages`, goalRatio: 5, ...times };
}

export function* mentionRows({ textUnits, runs }: Sizes): Generator<Result> {
  const text = ordinaryText(textUnits);
  const scan = (of: string) => () => timeCall(() => parseSessionReferenceText(of));
  const where = `mention scan of ${textUnits / 1e6} MB`;
  yield {
    what: `${where}, ordinary text`,
    against: 'one global regex',
    goalRatio: 1,
    ...inTurn(scan(text), () => timeCall(() => searchByPattern(text)), runs),
  };
  for (const [name, unit] of Object.entries(HOSTILE)) {
    const hostile = unit.repeat(Math.ceil(textUnits / unit.length));
    const times = inTurn(scan(hostile), scan(text), runs);
    yield { what: `${where}, hostile: ${name}`, against: 'ordinary text', goalRatio: 5, ...times };
  }
}

const HOSTILE = {
  '`@[` again and again': '@[',
  '`@[[[…`': '@[[[[[[[[[[[[[[[',
  backslashes: '\\',
  '`@[` and backslashes': '@[\\\\',
  'mentions that never close': '@[a](dsh-session:*',
  'schemes without payloads': 'dsh-session: ',
  'mentions that white space ends': '@[a](dsh-session:* ',
  'mentions without an opening': '](dsh-session:)',
  'mentions whose label is closed before': '@[]](dsh-session:) ',
  'mentions whose label is not closed': '@[a\\](dsh-session:*)',
};

/** The two alternatives of the contract (section 2), as one would write them down. */
function searchByPattern(text: string): number {
  let found = 0;
  for (const _match of text.matchAll(
    /@\[((?:\\.|[^\\\]])*)\]\((dsh-session:[^\s)]*)\)|dsh-session:([A-Za-z0-9_-]+)/gu,
  )) {
    found += 1;
  }
  return found;
}

function ordinaryText(units: number): string {
  const pool = new TextPool(1);
  const uri = encodeSessionReferenceUri('a-session-of-before');
  const parts: string[] = [];
  for (let length = 0; length < units; length += 10_000) {
    parts.push(pool.slice(9_900), ` mail@[example] @[the session](${uri}) `);
  }
  return parts.join('').slice(0, units);
}
