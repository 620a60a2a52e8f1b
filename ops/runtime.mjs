// Loaded first by every npm script. Where the npm package `node` was not installed completely, `npm run` falls back to
// the system's Node without a word; it would fail later, with an error that explains nothing.
const major = '24'
if (!process.versions.node.startsWith(`${major}.`)) {
  console.error(
    `This is Node ${process.versions.node}, and Node ${major} is needed. Run ops/setup, then start with npm, such as: npm start`,
  )
  process.exit(1)
}
