/** The script for bash, from 3.2 on, without the bash-completion package. */

import {
  allCommands,
  type CommandDefinition,
  type OptionDefinition,
  ownOptions,
  type ValueDefinition,
} from './definitions.ts';

export function bashScript(program: CommandDefinition): string {
  return `${HEAD}
${valueFunction(program)}
${commandFunction(program)}
${ENGINE}`;
}

/** Names of commands and options need no quotes beyond these: `definitions.ts` has them from our own source. */
const quote = (text: string): string => `'${text}'`;

function valueFunction(program: CommandDefinition): string {
  const common = program.options.filter(({ isCommon }) => isCommon);
  const branches = [
    ...common.flatMap((option) => valueBranch(option, (flag) => `*' ${flag}'`)),
    ...allCommands(program).flatMap((command) =>
      ownOptions(command).flatMap((option) =>
        valueBranch(option, (flag) => quote(`${command.path} ${flag}`)),
      ),
    ),
  ];
  return `# Sets kind and choices for what follows option $2 of command $1; fails where nothing does.
_dsh_ref_value() {
  choices=''
  case "$1 $2" in
${branches.map((branch) => `    ${branch} ;;\n`).join('')}    *) return 1 ;;
  esac
}
`;
}

function valueBranch({ flags, value }: OptionDefinition, pattern: (flag: string) => string): string[] {
  return value === undefined ? [] : [`${flags.map(pattern).join(' | ')}) ${assignValue(value)}`];
}

function assignValue(value: ValueDefinition): string {
  if (value.kind !== 'choice') return `kind=${value.kind}`;
  return `kind=choice choices=${quote(value.choices.join(' '))}`;
}

function commandFunction(program: CommandDefinition): string {
  const branches = allCommands(program).map(
    (command) => `    ${quote(command.path)})
      names=${quote(command.subcommands.map(({ path }) => path.split(' ').at(-1)).join(' '))}
      options=${quote(
        ownOptions(command)
          .flatMap(({ flags }) => flags)
          .join(' '),
      )}
${argumentCase(command)}      ;;
`,
  );
  const common = program.options.filter(({ isCommon }) => isCommon).flatMap(({ flags }) => flags);
  return `# Sets names and options of command $1, and kind and choices for its argument number $2, counted from 0.
_dsh_ref_command() {
  names='' options='' kind=text choices=''
  case $1 in
${branches.join('')}  esac
  options="$options ${common.join(' ')}"
}
`;
}

function argumentCase(command: CommandDefinition): string {
  const branches = command.arguments.map(
    ({ value, isVariadic }, at) => `${isVariadic ? '*' : at}) ${assignValue(value)} ;;`,
  );
  return branches.length === 0 ? '' : `      case $2 in ${branches.join(' ')} esac\n`;
}

const HEAD = `# bash completion for dsh-ref. Made by dsh-ref; load it with
#   eval "$(dsh-ref completion bash)"
`;

const ENGINE = `# Offers sessions. Their titles are shown beside them, and are never part of what is inserted.
_dsh_ref_sessions() {
  local word title i
  local -a titles
  titles=()
  while IFS=$'\\t' read -r word title; do
    # Readline puts what is offered in place of what follows the last break, so the rest must be there already.
    [[ -n $word && $prefix$word == "$stem"* ]] || continue
    COMPREPLY+=("$prefix$word")
    titles+=("$title")
  done <<< "$(command dsh-ref completion bash "--complete=$value" -- "\${words[@]:1:count-2}" \${prefix:+"\${prefix%=}"} 2> /dev/null < /dev/null)"
  # One is inserted as it is; so is each where readline asks for all of them, or goes through them one by one.
  ((\${#COMPREPLY[@]} > 1)) && [[ \${COMP_TYPE-} != 37 && \${COMP_TYPE-} != 42 ]] || return 0
  local typed=\${value#[\\'\\"]} is_beginning=1
  for ((i = 0; i < \${#titles[@]}; i++)); do
    [[ \${COMPREPLY[i]} == "$prefix$typed"* ]] || is_beginning=''
    COMPREPLY[i]="\${COMPREPLY[i]}  \${titles[i]}"
  done
  # Found by title: what they have in common must not replace what was typed.
  [[ -n $is_beginning ]] || COMPREPLY+=("$stem ")
}

_dsh_ref_paths() {
  local path
  while IFS= read -r path; do
    [[ -z $path ]] || COMPREPLY+=("$prefix$path")
  done <<< "$(compgen "$1" -- "$value")"
}

# Sets words to the words up to the cursor, joined again where bash splits at = and the like, and stem to that part
# of the last one which readline does not replace.
_dsh_ref_words() {
  local line=\${COMP_LINE:0:\${COMP_POINT:-0}} has_line=\${COMP_LINE-} part rest previous='' is_joined i
  count=0
  for ((i = 0; i <= COMP_CWORD; i++)); do
    part=\${COMP_WORDS[i]} is_joined=''
    if [[ -n $has_line ]]; then
      rest=\${line#"\${line%%[![:space:]]*}"}
      ((i < COMP_CWORD)) || part=$rest
      [[ $rest != "$line" ]] || is_joined=1
      line=\${rest#"$part"}
    elif [[ $part == [=:] || ( -n $part && $previous == [=:] ) ]]; then
      is_joined=1
    fi
    if [[ -n $is_joined ]] && ((count > 1)); then
      stem=\${words[count - 1]}
      words[count - 1]=$stem$part
      [[ $part != [=:@] ]] || stem=\${words[count - 1]}
    else
      stem='' words[count]=$part count=$((count + 1))
    fi
    previous=$part
  done
}

_dsh_ref() {
  local IFS=$' \\t\\n' count i part stem command='' operands=0 ended='' pending=''
  local names options kind choices prefix='' value
  local -a words
  words=() COMPREPLY=()
  _dsh_ref_words
  value=\${words[count - 1]}
  for ((i = 1; i < count - 1; i++)); do
    part=\${words[i]}
    if [[ -n $pending ]]; then
      pending=''
    elif [[ -z $ended && $part == -- ]]; then
      ended=1
    elif [[ -z $ended && $part == -?* ]]; then
      ! _dsh_ref_value "$command" "$part" || pending=$part
    else
      _dsh_ref_command "$command" 0
      if [[ -n $part && $operands == 0 && " $names " == *" $part "* ]]; then
        command=\${command:+$command }$part
      else
        operands=$((operands + 1))
      fi
    fi
  done

  if [[ -n $pending ]]; then
    _dsh_ref_value "$command" "$pending"
  elif [[ -z $ended && $value == --*=* ]] && _dsh_ref_value "$command" "\${value%%=*}"; then
    prefix=\${value%%=*}= value=\${value#*=}
  elif [[ -z $ended && $value == -* ]]; then
    _dsh_ref_command "$command" 0
    kind=choice choices=$options
  else
    _dsh_ref_command "$command" "$operands"
    [[ -z $names || $operands != 0 ]] || kind=choice choices=$names
  fi
  case $kind in
    choice) COMPREPLY=($(compgen -P "$prefix" -W "$choices" -- "$value")) ;;
    session) _dsh_ref_sessions ;;
    # Readline's own completion knows best how to quote a path; where it cannot be asked for, bash lists them.
    directory) compopt -o dirnames 2> /dev/null || _dsh_ref_paths -d ;;
    file) compopt -o default 2> /dev/null || _dsh_ref_paths -f ;;
  esac
  for ((i = 0; i < \${#COMPREPLY[@]}; i++)); do
    COMPREPLY[i]=\${COMPREPLY[i]#"$stem"}
  done
}

complete -o nosort -F _dsh_ref dsh-ref 2> /dev/null || complete -F _dsh_ref dsh-ref
`;
