/** The arrows between the rooms of `src/` (docs/architecture.md), and which room may touch the outside world. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '..', 'src');

/** Which other rooms each room may import from, types included. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  errors: [],
  wasm: [],
  turn: [],
  places: [],
  log: ['wasm', 'errors'],
  surface: ['log', 'errors'],
  snapshot: ['wasm', 'errors'],
  mention: ['errors'],
  files: ['errors'],
  spill: ['places', 'turn', 'errors'],
  catalog: ['surface', 'log', 'places', 'turn', 'errors'],
  verify: ['catalog', 'surface', 'log', 'errors'],
  export: ['catalog', 'surface', 'log', 'errors'],
  store: [
    'places',
    'catalog',
    'surface',
    'snapshot',
    'mention',
    'spill',
    'verify',
    'export',
    'log',
    'turn',
    'errors',
  ],
  index: ['store', 'verify', 'export', 'files', 'spill', 'mention', 'snapshot', 'surface', 'log', 'errors'],
  cli: [
    'store',
    'index',
    'mention',
    'files',
    'spill',
    'places',
    'snapshot',
    'catalog',
    'verify',
    'export',
    'log',
    'errors',
  ],
};

/** Packages and parts of Node that only some rooms may use, by the beginning of the specifier. */
const RESERVED: Record<string, readonly string[]> = {
  'node:fs': ['log', 'catalog', 'files', 'spill', 'places', 'verify', 'export', 'cli'],
  commander: ['cli'],
  chalk: ['cli'],
  fuzzysort: ['cli'],
  ndjson: ['cli'],
  'fast-glob': ['catalog'],
  ignore: ['files'],
  zstddec: ['log'],
};

interface Import {
  readonly file: string;
  readonly specifier: string;
  /** Loaded when it is needed: no arrow at start-up, and so no part of a cycle. */
  readonly isLazy: boolean;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/'));
const imports: Import[] = files.flatMap((file) => importsOf(file));

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found = text.matchAll(
    /(?:^|[^\w.])(?:import|export)\b[^'";]*?from\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|^import\s*'([^']+)'/gm,
  );
  return [...found].map((match) => ({
    file,
    specifier: (match[1] ?? match[2] ?? match[3])!,
    isLazy: match[2] !== undefined,
  }));
}

/** First part of the path below `src/`. */
function roomOf(file: string): string {
  return file.replace(/\.ts$/, '').split('/')[0]!;
}

function targetOf({ file, specifier }: Import): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return relative(SRC, join(SRC, dirname(file), specifier)).replaceAll('\\', '/');
}

describe('arrows between rooms', () => {
  it('finds the imports at all', () => {
    expect(imports.length).toBeGreaterThan(100);
  });

  it('knows every room', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
  });

  it('has no arrow that is not allowed', () => {
    const wrong = imports.flatMap((entry) => {
      const target = targetOf(entry);
      if (target === undefined || target.endsWith('.json')) return [];
      const [from, to] = [roomOf(entry.file), roomOf(target)];
      return from === to || MAY_IMPORT[from]!.includes(to) ? [] : [`${entry.file} → ${target}`];
    });
    expect(wrong).toEqual([]);
  });

  it('imports with the ending that stands on disk', () => {
    const known = new Set(files);
    const wrong = imports.filter(
      (entry) => targetOf(entry)?.endsWith('.json') === false && !known.has(targetOf(entry)!),
    );
    expect(wrong).toEqual([]);
  });

  it('has no cycle between files', () => {
    const graph = new Map<string, string[]>(files.map((file) => [file, []]));
    for (const entry of imports) {
      const target = targetOf(entry);
      if (target?.endsWith('.ts') === true && !entry.isLazy) graph.get(entry.file)!.push(target);
    }
    expect(cycleIn(graph)).toBeUndefined();
  });
});

describe('the outside world', () => {
  it('is touched only where it may be', () => {
    const wrong = imports.flatMap(({ file, specifier }) => {
      const reserved = Object.keys(RESERVED).find(
        (name) => specifier === name || specifier.startsWith(`${name}/`),
      );
      return reserved === undefined || RESERVED[reserved]!.includes(roomOf(file))
        ? []
        : [`${file}: ${specifier}`];
    });
    expect(wrong).toEqual([]);
  });

  it('is no console anywhere, and a process only where one is asked for what a library may know', () => {
    const allowed =
      /^(cli\/process\.ts|cli\/(?:start|run-process)\.ts|cli\/pick\/terminal\.ts|store\.ts|catalog\/candidates\.ts|places\/private-file\.ts|spill\/private-directory\.ts)$/;
    const wrong = files.filter((file) => {
      const code = readFileSync(join(SRC, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      return /\bconsole\./.test(code) || (/(?<![.\w])process\.\w/.test(code) && !allowed.test(file));
    });
    expect(wrong).toEqual([]);
  });
});

/** The first cycle that is found, as a list of files; undefined where there is none. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
