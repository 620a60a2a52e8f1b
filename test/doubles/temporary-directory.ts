import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openedForAll, openedForEach } from './opened.ts'

/** A directory for one test; disposing of it removes it. */
export async function temporaryDirectory(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}

/** A directory of its own for each test of the suite that calls this, and the path of one file in it. */
export function fileOfEachTest(name: string): { readonly folder: string; readonly path: string } {
  let [parent, tests] = ['', 0]
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'test-'))
  })
  beforeEach(() => mkdir(join(parent, `${++tests}`)))
  after(() => rm(parent, { recursive: true }))
  return {
    get folder() {
      return join(parent, `${tests}`)
    },
    get path() {
      return join(parent, `${tests}`, name)
    },
  }
}

/** A directory for each test of the suite that calls it, or one for all of them. */
export const directoryForEach = (): { readonly path: string } => openedForEach(temporaryDirectory)
export const directoryForAll = (): { readonly path: string } => openedForAll(temporaryDirectory)
