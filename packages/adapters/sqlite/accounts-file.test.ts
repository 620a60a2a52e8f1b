import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import type { Account } from '#packages/ports/accounts.ts'
import { account, now, session, token } from '#packages/ports/accounts-samples.contract.ts'
import { failureOf } from '#packages/ports/event-store-samples.contract.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { openSqliteAccounts } from './accounts.ts'
import { vacuum } from './vacuum.ts'

const accountsUrl = new URL('./accounts.ts', import.meta.url).href

describe('the file of the accounts', function () {
  this.timeout(60_000)
  const at = fileOfEachTest('accounts.sqlite')
  const open = async (busyTimeoutMs = 1000) => openSqliteAccounts({ path: at.path, busyTimeoutMs })

  /**
   * Starts a process that creates an account, lets it join forty organizations and takes forty places. It is killed as
   * soon as the last answer arrives. @returns how many places it got
   */
  async function joinInProcess(made: Account, prefix: string): Promise<number> {
    const code = `import { openSqliteAccounts } from ${JSON.stringify(accountsUrl)}
      const accounts = await openSqliteAccounts({ path: ${JSON.stringify(at.path)}, busyTimeoutMs: 20_000 })
      const isTaken = (error) => { if (error.code !== 'account_taken') throw error }
      await accounts.create(${JSON.stringify(made)}).catch(isTaken)
      for (let n = 0; n < 40; n++) {
        const joined = { orgId: '${prefix}' + n, role: 'member', since: n }
        await accounts.update('${made.id}', (it) => ({ ...it, memberships: [...it.memberships, joined] }))
        if (await accounts.takePlace('2026-01-31', 70)) console.log('place')
      }
      process.kill(process.pid, 'SIGKILL')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    const closed = once(child, 'close')
    const printed = await text(child.stdout)
    expect((await closed)[1]).to.equal('SIGKILL')
    return printed.match(/place/g)?.length ?? 0
  }

  it('can be created by several processes at once, and loses nothing they had answered when killed', async () => {
    const made = account()
    const places = await Promise.all(['a', 'b', 'c'].map((prefix) => joinInProcess(made, prefix)))
    await using accounts = await open()
    expect(new Set((await accounts.get(made.id))?.memberships.map(({ orgId }) => orgId))).to.have.property('size', 120)
    expect(places.reduce((sum, count) => sum + count)).to.equal(70)
    expect(await accounts.takePlace('2026-01-31', 70)).to.equal(false)
  })

  it('leaves no byte of a person in itself or its log after the next VACUUM, even beside a backup', async () => {
    await using accounts = await open(20)
    const { id, email } = account({ id: 'person-who-leaves', email: 'leaves@example.com' })
    await accounts.create(account({ id, email }))
    {
      using reader = new DatabaseSync(at.path, { readOnly: true })
      reader.exec('BEGIN; SELECT 1 FROM sqlite_master')
      await accounts.remove(id)
    }
    expect(await vacuum(at.path)).to.include({ kind: 'vacuumed' })
    const files = await Promise.all((await readdir(at.folder)).map((name) => readFile(join(at.folder, name))))
    expect(files.some((bytes) => bytes.includes(id) || bytes.includes(email))).to.equal(false)
  })

  it('holds no expired sessions and tokens after others were put', async () => {
    await using accounts = await open()
    const expired = { createdAt: now - 20, expiresAt: now - 10 }
    for (const each of [session('mira', expired), session('mira')]) await accounts.putSession(each)
    for (const each of [token(expired), token()]) await accounts.putToken(each)
    using file = new DatabaseSync(at.path, { readOnly: true })
    for (const table of ['sessions', 'tokens'])
      expect(file.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n, table).to.equal(1)
  })

  it('is unreachable, and stays unchanged, while another process holds it for too long', async () => {
    await using accounts = await open(20)
    const made = account()
    await accounts.create(made)
    const other = openBeside(at.path)
    other.exec('BEGIN IMMEDIATE')
    const promote = () => accounts.update(made.id, (it) => ({ ...it, isOperator: true }))
    expect(await failureOf(promote())).to.be.instanceOf(UnreachableError)
    expect(await accounts.get(made.id), 'reads go on').to.deep.equal(made)
    other.exec('ROLLBACK')
    other.close()
    expect(await promote()).to.include({ isOperator: true })
  })

  it('is not opened if it is damaged or from a newer program, and stays unchanged', async () => {
    await writeFile(at.path, 'no database'.repeat(1000))
    expect(`${await failureOf(open())}`).to.contain('accounts.sqlite is damaged; stop the service')
    expect(await readFile(at.path, 'utf8')).to.equal('no database'.repeat(1000))
    await rm(at.path)
    openBeside(at.path).exec('PRAGMA user_version = 99')
    expect(`${await failureOf(open())}`).to.contain('accounts.sqlite is of version 99')
  })
})
