/** A recoverable find: something odd that did not stop the reading. Counted by kind, never dropped in silence. */
export interface Diagnostic {
  readonly kind: DiagnosticKind;
  /** The first find of this kind, in words. */
  readonly message: string;
  /** How often this kind was found. */
  readonly count: number;
  /** Place of the first find: line from 1 (the header), seq as stored. */
  readonly line?: number;
  readonly seq?: number;
}

export type DiagnosticKind =
  | 'unknown-header-field'
  | 'unknown-event-type'
  | 'odd-envelope'
  | 'odd-provenance'
  | 'odd-message'
  | 'torn-line'
  | 'torn-frame'
  | 'dropped-tail'
  | 'damage-in-whole-frame';

type Mutable = { -readonly [K in keyof Diagnostic]: Diagnostic[K] };

/** Collects diagnostics: one entry for each kind, so that a bad log cannot make thousands of them. */
export class Diagnostics {
  readonly #byKind = new Map<DiagnosticKind, Mutable>();

  add(kind: DiagnosticKind, message: string, at: { line?: number; seq?: number } = {}): void {
    const known = this.#byKind.get(kind);
    if (known === undefined) this.#byKind.set(kind, { kind, message, count: 1, ...at });
    else known.count += 1;
  }

  list(): Diagnostic[] {
    return [...this.#byKind.values()].map((entry) => ({ ...entry }));
  }
}
