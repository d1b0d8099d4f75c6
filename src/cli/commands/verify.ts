import type { Command } from 'commander';
import { Option } from 'commander';
import { SessionLogError, type SessionLogErrorCode } from '../../errors.ts';
import type { Finding, VerifyReport } from '../../store.ts';
import { type CommandContext, notice, type OpenedStore, withStore } from '../context.ts';
import { CliError, UsageError } from '../exit.ts';
import { FINDING_FORMATS, type FindingFormat, renderFindings, tallyLine } from '../output/findings.ts';
import type { Output } from '../output/write.ts';
import { startProgress } from '../progress.ts';
import { nameSession } from '../sessions.ts';
import type { Configure } from './index.ts';

export interface VerifyFlags {
  readonly format?: FindingFormat;
  readonly json?: boolean;
  readonly errorsOnly?: boolean;
}

export const configure: Configure = (command, invoke) => {
  command
    .description(
      'Checks logs: container, checksums, rows, numbering, messages, surface. All sessions if none is named.\n' +
        'A log with an error cannot be cited; one with warnings can. Exit 0: nothing found; 4: findings.',
    )
    .addOption(
      new Option('--format <format>', 'default: table on a terminal, else ndjson').choices([
        ...FINDING_FORMATS,
      ]),
    )
    .option('--json', 'the same as --format json')
    .option('--errors-only', 'leave warnings out')
    .addHelpText('after', '\nExample:\n  dsh-ref verify --root fixtures/logs/basic-zstd')
    .action((sessions: string[], flags: VerifyFlags, verify: Command) =>
      invoke(verify, (context) => run(sessions, flags, context)),
    );
};

/** The report on `sessions`, or on everything below the roots, in the form asked for. */
export async function run(
  sessions: readonly string[],
  flags: VerifyFlags,
  context: CommandContext,
): Promise<Output> {
  const { io } = context.task;
  const format = chooseFormat(flags, io.stdout.isTTY === true);
  return withStore(context, async (opened) => {
    const report = await check(sessions, flags, { context, opened });
    const { roots } = opened;
    if (roots.missing) notice(context, `${roots.paths.join(', ')} (${roots.reason}) does not exist`);
    const view = { roots: roots.paths, report, isWhole: sessions.length === 0 };
    const text = await renderFindings(view, { format, color: context.common.color, io });
    const [first] = report.findings;
    if (first !== undefined) return endingWith(text, failureOf(first, report));
    if (format === 'ndjson') notice(context, tallyLine(report));
    return text;
  });
}

function chooseFormat({ format, json }: VerifyFlags, isTerminal: boolean): FindingFormat {
  if (json === true && format !== undefined && format !== 'json') {
    throw new UsageError(`--json and --format ${format} exclude each other`);
  }
  return json === true ? 'json' : (format ?? (isTerminal ? 'table' : 'ndjson'));
}

async function check(
  sessions: readonly string[],
  { errorsOnly = false }: VerifyFlags,
  { context, opened: { store } }: { readonly context: CommandContext; readonly opened: OpenedStore },
): Promise<VerifyReport> {
  const { signal } = context.task;
  const sessionIds: string[] = [];
  for (const given of sessions) sessionIds.push((await nameSession(store, given, signal)).sessionId);
  const { verifySessions } = await import('../../store.ts');
  const { onProgress, clear } = startProgress(context, 'logs checked');
  const named = sessions.length === 0 ? {} : { sessionIds };
  return verifySessions({ roots: store.roots, ...named, errorsOnly, signal, onProgress }).finally(clear);
}

/** Standard output in full, and then the failure: the findings are the result, and the exit code tells of them. */
function endingWith(text: string, failure: Error): Output {
  return {
    async *chunks() {
      yield Buffer.from(text);
      throw failure;
    },
  };
}

/** An error has the code that reading its log fails with; warnings have none of their own. */
function failureOf(first: Finding, report: VerifyReport): Error {
  const message = `findings: ${tallyLine(report)}`;
  const error = report.findings.find(({ severity }) => severity === 'error');
  if (error !== undefined) {
    const { byteOffset, frame, line, seq } = error;
    const at = {
      ...(byteOffset === undefined ? {} : { byteOffset }),
      ...(frame === undefined ? {} : { frame }),
      ...(line === undefined ? {} : { line }),
      ...(seq === undefined ? {} : { seq }),
    };
    return new SessionLogError(CODES[error.kind] ?? 'SESSION_LOG_CORRUPT', error.path, message, { at });
  }
  return new CliError('DSH_REF_FINDINGS', message, {
    remedy: 'the logs can be cited all the same; --errors-only leaves warnings out',
    details: { path: first.path, findings: report.findings.length },
  });
}

const CODES: Partial<Record<Finding['kind'], SessionLogErrorCode>> = {
  'log-empty': 'SESSION_LOG_EMPTY',
  'log-too-large': 'SESSION_LOG_TOO_LARGE',
  'session-unsupported': 'SESSION_LOG_UNSUPPORTED',
  'session-ambiguous': 'SESSION_LOG_AMBIGUOUS',
  'session-mismatch': 'SESSION_LOG_MISMATCH',
  'path-unreadable': 'SESSION_LOG_UNREADABLE',
  'path-not-a-file': 'SESSION_LOG_NOT_A_FILE',
};
