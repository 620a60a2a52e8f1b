import type { Bench } from '../part.ts'
import { Child, type ChildOptions } from './child.ts'
import type { Load, LoadResult } from './load-process.ts'

/** Starts a process under test, with a CPU profile if the bench wants one. */
export const startTested = (bench: Bench, module: URL, options: Pick<ChildOptions, 'flags' | 'name'> = {}): Child =>
  new Child(module, { directory: bench.directory, profileDirectory: bench.profileDirectory, ...options })

/** Starts a process that loads servers. */
export function startLoad(bench: Bench): AsyncDisposable & { run(load: Load): Promise<LoadResult> } {
  const child = new Child(new URL('./load-process.ts', import.meta.url), { directory: bench.directory })
  return {
    run: (load) => child.call<LoadResult>('load', load),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}
