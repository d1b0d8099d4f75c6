/** What is said about a kind of finding. */
export interface FindingWords {
  /** `either`: an error in the committed part of a log, a warning in a tail that is dropped. */
  readonly severity: 'error' | 'warning' | 'either';
  /** A few words for tables. */
  readonly title: string;
  /** What it means for a reader of the log, in a sentence. */
  readonly meaning: string;
  /** Sections of the format document that have the rule. */
  readonly rule: string;
}
