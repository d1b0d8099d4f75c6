/** Where `bin/dsh-ref.js` enters the whole program: loads it, with the compiled code of earlier starts where it may. */
import { homedir } from 'node:os';
import { cacheDir, isOff } from '../places/cache-dir.ts';
import { KeptCode } from './kept-code.ts';
import { loadProgram } from './load-program.ts';
import type { runProcess } from './run-process.ts';

/** Runs the command line of `process` and sets its exit code; `requireNode` gives parts of Node. */
export function start(process: NodeJS.Process, requireNode: (id: string) => unknown): void {
  const argv = process.argv.slice(2);
  const code = new KeptCode({
    directory: placeForCode(process, argv),
    node: `${process.version}-${process.arch}`,
    command: commandOf(argv),
  });
  const program = loadProgram(import.meta.dirname, 'run-process.js', code, requireNode) as {
    readonly runProcess: typeof runProcess;
  };
  void program.runProcess(process, code);
}

/** As for the index, and with it: who wants nothing kept between calls has said so there. Node has a word of its own. */
function placeForCode({ env, platform }: NodeJS.Process, argv: readonly string[]): string | undefined {
  if (isOff(env.DSH_REF_INDEX) || argv.includes('--no-index')) return undefined;
  if (env.NODE_DISABLE_COMPILE_CACHE === '1') return undefined;
  const directory = cacheDir('code', { env, platform, homedir: homedir() });
  // Without a home there is no place of one's own.
  return /^(?:[/\\]|[a-z]:)/i.test(directory) ? directory : undefined;
}

/** The command of a line that begins with one. */
function commandOf([first]: readonly string[]): string {
  return first !== undefined && /^[a-z]{1,20}$/.test(first) ? first : 'dsh-ref';
}
