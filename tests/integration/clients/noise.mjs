// What libraries say beside their results. Import it before them.
export const noise = [];

for (const level of ['debug', 'info', 'log', 'warn', 'error', 'trace']) {
  console[level] = (...words) => { noise.push(`console.${level}: ${words.join(' ')}`); };
}
process.on('warning', (warning) => { noise.push(String(warning.stack)); });
process.stderr.write = (text) => { noise.push(`stderr: ${text}`); return true; };
