import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { Accounts } from './accounts.ts'

describe('the operator’s accounts', () => {
  const directory = directoryForAll()
  before(() => writeFile(join(directory.path, 'x.txt'), ''))

  const setting = () => {
    let now = 1_000_000
    const clock = { now: () => now, sleep: async () => undefined }
    const accounts = new Accounts({ directory: directory.path, clock })
    return { accounts, pass: (seconds: number) => (now += seconds * 1000) }
  }

  it('are used if there is a file', () => {
    const { accounts } = setting()
    expect([accounts.has('x'), accounts.has('youtube')]).to.deep.equal([true, false])
  })

  it('rest after two demands to sign in, are reported, and are used again afterwards', () => {
    const { accounts, pass } = setting()
    accounts.note('x', 'login_required')
    accounts.note('x', 'other')
    accounts.note('x', 'login_required')
    expect(accounts.has('x')).to.equal(true)
    accounts.note('x', 'login_required')
    expect(accounts.has('x')).to.equal(false)
    expect(accounts.resting).to.deep.equal([{ platform: 'x', until: new Date(4_600_000) }])
    pass(3600)
    expect(accounts.has('x')).to.equal(true)
    expect(accounts.resting).to.deep.equal([])
  })
})
