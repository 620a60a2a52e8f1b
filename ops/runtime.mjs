import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'

// Loaded first by every npm script. Where the npm package `node` was not installed completely, `npm run` falls back to
// the system's Node without a word; it would fail later, with an error that explains nothing.
const major = '24'
if (!process.versions.node.startsWith(`${major}.`)) {
  console.error(
    `This is Node ${process.versions.node}, and Node ${major} is needed. Run ops/setup, then start with npm, such as: npm start`,
  )
  process.exit(1)
}

// Node 24.15 and later can end in SIGSEGV while V8's middle compiler, Maglev, works beside a busy main thread
// (nodejs/node#64841; seen once here, on 2 cores). Without it our tests take about 5 % more CPU.
setFlagsFromString('--no-maglev')

// Every command is told by the comment at the head of its file: with --help among its words it prints that and ends.
const [script, ...words] = process.argv.slice(1)
if (script !== undefined && words.some((word) => word === '--help' || word === '-h')) {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(script, 'utf8')) ?? []
  console.log(comment.replace(/^ *\* ?/gm, '').trim())
  process.exit(0)
}
