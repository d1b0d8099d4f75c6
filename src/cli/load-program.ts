/** Loads the files of the program, which require one another and parts of Node and nothing else. */
import { join } from 'node:path';
import type { KeptCode } from './kept-code.ts';

/** What the file `name` of `directory` exports, compiled with what is kept; the files it requires in the same way. */
export function loadProgram(
  directory: string,
  name: string,
  code: KeptCode,
  requireNode: (id: string) => unknown,
): object {
  const modules = new Map<string, { exports: object }>();
  const load = (fileName: string): object => {
    const loaded = modules.get(fileName);
    if (loaded !== undefined) return loaded.exports;
    const module = { exports: {} };
    modules.set(fileName, module);
    const file = join(directory, fileName);
    code.compile(file, fileName)(module.exports, require, module, file, directory);
    return module.exports;
  };
  const require = (id: string): unknown => (id.startsWith('./') ? load(id.slice(2)) : requireNode(id));
  return load(name);
}
