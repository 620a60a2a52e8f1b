import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { DataDirectoryLockedError, isDataDirectoryLocked, lockDataDirectory } from './data-lock.ts'

describe('lockDataDirectory', () => {
  const at = fileOfEachTest('data')

  it('creates the directory, and refuses a second holder at once until the first one releases it', () => {
    const directory = `${at.path}/deep`
    const first = lockDataDirectory(directory)
    expect(() => lockDataDirectory(directory)).to.throw(DataDirectoryLockedError, directory)
    first[Symbol.dispose]()
    lockDataDirectory(directory)[Symbol.dispose]()
  })

  it('can be checked without taking it', () => {
    const directory = at.path
    expect(isDataDirectoryLocked(directory), 'no directory').to.equal(false)
    const lock = lockDataDirectory(directory)
    expect(isDataDirectoryLocked(directory), 'held').to.equal(true)
    lock[Symbol.dispose]()
    expect(isDataDirectoryLocked(directory), 'released').to.equal(false)
    lockDataDirectory(directory)[Symbol.dispose]()
  })

  it('holds against other processes, and ends with a process that is killed', async () => {
    const code = `import { lockDataDirectory } from ${JSON.stringify(new URL('./data-lock.ts', import.meta.url).href)}
      const lock = lockDataDirectory(${JSON.stringify(at.path)})
      console.log('held')
      setInterval(() => lock, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    expect(() => lockDataDirectory(at.path)).to.throw(DataDirectoryLockedError)
    child.kill('SIGKILL')
    await once(child, 'exit')
    lockDataDirectory(at.path)[Symbol.dispose]()
  })
})
