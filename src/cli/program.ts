/** argv → what is to be done, by commander. Nothing is run here, and only the command that was named is loaded. */

import { Command, CommanderError } from 'commander';
import { COMMANDS, type CommandEntry, type Run } from './commands/index.ts';
import { addCommonOptions, type CommonOptions, readCommonOptions } from './common.ts';
import { UsageError } from './exit.ts';
import type { Io } from './io.ts';
import { VERSION } from './version.ts';

/** A command line that was understood. */
export type Invocation =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'command'; readonly common: CommonOptions; readonly run: Run };

/**
 * Understands a command line.
 *
 * @throws UsageError where it cannot
 */
export async function parseCommandLine(argv: readonly string[], io: Io): Promise<Invocation> {
  let invocation: Invocation | undefined;
  const printed = { out: '', help: '' };
  const given = helpAsOption(argv);
  const program = createProgram(io, given[0], printed);
  const invoke = (command: Command, run: Run): void => {
    invocation = { kind: 'command', common: readCommonOptions(command), run };
  };
  program.hook('preSubcommand', async (_program, command) => {
    const entry = COMMANDS.find(({ usage }) => nameOf(usage) === command.name());
    const { configure } = await entry!.load();
    configure(command, invoke);
    for (const leaf of [command, ...command.commands]) addCommonOptions(leaf);
  });
  try {
    await program.parseAsync(given, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) {
      assertHelpOfCommand(given[0]);
      return { kind: 'text', text: printed.out };
    }
    throw usageError(error, printed.help);
  }
  if (invocation === undefined) throw new Error('the command line led to no command');
  return invocation;
}

function createProgram(io: Io, first: string | undefined, printed: { out: string; help: string }): Command {
  const program = new Command('dsh-ref');
  program
    .description(
      'Cites what another DeepSeek Harness session already knows: finds its log, reads it, prints a bounded snapshot.',
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        printed.out += text;
      },
      // Help after a bare call comes here too; an error's own text is in the exception.
      writeErr: (text) => {
        printed.help += text;
      },
      outputError: () => undefined,
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .enablePositionalOptions()
    .helpCommand(false)
    .version(VERSION, '--version', 'the version of dsh-ref')
    .addHelpText('after', '\nExample:\n  dsh-ref candidates --root fixtures/logs/basic-zstd');
  addCommonOptions(program);
  // The others are needed for the help of the program and for what is no command, not beside one that was named.
  const named = COMMANDS.filter(({ usage }) => nameOf(usage) === first);
  for (const entry of named.length > 0 ? named : COMMANDS) addCommand(program, entry);
  return program;
}

function nameOf(usage: string): string | undefined {
  return usage.split(' ')[0];
}

function addCommand(program: Command, { usage, summary }: CommandEntry): void {
  program.command(usage).summary(summary);
}

/** `help`, `help NAME` as `--help`, `NAME --help`: commander's own help command would not load the command first. */
function helpAsOption(argv: readonly string[]): string[] {
  const [first, ...rest] = argv;
  return first === 'help' ? [...rest, '--help'] : [...argv];
}

/** Beside a name that is no command commander prints the help of the program, as if that had been asked for. */
function assertHelpOfCommand(first: string | undefined): void {
  if (first === undefined || first.startsWith('-') || COMMANDS.some(({ usage }) => nameOf(usage) === first))
    return;
  throw new UsageError(`unknown command '${first}'`, { remedy: 'see `dsh-ref --help`' });
}

function usageError(error: CommanderError, help: string): UsageError {
  if (error.code === 'commander.help') {
    return new UsageError('no command was given', {
      remedy: 'choose one of the commands above',
      help: help.trimEnd(),
    });
  }
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\n(?=\(Did you mean )/, ' ')
    .replace(/\.$/, '');
  return new UsageError(message, { remedy: 'see `dsh-ref --help`, or `--help` after the command' });
}
