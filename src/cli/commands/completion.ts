import type { Command } from 'commander';
import { Option } from 'commander';
import { SHELLS, type Shell } from '../completion/shells.ts';
import { UsageError } from '../exit.ts';
import type { Configure } from './index.ts';

export interface CompletionFlags {
  /** Set by the scripts: the word at the cursor, whose offers are wanted in place of the script. */
  readonly complete?: string;
}

const LOADING = `
To load it:
  bash        in ~/.bashrc:  eval "$(dsh-ref completion bash)"
  zsh         in ~/.zshrc, behind compinit:  eval "$(dsh-ref completion zsh)"
  fish        dsh-ref completion fish > ~/.config/fish/completions/dsh-ref.fish
  powershell  in $PROFILE:
              dsh-ref completion powershell | Out-String | Invoke-Expression`;

export const configure: Configure = (command, invoke) => {
  const [shell] = command.registeredArguments;
  shell!.choices([...SHELLS]);
  command
    .description('The script with which a shell completes commands, options, and sessions by their titles.')
    // Only the scripts use it, with the words of the line as further arguments.
    .addOption(new Option('--complete <word>').hideHelp())
    .allowExcessArguments()
    .addHelpText('after', LOADING)
    .addHelpText('after', '\nExample:\n  dsh-ref completion bash > dsh-ref.bash')
    .action((_shell: string, flags: CompletionFlags, completion: Command) =>
      invoke(completion, async (context) => {
        const [shell, ...words] = completion.args as [Shell, ...string[]];
        if (flags.complete === undefined) return script(shell, words);
        const { completeSessions } = await import('../completion/sessions.ts');
        return completeSessions({ shell, word: flags.complete, before: words }, context);
      }),
    );
};

async function script(shell: Shell, words: readonly string[]): Promise<string> {
  if (words.length > 0) {
    throw new UsageError('too many arguments for `completion`: one shell is expected', {
      remedy: 'see `dsh-ref completion --help`',
    });
  }
  const { loadDefinitions } = await import('../completion/definitions.ts');
  const program = await loadDefinitions();
  switch (shell) {
    case 'bash':
      return (await import('../completion/bash.ts')).bashScript(program);
    case 'zsh':
      return (await import('../completion/zsh.ts')).zshScript(program);
    case 'fish':
      return (await import('../completion/fish.ts')).fishScript(program);
    case 'powershell':
      return (await import('../completion/powershell.ts')).powershellScript(program);
  }
}
