#!/usr/bin/env node
// Old syntax on purpose: a Node far too old must still get as far as the sentence below.
var version = process.versions.node.split('.').map(Number);
if (version[0] < 20 || (version[0] === 20 && version[1] < 12)) {
  process.exitCode = 2;
  process.stderr.write(
    'dsh-ref: needs Node.js 20.12 or newer, this is ' +
      process.version +
      '; install a newer one [DSH_REF_USAGE]\n',
  );
} else if (!answerQuickly()) {
  start();
}

/** Answers what needs no more than a moment; false where the whole program has to. */
function answerQuickly() {
  const argv = process.argv.slice(2);
  // Loading it for nothing would cost other commands as much as reading an index does.
  if (!/^(?:uri|help|--version|--help|-h)$/.test(argv[0]) && !/^(?:--help|-h)$/.test(argv[1])) return false;
  try {
    const answer = require('../dist/cli/quick.js').quickAnswer(argv, { isTerminal });
    // A pipe takes so little whole or not at all; after a refusal the whole program tries again, and says why.
    if (answer === undefined || answer.length > 4096) return false;
    require('node:fs').writeSync(1, answer);
    return true;
  } catch {
    return false;
  }
}

/** A module more to load, where standard output is a device at all. */
function isTerminal() {
  return require('node:fs').fstatSync(1).isCharacterDevice() && require('node:tty').isatty(1);
}

function start() {
  let program;
  try {
    program = require('../dist/cli/start.js');
  } catch (error) {
    refuse(error);
    return;
  }
  program.start(process, require);
}

function refuse(error) {
  process.exitCode = 1;
  process.stderr.write(
    error.code === 'MODULE_NOT_FOUND'
      ? 'dsh-ref: the program is not built or its installation is incomplete; run `npm run build` in a checkout, else install it again [DSH_REF_BUG]\n'
      : `dsh-ref: cannot start [DSH_REF_BUG]\n${error.stack}\n`,
  );
}
