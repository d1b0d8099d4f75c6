// The least that a listing can do: `walk.cjs ROOT NAME` walks both levels and looks at each log by its guessed name.
const { readdirSync, statSync } = require('node:fs');

function walk(root, name) {
  let found = 0;
  for (const project of readdirSync(root, { withFileTypes: true })) {
    if (!project.isDirectory()) continue;
    const directory = `${root}/${project.name}`;
    for (const session of readdirSync(directory, { withFileTypes: true })) {
      if (!session.isDirectory()) continue;
      const log = statSync(`${directory}/${session.name}/${name}`, { throwIfNoEntry: false });
      if (log !== undefined) found += 1;
    }
  }
  return found;
}

module.exports = { walk };
if (require.main === module) {
  const found = walk(process.argv[2], process.argv[3]);
  if (found === 0) throw new Error('nothing found');
}
