import type { FromWorker } from './worker.ts'

/** Prints a figure that a test has measured, whether or not the test passes. */
export function measured(text: string): void {
  if (process.send === undefined) console.log(`      ${text}`)
  else process.send({ kind: 'measured', text } satisfies FromWorker)
}
