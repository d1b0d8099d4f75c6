/** Packed chunk rows of v0 and v1 as the events that they stand for (format document, 4.4). */
import { isObject } from '../log/header.ts';

type Data = Record<string, unknown>;

/** Type of the chunk that a member is, by the tag of its row. */
const CHUNK_TYPES: ReadonlyMap<unknown, 'text-delta' | 'reasoning-delta' | 'tool-call-delta'> = new Map([
  ['text-chunks', 'text-delta'],
  ['reasoning-chunks', 'reasoning-delta'],
  ['tool-call-chunks', 'tool-call-delta'],
]);

/** Only a line with this in it can be a packed row; a quick look saves parsing all the others. */
const MARK = Buffer.from('-chunks"');

/** The events of the packed row `line`, each as JSON; undefined where it is no packed row. The row must be sound. */
export function unpackRow(line: Buffer): string[] | undefined {
  if (!line.includes(MARK)) return undefined;
  const row: unknown = JSON.parse(line.toString('utf8'));
  if (!isObject(row) || !isObject(row.data)) return undefined;
  const chunkType = CHUNK_TYPES.get(row.type);
  if (chunkType === undefined) return undefined;
  const { data } = row;
  const texts = (chunkType === 'tool-call-delta' ? data.args : data.texts) as readonly string[];
  const gaps = data.dt as readonly number[];
  let time = row.time0 as number;
  return texts.map((text, at) => {
    if (at > 0) time += gaps[at - 1]!;
    const { turn, step } = data;
    const chunk = chunkOf(chunkType, data, text);
    return JSON.stringify({
      type: 'assistant/chunk',
      seq: (row.seq0 as number) + at,
      time,
      data: { turn, step, chunk },
    });
  });
}

function chunkOf(type: string, { index, id, name }: Data, text: string): Data {
  if (type !== 'tool-call-delta') return { type, index, text };
  return { type, index, id, ...(name === undefined ? {} : { name }), argumentsDelta: text };
}
