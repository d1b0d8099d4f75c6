/** The command line without a process: arguments and streams in, exit code out. */

import { readErrorFormat } from './error-format.ts';
import type { Io } from './io.ts';
import { perform } from './perform.ts';
import { plainCandidates } from './plain-candidates.ts';
import { plainPrepare } from './plain-prepare.ts';
import type { Invocation } from './program.ts';

/** Runs `dsh-ref` with `argv` (without node and script) and gives its exit code. Never throws, never exits. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  return perform(io, readErrorFormat(argv), async (task) => {
    const invocation =
      plainInvocation(argv) ?? (await (await import('./program.ts')).parseCommandLine(argv, io));
    if (invocation.kind === 'text') return invocation.text;
    const { common, run: runCommand } = invocation;
    if (common.timeout !== undefined) task.startTimeout(common.timeout);
    return runCommand({ task, common });
  });
}

/** What `argv` asks for, where that can be read without commander. */
function plainInvocation([name, ...args]: readonly string[]): Invocation | undefined {
  switch (name) {
    case 'candidates':
      return plainCandidates(args);
    case 'prepare':
      return plainPrepare(args);
    default:
      return undefined;
  }
}
