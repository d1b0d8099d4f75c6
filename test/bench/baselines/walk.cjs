// The least that a listing can do: `walk.cjs ROOT NAME` walks both levels and looks at each log by its guessed name.
// With a word behind that it looks at each session directory too, where alone a new generation of a log shows: no listing
// that is right can do less.
const { readdirSync, statSync } = require('node:fs');

function walk(root, name, looksTwice = false) {
  let found = 0;
  for (const project of readdirSync(root, { withFileTypes: true })) {
    if (!project.isDirectory()) continue;
    const directory = `${root}/${project.name}`;
    for (const session of readdirSync(directory, { withFileTypes: true })) {
      if (!session.isDirectory()) continue;
      if (looksTwice) statSync(`${directory}/${session.name}`, { throwIfNoEntry: false });
      const log = statSync(`${directory}/${session.name}/${name}`, { throwIfNoEntry: false });
      if (log !== undefined) found += 1;
    }
  }
  return found;
}

module.exports = { walk };
if (require.main === module) {
  const found = walk(process.argv[2], process.argv[3], process.argv[4] !== undefined);
  if (found === 0) throw new Error('nothing found');
}
