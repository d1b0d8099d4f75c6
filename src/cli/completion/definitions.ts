/** The commands as plain data, read from the definitions that parse them: what completion and documents are made from. */

import { type Argument, Command, type Option } from 'commander';
import { collectNonBlank } from '../args.ts';
import { COMMANDS } from '../commands/index.ts';
import { addCommonOptions } from '../common.ts';

/** What may stand somewhere. The placeholder says it: `<session>`, `<dir>`, `<file>`; any other is a text. */
export type ValueDefinition =
  | { readonly kind: 'session' | 'directory' | 'file' | 'text'; readonly name: string }
  | { readonly kind: 'choice'; readonly name: string; readonly choices: readonly string[] };

export interface OptionDefinition {
  /** As it is typed: `-q` and `--quiet`. */
  readonly flags: readonly string[];
  /** Undefined for a switch. */
  readonly value: ValueDefinition | undefined;
  readonly description: string;
  /** Heading of its part of the help. */
  readonly group: string;
  /** Every command has it. */
  readonly isCommon: boolean;
  readonly isRepeatable: boolean;
}

export interface ArgumentDefinition {
  readonly value: ValueDefinition;
  readonly isVariadic: boolean;
  readonly isRequired: boolean;
}

export interface CommandDefinition {
  /** Its names from the first one on: `uri encode`; empty for the program itself. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** What follows its names in the usage line. */
  readonly usage: string;
  /** Those of the help, in its order. */
  readonly options: readonly OptionDefinition[];
  readonly arguments: readonly ArgumentDefinition[];
  readonly subcommands: readonly CommandDefinition[];
}

const OPTIONS_HEADING = 'Options:';
const HELP_FLAG = '--help';

/** Loads every command; the result is the program. */
export async function loadDefinitions(): Promise<CommandDefinition> {
  const program = addCommonOptions(new Command('dsh-ref').helpCommand(false));
  const common = new Set([...program.options.map(({ long }) => long), HELP_FLAG]);
  program.option('--version', 'the version of dsh-ref');
  for (const entry of COMMANDS) {
    const command = program.command(entry.usage).summary(entry.summary).helpCommand(false);
    const { configure } = await entry.load();
    configure(command, () => undefined);
    for (const leaf of [command, ...command.commands]) addCommonOptions(leaf);
  }
  return define(program, '', common);
}

/** The program and every command below it, each before its subcommands. */
export function allCommands(definition: CommandDefinition): CommandDefinition[] {
  return [definition, ...definition.subcommands.flatMap(allCommands)];
}

/** Options that only this command has. */
export function ownOptions({ options }: CommandDefinition): OptionDefinition[] {
  return options.filter(({ isCommon }) => !isCommon);
}

function define(
  command: Command,
  path: string,
  common: ReadonlySet<string | null | undefined>,
): CommandDefinition {
  const help = command.createHelp();
  return {
    path,
    summary: command.summary(),
    description: command.description(),
    usage: command.usage(),
    options: help.visibleOptions(command).map((option) => defineOption(option, common.has(option.long))),
    arguments: command.registeredArguments.map(defineArgument),
    subcommands: command.commands.map((child) => define(child, `${path} ${child.name()}`.trim(), common)),
  };
}

function defineOption(option: Option, isCommon: boolean): OptionDefinition {
  const { short, long, description, argChoices, parseArg } = option;
  const name = /[<[]([^\]>.]+)/.exec(option.flags)?.[1];
  return {
    flags: [short, long].filter((flag) => typeof flag === 'string'),
    value: name === undefined ? undefined : defineValue(name, argChoices),
    description,
    group: option.helpGroupHeading ?? OPTIONS_HEADING,
    isCommon,
    isRepeatable: parseArg === collectNonBlank,
  };
}

function defineArgument(argument: Argument): ArgumentDefinition {
  return {
    value: defineValue(argument.name(), argument.argChoices),
    isVariadic: argument.variadic,
    isRequired: argument.required,
  };
}

const KINDS: Readonly<Record<string, 'session' | 'directory' | 'file'>> = {
  session: 'session',
  dir: 'directory',
  file: 'file',
  locator: 'file',
};

function defineValue(name: string, choices: readonly string[] | undefined): ValueDefinition {
  if (choices !== undefined) return { kind: 'choice', name, choices: [...choices] };
  return { kind: Object.hasOwn(KINDS, name) ? KINDS[name]! : 'text', name };
}
