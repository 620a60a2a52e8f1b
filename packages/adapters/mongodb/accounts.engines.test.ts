import { expect } from 'chai'
import type { CommandStartedEvent } from 'mongodb'
import { describeAccounts } from '#packages/ports/accounts.contract.ts'
import { AccountTakenError } from '#packages/ports/accounts.ts'
import { account, entry, now, session, token } from '#packages/ports/accounts-samples.contract.ts'
import { failureOf } from '#packages/ports/event-store-samples.contract.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { openMongoAccounts } from './accounts.ts'
import { MongoConnection } from './connection.ts'
import { freshDatabase } from './fresh-database.fixture.ts'

describeOn('mongodb', (url) => {
  describeAccounts('MongoAccounts', async () => {
    const database = freshDatabase(url)
    return {
      open: async () => openMongoAccounts(database.connection),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  })

  describe('accounts in MongoDB', function () {
    this.timeout(20_000)

    it('ask for majority writes and for no transaction, so that they also work on a single server', async () => {
      const sent: CommandStartedEvent[] = []
      await using database = freshDatabase(url, { onCommand: (event) => void sent.push(event) })
      const accounts = openMongoAccounts(database.connection)
      const { id, ...made } = account()
      await accounts.create({ id, ...made })
      await accounts.update(id, (it) => ({ ...it, isOperator: true }))
      await accounts.putSession(session(id))
      await accounts.putToken(token({ accountId: id }))
      await accounts.takePlace('2026-01-31', 1)
      await accounts.addAudit(entry())
      await accounts.remove(id)
      const writes = sent.filter(({ commandName }) => ['insert', 'update', 'delete'].includes(commandName))
      expect(writes).to.have.length(10)
      for (const { command } of writes) expect(command.writeConcern).to.deep.include({ w: 'majority' })
      expect(sent.filter(({ command }) => 'startTransaction' in command)).to.deep.equal([])
      expect(database.connection.db.readPreference.mode).to.equal('primary')
    })

    it('are removed by the server a day after they expire, when no caller’s clock can need them', async () => {
      await using database = freshDatabase(url)
      await openMongoAccounts(database.connection).putSession(session('mira', { expiresAt: now + 5 }))
      for (const name of ['account_sessions', 'account_tokens']) {
        const indexes = await database.connection.db.collection(name).indexes()
        const swept = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)
        expect(swept.map(({ key, expireAfterSeconds }) => ({ key, expireAfterSeconds }))).to.deep.equal([
          { key: { expires: 1 }, expireAfterSeconds: 86_400 },
        ])
      }
      const stored = await database.connection.db.collection('account_sessions').findOne()
      expect(stored?.expires).to.deep.equal(new Date(now + 5))
    })

    it('are one per address even after the database was emptied', async () => {
      await using database = freshDatabase(url)
      const accounts = openMongoAccounts(database.connection)
      const [one, two] = [account(), account()]
      await accounts.create(one)
      await database.connection.db.dropDatabase()
      await accounts.create(two)
      expect(await failureOf(accounts.create({ ...one, email: two.email }))).to.be.instanceOf(AccountTakenError)
    })

    it('find accounts by indexes', async () => {
      await using database = freshDatabase(url)
      await openMongoAccounts(database.connection).get('nobody')
      const keysOf = async (name: string) =>
        (await database.connection.db.collection(name).indexes()).map(({ key }) => Object.keys(key).join())
      expect(await keysOf('accounts')).to.include.members(['address', 'identity', 'orgIds', 'promisedSince'])
      expect(await keysOf('account_tokens')).to.include.members(['accountId', 'orgId'])
      expect(await keysOf('account_sessions')).to.include('accountId')
      expect(await keysOf('account_audits')).to.include.members(['at,_id', 'orgId,at,_id'])
    })
  })
})

describe('accounts in a database that is away', () => {
  it('reject soon as unreachable', async () => {
    await using connection = new MongoConnection({ url: 'mongodb://127.0.0.1:9/none', selectionTimeoutMs: 100 })
    const accounts = openMongoAccounts(connection)
    for (const call of [accounts.get('mira'), accounts.create(account()), accounts.takeToken('t', now)])
      expect(await failureOf(call)).to.be.instanceOf(UnreachableError)
  })
})
