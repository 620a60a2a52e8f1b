import { readFileSync } from 'node:fs'

// Loaded first by every npm script. Where the npm package `node` was not installed completely, `npm run` falls back to
// the system's Node without a word; it would fail later, with an error that explains nothing.
const major = '24'
if (!process.versions.node.startsWith(`${major}.`)) {
  console.error(
    `This is Node ${process.versions.node}, and Node ${major} is needed. Run ops/setup, then start with npm, such as: npm start`,
  )
  process.exit(1)
}

// Every command is told by the comment at the head of its file: with --help among its words it prints that and ends.
const [script, ...words] = process.argv.slice(1)
if (script !== undefined && words.some((word) => word === '--help' || word === '-h')) {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(script, 'utf8')) ?? []
  console.log(comment.replace(/^ *\* ?/gm, '').trim())
  process.exit(0)
}
