/**
 * The commands. A new one is a file beside this one that exports `configure`, and a row here: its code is loaded
 * only when it is called.
 */

import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import type { Output } from '../output/write.ts';

/** The work of a command line that was understood; resolves to the whole of standard output. */
export type Run = (context: CommandContext) => Promise<Output>;

/** Adds a command's options and help to `command`; its action hands the work to `invoke`. */
export type Configure = (command: Command, invoke: (command: Command, run: Run) => void) => void;

export interface CommandEntry {
  /** Name and arguments, as commander writes them. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly configure: Configure }>;
}

/** In the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    usage: 'candidates [query]',
    summary: 'list the sessions that can be cited',
    load: () => import('./candidates.ts'),
  },
  {
    usage: 'prepare [text...]',
    summary: 'print the message that a text with mentions becomes',
    load: () => import('./prepare.ts'),
  },
  {
    usage: 'mention <session...>',
    summary: 'print the mention of each session',
    load: () => import('./mention.ts'),
  },
  {
    usage: 'files [query]',
    summary: 'list the paths that may follow @ in a message',
    load: () => import('./files.ts'),
  },
  {
    usage: 'pick [query]',
    summary: 'choose a session on the terminal, print its mention',
    load: () => import('./pick.ts'),
  },
  {
    usage: 'parse [text...]',
    summary: 'print the readable text and what it cites',
    load: () => import('./parse.ts'),
  },
  {
    usage: 'show <session>',
    summary: 'print the conversation that a citation would carry',
    load: () => import('./show.ts'),
  },
  {
    usage: 'export <session>',
    summary: 'print the stored log, decoded',
    load: () => import('./export.ts'),
  },
  {
    usage: 'verify [session...]',
    summary: 'check logs, one or all',
    load: () => import('./verify.ts'),
  },
  {
    usage: 'uri',
    summary: 'session ids to URIs and back',
    load: () => import('./uri.ts'),
  },
  {
    usage: 'index',
    summary: 'what is remembered of logs: status, refresh, clear',
    load: () => import('./session-index.ts'),
  },
  {
    usage: 'spill',
    summary: 'read the full texts of shortened snapshots',
    load: () => import('./spill.ts'),
  },
  {
    usage: 'completion <shell>',
    summary: 'print the script that completes commands in a shell',
    load: () => import('./completion.ts'),
  },
];
