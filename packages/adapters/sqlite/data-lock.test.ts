import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { DataDirectoryLockedError, isDataDirectoryLocked, lockDataDirectory } from './data-lock.ts'

describe('lockDataDirectory', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'data-lock-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('creates the directory, and refuses a second holder at once until the first one releases it', () => {
    const directory = join(folder, 'deep', 'data')
    const first = lockDataDirectory(directory)
    expect(() => lockDataDirectory(directory)).to.throw(DataDirectoryLockedError, directory)
    first[Symbol.dispose]()
    lockDataDirectory(directory)[Symbol.dispose]()
  })

  it('can be checked without taking it', () => {
    const directory = join(folder, 'data')
    expect(isDataDirectoryLocked(directory), 'no directory').to.equal(false)
    const lock = lockDataDirectory(directory)
    expect(isDataDirectoryLocked(directory), 'held').to.equal(true)
    lock[Symbol.dispose]()
    expect(isDataDirectoryLocked(directory), 'released').to.equal(false)
    lockDataDirectory(directory)[Symbol.dispose]()
  })

  it('holds against other processes, and ends with a process that is killed', async () => {
    const code = `import { lockDataDirectory } from ${JSON.stringify(new URL('./data-lock.ts', import.meta.url).href)}
      const lock = lockDataDirectory(${JSON.stringify(folder)})
      console.log('held')
      setInterval(() => lock, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    expect(() => lockDataDirectory(folder)).to.throw(DataDirectoryLockedError)
    child.kill('SIGKILL')
    await once(child, 'exit')
    lockDataDirectory(folder)[Symbol.dispose]()
  })
})
