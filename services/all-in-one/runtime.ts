/** The oldest Node this runs on: the embedded adapters need its SQLite. */
const NODE_MAJOR = 24

/** The program runs on a Node that is too old. */
export class RuntimeError extends Error {
  readonly code = 'wrong_runtime'
}

/**
 * Where the npm package `node` was not installed completely, `npm run` falls back to the system's Node without a word.
 * @throws RuntimeError saying what to do
 */
export function assertRuntime(version: string = process.versions.node): void {
  if (Number(version.split('.')[0]) >= NODE_MAJOR) return
  throw new RuntimeError(`this is Node ${version}, and ${NODE_MAJOR} is needed: run ops/setup, then start with npm`)
}
