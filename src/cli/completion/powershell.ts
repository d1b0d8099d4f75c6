/** The script for PowerShell, 5.1 and later. */

import {
  allCommands,
  type CommandDefinition,
  type OptionDefinition,
  ownOptions,
  type ValueDefinition,
} from './definitions.ts';

export function powershellScript(program: CommandDefinition): string {
  const common = program.options.filter(({ isCommon }) => isCommon);
  return `${HEAD}
Register-ArgumentCompleter -Native -CommandName 'dsh-ref' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $common = @(
${common.map((option) => `        ${optionTable(option)}\n`).join('')}    )
    $commands = @{
${allCommands(program).map(commandTable).join('')}    }
${ENGINE}}
`;
}

function commandTable(command: CommandDefinition): string {
  const names = command.subcommands.map(
    ({ path, summary, description }) =>
      `            @{ Name = ${quote(path.split(' ').at(-1)!)}; Help = ${quote(summary || description.split('\n')[0]!)} }\n`,
  );
  const options = ownOptions(command).map((option) => `            ${optionTable(option)}\n`);
  const values = command.arguments.map(
    ({ value, isVariadic }) =>
      `            @{ ${valueFields(value)}; IsVariadic = ${isVariadic ? '$true' : '$false'} }\n`,
  );
  return `        ${quote(command.path)} = @{
            Names = @(${list(names)})
            Options = @(${list(options)})
            Arguments = @(${list(values)})
        }
`;
}

function list(rows: readonly string[]): string {
  return rows.length === 0 ? '' : `\n${rows.map((row) => `    ${row}`).join('')}            `;
}

function optionTable({ flags, value, description }: OptionDefinition): string {
  const fields = value === undefined ? "Kind = ''" : valueFields(value);
  return `@{ Flags = ${quoteAll(flags)}; Help = ${quote(description)}; ${fields} }`;
}

function valueFields(value: ValueDefinition): string {
  return `Kind = ${quote(value.kind)}; Choices = ${quoteAll(value.kind === 'choice' ? value.choices : [])}`;
}

function quoteAll(texts: readonly string[]): string {
  return `@(${texts.map(quote).join(', ')})`;
}

/** Plain ASCII, whatever encoding the script is read in; and PowerShell takes typographic quotes for quotes. */
function quote(text: string): string {
  const plain = text.replaceAll(/[\u2018\u2019]/g, "'").replaceAll(/[^\x20-\x7e]/g, '-');
  return `'${plain.replaceAll("'", "''")}'`;
}

const HEAD = `# PowerShell completion for dsh-ref. Made by dsh-ref; load it, for example in $PROFILE, with
#   dsh-ref completion powershell | Out-String | Invoke-Expression
`;

const ENGINE = `
    # The words before the cursor; one that is being typed is the last of them.
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    if ($wordToComplete -ne '') { $words = @($words | Select-Object -SkipLast 1) }

    $command = ''
    $arguments = 0
    $isEnded = $false
    $pending = $null
    foreach ($word in $words) {
        if ($null -ne $pending) {
            $pending = $null
        } elseif (-not $isEnded -and $word -ceq '--') {
            $isEnded = $true
        } elseif (-not $isEnded -and $word.Length -gt 1 -and $word.StartsWith('-')) {
            $pending = @($common) + @($commands[$command].Options) |
                Where-Object { $_.Kind -ne '' -and $_.Flags -ccontains $word } | Select-Object -First 1
        } elseif ($arguments -eq 0 -and @($commands[$command].Names | ForEach-Object { $_.Name }) -ccontains $word) {
            $command = "$command $word".Trim()
        } else {
            $arguments++
        }
    }

    $options = @($common) + @($commands[$command].Options)
    $value = $wordToComplete -replace '^[''"]', ''
    $prefix = ''
    $asked = $pending
    if ($null -eq $asked -and -not $isEnded -and $value -match '^(--[^=]+)=') {
        $flag = $Matches[1]
        $asked = $options | Where-Object { $_.Kind -ne '' -and $_.Flags -ccontains $flag } | Select-Object -First 1
        if ($null -ne $asked) {
            $prefix = "$flag="
            $value = $value.Substring($prefix.Length)
            $words = @($words) + @($flag)
        }
    }
    $entries = @()
    if ($null -eq $asked) {
        if (-not $isEnded -and $value.StartsWith('-')) {
            $entries = @($options | ForEach-Object {
                $help = $_.Help
                $_.Flags | ForEach-Object { @{ Text = $_; Help = $help; Type = 'ParameterName' } }
            })
        } elseif ($arguments -eq 0 -and $commands[$command].Names.Count -gt 0) {
            $entries = @($commands[$command].Names | ForEach-Object {
                @{ Text = $_.Name; Help = $_.Help; Type = 'ParameterValue' }
            })
        } else {
            $known = @($commands[$command].Arguments)
            if ($arguments -lt $known.Count) {
                $asked = $known[$arguments]
            } elseif ($known.Count -gt 0 -and $known[-1].IsVariadic) {
                $asked = $known[-1]
            }
        }
    }
    if ($null -ne $asked) {
        if ($asked.Kind -eq 'choice') {
            $entries = @($asked.Choices | ForEach-Object { @{ Text = $_; Help = $_; Type = 'ParameterValue' } })
        } elseif ($asked.Kind -eq 'session') {
            # What comes back fits the word already, by id or by title; it is UTF-8 whatever the console is set to.
            $request = @('completion', 'powershell', "--complete=$value", '--') + @($words)
            $encoding = [Console]::OutputEncoding
            try { [Console]::OutputEncoding = [System.Text.Encoding]::UTF8 } catch { }
            try { $rows = @(& dsh-ref @request 2>$null) } catch { $rows = @() }
            try { [Console]::OutputEncoding = $encoding } catch { }
            foreach ($row in $rows) {
                $text, $title = $row -split "\`t", 2
                [System.Management.Automation.CompletionResult]::new("$prefix$text", "$text  $title", 'ParameterValue', "$title ")
            }
        } elseif ($asked.Kind -eq 'directory' -or $asked.Kind -eq 'file') {
            $kind = $asked.Kind
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($value) |
                Where-Object { $kind -eq 'file' -or $_.ResultType -eq 'ProviderContainer' } |
                ForEach-Object {
                    [System.Management.Automation.CompletionResult]::new(
                        "$prefix$($_.CompletionText)", $_.ListItemText, $_.ResultType, $_.ToolTip)
                }
        }
    }
    $entries | Where-Object { $_.Text.StartsWith($value, [System.StringComparison]::Ordinal) } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new("$prefix$($_.Text)", $_.Text, $_.Type, $_.Help)
    }
`;
