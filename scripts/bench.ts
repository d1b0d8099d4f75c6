/** `npm run bench`: measures the built program and prints the table of docs/performance.md. */
import { parseArgs } from 'node:util';
import { runBench } from '../test/bench/bench.ts';

const { values } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    node: { type: 'string', multiple: true, default: [] },
    keep: { type: 'string' },
  },
});
const onProgress = (what: string) => console.error(what);
console.log(await runBench({ small: values.small, nodes: values.node, keep: values.keep, onProgress }));
