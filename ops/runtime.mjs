import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// Every npm script loads this first. If the npm package `node` is incomplete, `npm run` silently uses the system's
// Node, which would fail later with a misleading error.
const major = '24'
if (!process.versions.node.startsWith(`${major}.`)) {
  console.error(
    `This is Node ${process.versions.node}, and Node ${major} is needed. Run ops/setup, then start with npm, such as: npm start`,
  )
  process.exit(1)
}

// `fetch` parses HTTP in WebAssembly. When V8 replaces the code through which that calls JavaScript, after 1,000 calls,
// a thread can end the whole process: "Check failed: jit_page.has_value()" (nodejs/node#64500; seen once here, in
// TierUpWasmToJSWrapper). So it is never replaced. A `fetch` takes about 2 % more CPU.
setFlagsFromString('--wasm-wrapper-tiering-budget=2000000000')

// Compiled code is kept for the next start. The variable passes the folder on to threads and child processes; where it
// cannot be written, as in a container, everything is compiled as before.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
enableCompileCache()

// The comment at the head of a command's file is its help: with --help it prints that and ends.
const [script, ...words] = process.argv.slice(1)
if (script !== undefined && words.some((word) => word === '--help' || word === '-h')) {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(script, 'utf8')) ?? []
  console.log(comment.replace(/^ *\* ?/gm, '').trim())
  process.exit(0)
}
