import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { findServerProgram } from './server-program.ts'

describe('the program of a real server', () => {
  const folder = directoryForEach()

  /** A program that prints this as its version. */
  async function program(path: string, says = ''): Promise<string> {
    const file = join(folder.path, path)
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(file, `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 })
    return file
  }

  it('is the first on the PATH, and says its version', async () => {
    const first = await program('a/kurrentd', 'KurrentDB version 25.0.1.1680 (oss)')
    await program('b/kurrentd')
    const env = { PATH: `${join(folder.path, 'a')}:${join(folder.path, 'b')}:/usr/bin` }
    expect(await findServerProgram('eventstoredb', env)).to.deep.equal({
      path: first,
      label: `kurrentd 25.0.1 at ${first}`,
    })
    const mongod = await program('a/mongod', 'db version v7.0.14')
    expect((await findServerProgram('mongodb', env))?.label).to.equal(`mongod 7.0.14 at ${mongod}`)
  })

  it('is the one in its variable if that is set, and none if the variable is empty', async () => {
    await program('a/eventstored')
    const other = await program('other')
    const PATH = `${join(folder.path, 'a')}:/usr/bin`
    expect((await findServerProgram('eventstoredb', { PATH, EVENTSTORED: other }))?.path).to.equal(other)
    expect(await findServerProgram('eventstoredb', { PATH, EVENTSTORED: '' })).to.equal(undefined)
  })

  it('is none if the machine has none: folders and other files of that name do not count', async () => {
    await mkdir(join(folder.path, 'mongod'))
    await writeFile(join(folder.path, 'eventstored'), '')
    expect(await findServerProgram('mongodb', { PATH: folder.path })).to.equal(undefined)
    expect(await findServerProgram('eventstoredb', { PATH: folder.path })).to.equal(undefined)
  })

  it('is an error if its variable names something else', async () => {
    const message = await findServerProgram('mongodb', { MONGOD: folder.path }).then(String, (error) => error.message)
    expect(message).to.equal(`MONGOD=${folder.path} is not a program`)
  })
})
