/** The interactive choice: keys change the state, the state is drawn, until something is chosen or nothing will be. */

import { SessionReferenceError } from '../../errors.ts';
import type { SessionStore } from '../../store.ts';
import { CancelReason, CliError } from '../exit.ts';
import type { Choice, Find } from './choices.ts';
import { frameOf, partsOf, type Style } from './frame.ts';
import { createKeyReader, type Key } from './keys.ts';
import { createPreviews, type Previews } from './preview.ts';
import type { Viewer } from './rows.ts';
import { nextState, type PickState, selectedOf } from './state.ts';
import type { Terminal } from './terminal.ts';

export interface Choosing {
  readonly terminal: Terminal;
  readonly state: PickState;
  /** How many sessions there are to choose from. */
  readonly choiceCount: number;
  readonly find: Find;
  readonly store: Pick<SessionStore, 'readConversation'>;
  readonly style: Style;
  readonly viewer: Viewer;
  readonly signal: AbortSignal;
}

/**
 * Lets a person choose; the terminal is given back whatever happens, and before anything else can be printed.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_CANCELLED` when nothing was chosen; the reason of `signal`
 */
export function choose(choosing: Choosing): Promise<Choice> {
  return new Chooser(choosing).run();
}

class Chooser {
  readonly #choosing: Choosing;
  readonly #previews: Previews;
  readonly #readKey = createKeyReader();
  readonly #ended: Promise<Choice>;
  #accept!: (choice: Choice) => void;
  #fail!: (reason: unknown) => void;
  #state: PickState;
  #drawing: NodeJS.Immediate | undefined;

  constructor(choosing: Choosing) {
    this.#choosing = choosing;
    this.#state = choosing.state;
    this.#ended = new Promise((accept, fail) => {
      this.#accept = accept;
      this.#fail = fail;
    });
    this.#previews = createPreviews({
      read: (sessionId, signal) => choosing.store.readConversation(sessionId, { signal }),
      onChange: () => this.#redraw(),
    });
  }

  async run(): Promise<Choice> {
    const { terminal, signal } = this.#choosing;
    // At once: what is printed about the cancellation must not land on the screen that goes away.
    const onAbort = (): void => {
      terminal.stop();
      this.#fail(signal.reason);
    };
    signal.addEventListener('abort', onAbort);
    try {
      if (signal.aborted) throw signal.reason;
      terminal.start({
        onKey: (text, key) => this.#guarded(() => this.#onKey(text, key)),
        onRedraw: () => this.#redraw(),
        onEnd: (error) => this.#fail(error === undefined ? nothingChosen() : terminalFault(error)),
      });
      this.#redraw();
      return await this.#ended;
    } finally {
      signal.removeEventListener('abort', onAbort);
      clearImmediate(this.#drawing);
      this.#previews.stop();
      terminal.stop();
    }
  }

  #onKey(text: string | undefined, key: Key): void {
    const { find, terminal, choiceCount } = this.#choosing;
    const action = this.#readKey(text, key);
    const selected = selectedOf(this.#state);
    if (action?.kind === 'cancel') {
      this.#fail(nothingChosen());
    } else if (action?.kind === 'accept' && selected !== undefined) {
      this.#accept(selected);
    } else if (action !== undefined) {
      const { listRows } = partsOf(terminal.size(), choiceCount);
      this.#state = nextState(this.#state, action, { find, pageRows: listRows });
    }
    this.#redraw();
  }

  /** Draws soon: keys that come together are drawn once. */
  #redraw(): void {
    this.#drawing ??= setImmediate(() => this.#guarded(() => this.#draw()));
  }

  #draw(): void {
    this.#drawing = undefined;
    const { terminal, choiceCount, viewer, style } = this.#choosing;
    const state = this.#state;
    const size = terminal.size();
    const hasPreview = partsOf(size, choiceCount).previewRows > 0;
    this.#previews.show(hasPreview ? selectedOf(state)?.candidate.sessionId : undefined);
    terminal.draw(frameOf({ state, preview: this.#previews.current(), choiceCount, viewer }, size, style));
  }

  /** A fault of ours ends the choice like any other failure: with the terminal given back first. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(error);
    }
  }
}

function nothingChosen(): SessionReferenceError {
  const message = 'nothing was chosen';
  return new SessionReferenceError('SESSION_REFERENCE_CANCELLED', message, {
    cause: new CancelReason('SIGINT', message),
  });
}

function terminalFault(cause: Error): CliError {
  const message = `the terminal cannot be used any more: ${cause.message}`;
  return new CliError('DSH_REF_INPUT_FAILED', message, { remedy: 'run it again', cause });
}
