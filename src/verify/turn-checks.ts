/** Turns, steps, and the calls of a step with their results (format document, 4.6, 9.1 and 12.2). */
import { isObject } from '../log/header.ts';
import type { StoredEvent } from '../log/rows.ts';
import { quoted, type Report } from './event-report.ts';

const REASONS: ReadonlySet<string> = new Set([
  'completed',
  'aborted',
  'blocked',
  'error',
  'max-tokens',
  'interrupted',
  'forked',
  // Early v0.
  'disposed',
]);

type Data = Record<string, unknown>;

/** Follows one log; feed it every event in order. */
export class TurnChecks {
  #turn: unknown;
  #step: unknown;
  #isTurnOpen = false;
  #isStepOpen = false;
  readonly #pending = new Set<unknown>();
  #previous: StoredEvent | undefined;

  apply(event: StoredEvent, report: Report): void {
    const data = isObject(event.data) ? event.data : {};
    switch (event.type) {
      case 'turn/start':
        this.#startTurn(data, report);
        break;
      case 'turn/end':
        this.#endTurn(data, report);
        break;
      case 'step/start':
        this.#startStep(data, report);
        break;
      case 'step/end':
        this.#endStep(data, report);
        break;
      case 'assistant/message':
        for (const id of callsOf(data)) this.#pending.add(id);
        break;
      case 'tool/call':
        if (!this.#pending.has(data.callId)) {
          report('call-pairing', `tool/call of ${quoted(data.callId)}, which no open message asked for`);
        }
        break;
      case 'tool/result':
        if (event.surfaceOp === 'append') this.#answer(data, report);
        break;
    }
    this.#previous = event;
  }

  #startTurn({ turn }: Data, report: Report): void {
    if (this.#isTurnOpen && !(this.#isStepOpen === false && isDeliveryOfNextTurn(this.#previous))) {
      report('turn-nesting', `turn ${quoted(turn)} starts inside turn ${quoted(this.#turn)}`);
    }
    this.#turn = turn;
    this.#isTurnOpen = true;
    this.#closeStep();
  }

  #endTurn({ turn, reason }: Data, report: Report): void {
    if (!this.#isTurnOpen) report('turn-nesting', `turn ${quoted(turn)} ends, but none is open`);
    else if (turn !== this.#turn) {
      report('turn-nesting', `turn ${quoted(turn)} ends, but turn ${quoted(this.#turn)} is open`);
    } else if (this.#isStepOpen) {
      report('turn-nesting', `turn ${quoted(turn)} ends inside step ${quoted(this.#step)}`);
    }
    const kind = isObject(reason) ? reason.kind : undefined;
    if (typeof kind !== 'string' || !REASONS.has(kind)) {
      report('turn-reason', `turn ${quoted(turn)} ends for the unknown reason ${quoted(kind ?? reason)}`);
    }
    this.#isTurnOpen = false;
    this.#closeStep();
  }

  #startStep({ turn, step }: Data, report: Report): void {
    if (!this.#isTurnOpen) report('turn-nesting', `step ${quoted(step)} starts outside a turn`);
    else if (turn !== this.#turn) {
      report(
        'turn-nesting',
        `step ${quoted(step)} of turn ${quoted(turn)} starts in turn ${quoted(this.#turn)}`,
      );
    } else if (this.#isStepOpen) {
      report('turn-nesting', `step ${quoted(step)} starts inside step ${quoted(this.#step)}`);
    }
    this.#step = step;
    this.#isStepOpen = true;
  }

  #endStep({ step }: Data, report: Report): void {
    if (!this.#isStepOpen) report('turn-nesting', `step ${quoted(step)} ends, but none is open`);
    else if (step !== this.#step) {
      report('turn-nesting', `step ${quoted(step)} ends, but step ${quoted(this.#step)} is open`);
    } else if (this.#pending.size > 0) {
      const [first] = this.#pending;
      const more = this.#pending.size > 1 ? ` and ${this.#pending.size - 1} more` : '';
      report('call-pairing', `step ${quoted(step)} ends without a result of call ${quoted(first)}${more}`);
    }
    this.#closeStep();
  }

  #answer(data: Data, report: Report): void {
    const callId = callOfResult(data);
    if (!this.#pending.delete(callId)) {
      report('call-pairing', `a result of call ${quoted(callId)}, which is not open`);
    }
  }

  #closeStep(): void {
    this.#isStepOpen = false;
    this.#pending.clear();
  }
}

/** The one way for a turn to start inside another: the earlier one was interrupted, its input came next. */
function isDeliveryOfNextTurn(event: StoredEvent | undefined): boolean {
  if (event?.type !== 'agent/inbox/spliced' || !isObject(event.data)) return false;
  const { target, inserted } = event.data;
  return target === 'next-turn' && Array.isArray(inserted) && inserted.length > 0;
}

function callsOf(data: Data): unknown[] {
  const message = isObject(data.message) ? data.message : data;
  if (!Array.isArray(message.content)) return [];
  const calls = (message.content as readonly unknown[])
    .filter(isObject)
    .filter(({ type }) => type === 'tool-call');
  return calls.map(({ id }) => id);
}

function callOfResult(data: Data): unknown {
  if (!isObject(data.message)) return data.callId;
  const { source } = data.message;
  return isObject(source) ? source.callId : undefined;
}
