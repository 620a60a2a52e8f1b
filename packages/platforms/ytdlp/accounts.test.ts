import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Accounts } from './accounts.ts'

describe('the operator’s accounts', () => {
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'accounts-test-'))
    await writeFile(join(directory, 'x.txt'), '')
  })
  after(() => rm(directory, { recursive: true }))

  const setting = () => {
    let now = 1_000_000
    const clock = { now: () => now, sleep: async () => undefined }
    const accounts = new Accounts({ directory, clock })
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
