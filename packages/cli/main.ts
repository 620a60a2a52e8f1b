#!/usr/bin/env node
/**
 * `npx video-intelligence-cli`: the command line of the Video Intelligence Service (packages/cli/README.md). The first
 * Ctrl-C ends the command cleanly, the second at once.
 */
import { Interrupted } from './failure.ts'
import { run } from './run.ts'

const { stdin, stdout, stderr, env } = process
const interruption = new AbortController()
for (const [name, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(name, () => {
    if (interruption.signal.aborted) process.exit(code)
    interruption.abort(new Interrupted(code))
  })

// A reader of the output, such as `head`, may end first.
stdout.on('error', () => process.exit())

process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, env }, interruption.signal)
