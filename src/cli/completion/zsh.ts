/** The script for zsh: a file of its own in `$fpath`, or read by `eval`. */

import {
  allCommands,
  type CommandDefinition,
  type OptionDefinition,
  ownOptions,
  type ValueDefinition,
} from './definitions.ts';

export function zshScript(program: CommandDefinition): string {
  const common = program.options.filter(({ isCommon }) => isCommon);
  return `${HEAD}
_dsh-ref() {
  # The functions below see these.
  local -a dsh_ref_line=("\${(@)words[2,CURRENT-1]}") dsh_ref_common=(
${common.map((option) => `    ${optionSpec(option)}\n`).join('')}  )
  _dsh-ref_program
}

${allCommands(program).map(commandFunction).join('\n')}
${TAIL}`;
}

function functionName({ path }: CommandDefinition): string {
  return `_dsh-ref_${path === '' ? 'program' : path.replaceAll(' ', '_')}`;
}

function commandFunction(command: CommandDefinition): string {
  const isGroup = command.subcommands.length > 0;
  const specs = [
    ...ownOptions(command).map(optionSpec),
    ...(isGroup ? [quote('1: :->command'), quote('*:: :->argument')] : command.arguments.map(argumentSpec)),
  ];
  const call = ['_arguments -s -S -C $dsh_ref_common', ...specs].join(' \\\n    ');
  return isGroup
    ? groupFunction(command, call)
    : `${functionName(command)}() {
  local curcontext=$curcontext state state_descr line
  local -A opt_args
  ${call}
}
`;
}

function groupFunction(command: CommandDefinition, call: string): string {
  const { subcommands } = command;
  const described = subcommands.map(
    (child) => `      ${quote(`${lastName(child)}:${child.summary || firstLine(child.description)}`)}\n`,
  );
  const branches = subcommands.map((child) => `        ${lastName(child)}) ${functionName(child)} ;;\n`);
  return `${functionName(command)}() {
  local curcontext=$curcontext state state_descr line ret=1
  local -A opt_args
  ${call} && ret=0
  case $state in
    command)
      local -a commands=(
${described.map((row) => `  ${row}`).join('')}      )
      _describe -t commands command commands && ret=0
      ;;
    argument)
      case $words[1] in
${branches.join('')}      esac && ret=0
      ;;
  esac
  return ret
}
`;
}

function lastName({ path }: CommandDefinition): string {
  return path.split(' ').at(-1)!;
}

function firstLine(text: string): string {
  return text.split('\n')[0]!;
}

/** One `_arguments` spec; both names of an option exclude each other. */
function optionSpec({ flags, value, description, isRepeatable }: OptionDefinition): string {
  const text = `[${description.replaceAll(/[[\]\\]/g, '\\$&')}]`;
  const rest = value === undefined ? text : `${text}${valueSpec(value)}`;
  const excluded = isRepeatable ? '*' : `(${flags.join(' ')})`;
  return flags
    .map((flag) =>
      quote(`${excluded}${flag}${value !== undefined && flag.startsWith('--') ? '=' : ''}${rest}`),
    )
    .join(' ');
}

function argumentSpec(
  { value, isVariadic, isRequired }: CommandDefinition['arguments'][number],
  at: number,
): string {
  const position = isVariadic ? '*' : `${at + 1}${isRequired ? '' : ':'}`;
  return quote(`${position}${valueSpec(value)}`);
}

function valueSpec(value: ValueDefinition): string {
  return `:${value.name}:${actionOf(value)}`;
}

function actionOf(value: ValueDefinition): string {
  switch (value.kind) {
    case 'choice':
      return `(${value.choices.join(' ')})`;
    case 'session':
      return '_dsh-ref_sessions';
    case 'directory':
      return '_files -/';
    case 'file':
      return '_files';
    case 'text':
      return ' ';
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const HEAD = `#compdef dsh-ref
# zsh completion for dsh-ref. Made by dsh-ref; either keep it as a file _dsh-ref in a directory of $fpath, or load it
# behind compinit with
#   eval "$(dsh-ref completion zsh)"
`;

const TAIL = `# Sessions, found by id or title; the id is inserted, and the title shown beside it.
_dsh-ref_sessions() {
  local -a ids displays expl
  local row
  for row in "\${(@f)$(command dsh-ref completion zsh "--complete=$PREFIX" -- "\${dsh_ref_line[@]}" \${IPREFIX:+"\${IPREFIX%=}"} 2> /dev/null < /dev/null)}"; do
    [[ -n $row ]] || continue
    ids+=("\${row%%$'\\t'*}")
    displays+=("\${row%%$'\\t'*}  \${row#*$'\\t'}")
  done
  (( $#ids )) || return 1
  # Found by title: what they have in common must not replace what was typed, so the first one is inserted.
  if [[ $ids[1] != "\${(Q)PREFIX}"* ]]; then
    (( $#ids == 1 )) || compstate[insert]=menu
    _wanted -V sessions expl session compadd -U -i "$IPREFIX" -I "$ISUFFIX" -d displays -a ids
  else
    _wanted -V sessions expl session compadd -d displays -a ids
  fi
}

# A file of $fpath is run as the function; eval runs it outside of any.
if [[ $funcstack[1] == _dsh-ref ]]; then
  _dsh-ref "$@"
elif (( $+functions[compdef] )); then
  compdef _dsh-ref dsh-ref
else
  print -u2 'dsh-ref: completion needs compinit first: autoload -Uz compinit && compinit'
fi
`;
