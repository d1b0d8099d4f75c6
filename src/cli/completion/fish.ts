/** The script for fish. */

import {
  type ArgumentDefinition,
  allCommands,
  type CommandDefinition,
  type OptionDefinition,
  ownOptions,
  type ValueDefinition,
} from './definitions.ts';

export function fishScript(program: CommandDefinition): string {
  const commands = allCommands(program);
  const common = program.options.filter(({ isCommon }) => isCommon);
  const lines = [
    ...common.map((option) => optionLine(option, undefined)),
    ...commands.flatMap((command) => [
      ...command.subcommands.map((child) => subcommandLine(command, child)),
      ...ownOptions(command).map((option) => optionLine(option, command)),
      ...command.arguments.flatMap((argument, at) => argumentLine(command, argument, at)),
    ]),
  ];
  return `${HEAD}
# Prints the command on the line so far, and how many arguments follow it.
function __dsh_ref_state
    set -l common ${common.flatMap(valuedFlags).join(' ')}
    set -l valued ${commands.flatMap(valuedOwn).join(' ')}
    set -l commands ${commands.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join(' ')}
${FUNCTIONS}
complete -c dsh-ref -f
${lines.map((line) => `complete -c dsh-ref ${line}\n`).join('')}`;
}

/** The spellings of an option that takes a value: what follows one of them is no argument. */
function valuedFlags({ flags, value }: OptionDefinition): readonly string[] {
  return value === undefined ? [] : flags;
}

function valuedOwn(command: CommandDefinition): string[] {
  return ownOptions(command)
    .flatMap(valuedFlags)
    .map((flag) => quote(`${command.path} ${flag}`));
}

function subcommandLine(
  parent: CommandDefinition,
  { path, summary, description }: CommandDefinition,
): string {
  const words = summary || description.split('\n')[0]!;
  return `-n ${quote(`__dsh_ref_at ${quote(parent.path)} 0`)} -a ${path.split(' ').at(-1)} -d ${quote(words)}`;
}

function optionLine(
  { flags, value, description }: OptionDefinition,
  command: CommandDefinition | undefined,
): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const where = command === undefined ? [] : [`-n ${quote(`__dsh_ref_at ${quote(command.path)}`)}`];
  const needs = value === undefined ? [] : [valueFlags(value)];
  return [...where, ...names, ...needs, `-d ${quote(description)}`].join(' ');
}

function argumentLine(
  command: CommandDefinition,
  { value, isVariadic }: ArgumentDefinition,
  at: number,
): string[] {
  if (value.kind === 'text') return [];
  const condition = `__dsh_ref_at ${quote(command.path)}${isVariadic ? '' : ` ${at}`}`;
  const what = value.kind === 'file' ? '-F' : `-f ${candidates(value)}`;
  return [`-n ${quote(condition)} ${what}`];
}

function valueFlags(value: ValueDefinition): string {
  if (value.kind === 'file') return '-r -F';
  return `-x ${candidates(value)}`.trim();
}

function candidates(value: ValueDefinition): string {
  switch (value.kind) {
    case 'choice':
      return `-a ${quote(value.choices.join(' '))}`;
    case 'session':
      return "-k -a '(__dsh_ref_sessions)'";
    case 'directory':
      return "-a '(__fish_complete_directories (__dsh_ref_value) Directory)'";
    case 'file':
    case 'text':
      return '';
  }
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

const HEAD = `# fish completion for dsh-ref. Made by dsh-ref; keep it as ~/.config/fish/completions/dsh-ref.fish, or load it with
#   dsh-ref completion fish | source
`;

const FUNCTIONS = `    set -l words (commandline -opc)
    set -e words[1]
    set -l command ''
    set -l arguments 0
    set -l is_value 0
    set -l is_ended 0
    for word in $words
        if test $is_value = 1
            set is_value 0
        else if test $is_ended = 0 -a "x$word" = x--
            set is_ended 1
        else if test $is_ended = 0; and string match -q -- '-?*' $word
            contains -- $word $common; or contains -- "$command $word" $valued
            and set is_value 1
        else
            set -l inner (string trim -- "$command $word")
            if test $arguments = 0; and contains -- $inner $commands
                set command $inner
            else
                set arguments (math $arguments + 1)
            end
        end
    end
    printf '%s\\n' $command $arguments
end

# True on the line of command $argv[1], with $argv[2] arguments so far where that is given.
function __dsh_ref_at
    set -l state (__dsh_ref_state)
    test "$state[1]" = "$argv[1]"; or return 1
    test (count $argv) = 1; or test "$state[2]" = "$argv[2]"
end

# The word at the cursor, without --option= before it.
function __dsh_ref_value
    string replace -r -- '^--[^=]+=' '' (commandline -ct)
    or true
end

# Sessions with their titles. Fish keeps those whose id contains the word; for a part of a title it is given mentions.
function __dsh_ref_sessions
    set -l words (commandline -opc)
    set -e words[1]
    set -l word (__dsh_ref_value)
    set -l prefix (string match -r -- '^--[^=]+=' (commandline -ct))
    set -l option (string trim -r -c = -- $prefix)
    # A mention takes the place of the whole word, so it needs the --option= that stands there.
    command dsh-ref completion fish "--complete=$word" -- $words $option 2>/dev/null </dev/null | string replace -r -- '^(?=@\\[)' "$prefix"
end
`;
