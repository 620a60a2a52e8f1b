import { join } from 'node:path'
import { EventStoreDBClient } from '@eventstore/db-client'
import { expect } from 'chai'
import { failureOf, grant, idsOf } from '#packages/ports/event-store-samples.contract.ts'
import { RefusedError } from '#packages/ports/unreachable.ts'
import { type EventStoreDoubleOptions, startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { makeCertificate } from '#test/doubles/world/certificate.ts'
import { type EventStoreDb, openEventStoreDb } from '../event-store.ts'

const password = 'secret-pass?word'
const users = { admin: { password, groups: ['$admins'] }, video: { password } }
const soon = { everyMs: 5 }

/** The double answers as the real server does: see ops/adr/engine-traps.md. */
describe('EventStoreDb and a server that refuses', function () {
  this.timeout(120_000)
  // A machine may stop for longer than the deadline of the stores: they are tried again.
  this.retries(2)
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  let certificate: Awaited<ReturnType<typeof makeCertificate>>
  before(async () => {
    directory = await temporaryDirectory()
    certificate = await makeCertificate(directory.path, ['localhost'])
  })
  after(() => directory[Symbol.asyncDispose]())

  let databases = 0
  const serve = (options: Partial<EventStoreDoubleOptions> = {}) =>
    startEventStoreDouble({ path: join(directory.path, `${databases++}.sqlite`), tls: certificate, users, ...options })
  /** @param hosts `host:port`, of several separated by commas */
  const urlOf = (hosts: string, { user = 'video', as = password, ca = certificate.file } = {}) =>
    `esdb://${user}:${encodeURIComponent(as)}@${hosts}?tls=true${ca === '' ? '' : `&tlsCAFile=${ca}`}`

  /** A store, the failures it reported, and a follower that waits. */
  function opened(url: string) {
    const told: unknown[] = []
    const store = openEventStoreDb(url, {
      deadlineMs: 1500,
      patienceMs: 1500,
      onTrouble: (error) => told.push(error),
    })
    const end = new AbortController()
    const ids: string[] = []
    const following = (async () => {
      for await (const { events } of store.follow({ after: 0, prefixes: ['job-'], signal: end.signal }))
        ids.push(...idsOf(events))
    })()
    const stop = async () => {
      end.abort()
      await store[Symbol.asyncDispose]()
      await following
    }
    return { store, told, ids, [Symbol.asyncDispose]: stop }
  }

  /** Waits until `look` is refused, and returns the error; checks that it has no address, user or password. */
  async function refusalOf(store: EventStoreDb, advice: string | RegExp): Promise<RefusedError> {
    const error = await until('it refuses', async () => {
      const failure = await failureOf(store.look())
      return failure instanceof RefusedError && failure
    })
    expect(error.message)
      .to.match(/^the event store refuses: /)
      .and.match(new RegExp(advice))
    expect(error.message).to.not.match(/localhost|127\.0\.0\.1|secret|video/)
    return error
  }

  it('reports a wrong password, and goes on once it is right', async () => {
    await using double = await serve()
    await using wrong = opened(urlOf(`localhost:${double.port}`, { as: 'secret-other' }))
    await refusalOf(wrong.store, 'does not know the user and password of EVENT_STORE_URL')
    for (const call of [() => wrong.store.append('job-a', 'no-stream', [grant()]), () => wrong.store.read('job-a')])
      expect(await failureOf(call())).to.be.instanceOf(RefusedError)
    await until('the follower is refused too', () => wrong.told.some((each) => each instanceof RefusedError), soon)
    expect(wrong.told.map(String).join()).to.not.contain('secret')
    await using right = opened(urlOf(`localhost:${double.port}`, { user: 'admin' }))
    const event = grant()
    await right.store.append('job-a', 'no-stream', [event])
    await until('it follows', () => right.ids.includes(event.id), soon)
  })

  it('reports the grant that an account needs to read $all, and goes on once it has it', async () => {
    await using double = await serve()
    await using video = opened(urlOf(`localhost:${double.port}`))
    const event = grant()
    await video.store.append('job-a', 'no-stream', [event])
    expect(await video.store.read('job-a'), 'streams are not refused').to.have.length(1)
    const error = await refusalOf(video.store, /setStreamMetadata\('\$all', \{acl: \{readRoles: \['\$admins', the user/)
    await until('the follower is told', () => video.told.some((each) => String(each) === String(error)), soon)
    expect(video.ids).to.deep.equal([])
    const admin = EventStoreDBClient.connectionString(urlOf(`localhost:${double.port}`, { user: 'admin' }))
    await admin.setStreamMetadata('$all', { acl: { readRoles: ['$admins', 'video'] } })
    await admin.dispose()
    await until('the follower goes on', () => video.ids.includes(event.id), soon)
    expect(await failureOf(video.store.look())).to.equal(undefined)
  })

  it('reports a certificate that is not trusted, with one host and with several', async () => {
    await using double = await serve()
    const hosts = [`localhost:${double.port}`, `localhost:${double.port},localhost:${double.port}`]
    for (const each of hosts) {
      await using store = opened(urlOf(each, { ca: '' }))
      const error = await refusalOf(store.store, 'certificate is not trusted; let tlsCAFile in EVENT_STORE_URL name')
      // Only for the log: found by trying one host alone.
      if (each.includes(',')) expect(String(error.cause)).to.contain('tried by itself')
    }
  })

  it('reports a certificate for another name', async () => {
    await using double = await serve()
    await using store = opened(urlOf(`127.0.0.1:${double.port}`))
    await refusalOf(store.store, 'certificate is for another name')
  })

  it('reports where only one side speaks TLS', async () => {
    await using secure = await serve()
    await using plainly = opened(`esdb://127.0.0.1:${secure.port}?tls=false`)
    await refusalOf(plainly.store, 'speaks TLS; take tls=false out of EVENT_STORE_URL')
    await using plain = await startEventStoreDouble({ path: join(directory.path, `${databases++}.sqlite`) })
    await using securely = opened(urlOf(`localhost:${plain.port}`))
    await refusalOf(securely.store, 'speaks no TLS; put tls=false into EVENT_STORE_URL')
  })

  it('does not mistake a server that is away for one that refuses', async () => {
    const double = await serve()
    const at = urlOf(`localhost:${double.port}`, { user: 'admin' })
    await using store = opened(at)
    await store.store.append('job-a', 'no-stream', [grant()])
    await double[Symbol.asyncDispose]()
    const failures: unknown[] = []
    await until('it has been asked several times', async () => failures.push(await failureOf(store.store.look())) > 4)
    expect(failures.filter((each) => each instanceof RefusedError)).to.deep.equal([])
    expect(failures.map(String)).to.include('Error: the event store does not answer')
  })
})
