// Preloaded: writes the peak of the process's resident memory, in bytes, to the file PEAK_MEMORY_FILE names.
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  writeFileSync(process.env.PEAK_MEMORY_FILE, String(process.resourceUsage().maxRSS * 1024));
});
