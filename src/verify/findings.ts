/** A finding: one thing in a log or root that is not as the format document has it, and where. */
import type { LogPosition, SessionLogError } from '../errors.ts';
import { FINDING_KINDS, type FindingKind } from './finding-kinds.ts';

/** An error makes the session unreadable for everything that would cite it; a warning does not. */
export type Severity = 'error' | 'warning';

export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  readonly sessionId?: string;
  readonly path: string;
  /** In a plain log where the line begins; in a compressed one where its frame (or the damage in it) begins. */
  readonly byteOffset?: number;
  /** From 1; only in compressed logs. */
  readonly frame?: number;
  /** From 1, the header. */
  readonly line?: number;
  readonly seq?: number;
  /** One sentence without a full stop. */
  readonly message: string;
  /** Set on the last of its kind in a log: so many more were found and are not listed. */
  readonly more?: number;
}

/** More findings of one kind in one log are only counted: a broken habit of a writer repeats in every row. */
export const MAX_FINDINGS_OF_A_KIND = 20;

type Mutable = { -readonly [K in keyof Finding]: Finding[K] };

/** Collects the findings of one path. */
export class FindingList {
  readonly #path: string;
  readonly #sessionId: string | undefined;
  readonly #findings: Mutable[] = [];
  readonly #byKind = new Map<string, { count: number; last: Mutable }>();

  constructor(path: string, sessionId: string | undefined) {
    this.#path = path;
    this.#sessionId = sessionId;
  }

  /** Adds a finding; `severity` is only given for the kinds whose severity depends on the place. */
  add(kind: FindingKind, message: string, at: LogPosition = {}, severity?: Severity): void {
    const usual = FINDING_KINDS[kind].severity;
    const settled = severity ?? (usual === 'either' ? 'error' : usual);
    const key = `${kind} ${settled}`;
    const known = this.#byKind.get(key);
    if (known !== undefined && known.count >= MAX_FINDINGS_OF_A_KIND) {
      known.last.more = (known.last.more ?? 0) + 1;
      return;
    }
    const sessionId = this.#sessionId === undefined ? {} : { sessionId: this.#sessionId };
    const finding = { kind, severity: settled, ...sessionId, path: this.#path, ...position(at), message };
    this.#findings.push(finding);
    this.#byKind.set(key, { count: (known?.count ?? 0) + 1, last: finding });
  }

  get hasErrors(): boolean {
    return this.#findings.some(({ severity }) => severity === 'error');
  }

  /** In the order of the file; what is about the whole comes last. */
  list(): Finding[] {
    const place = ({ byteOffset = Number.POSITIVE_INFINITY, line = 0 }: Finding) =>
      [byteOffset, line] as const;
    return [...this.#findings].sort((a, b) => {
      const [offsetA, lineA] = place(a);
      const [offsetB, lineB] = place(b);
      return offsetA === offsetB ? lineA - lineB : offsetA - offsetB;
    });
  }
}

function position({ byteOffset, frame, line, seq }: LogPosition): LogPosition {
  return {
    ...(byteOffset === undefined ? {} : { byteOffset }),
    ...(frame === undefined || frame === 0 ? {} : { frame }),
    ...(line === undefined ? {} : { line }),
    ...(seq === undefined ? {} : { seq }),
  };
}

/** The message of a reader's error without path and place, which a finding has beside it. */
export function messageOf({ message, path }: SessionLogError): string {
  const quotedPath = JSON.stringify(path);
  return message
    .replace(`the header of ${quotedPath}`, 'the header')
    .replace(`the log ${quotedPath} is damaged: `, '')
    .replace(`the log ${quotedPath} cannot be folded: `, '')
    .replace(` ${quotedPath}`, '')
    .replace(/ \((?:frame|seq) \d+, (?:byte|line) \d+\)$/, '');
}
