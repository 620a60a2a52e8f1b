import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { EventStoreDBClient } from '@eventstore/db-client'
import { expect } from 'chai'
import { type EventStoreDoubleOptions, startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { madeForAll } from '#test/doubles/opened.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { Service } from '#test/doubles/service/service.ts'
import { until } from '#test/doubles/service/until.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { makeCertificate } from '#test/doubles/world/certificate.ts'
import { ServiceOnServer } from './store-on-a-double.ts'

const password = 'guarded-secret'

/** How long a service waits for an answer: two seconds, in nanoseconds. */
const MOST_SILENT_NS = 1.5e9

if (startScript === 'start')
  describe('an event store that refuses', function () {
    this.timeout(240_000)
    const directory = directoryForAll()
    const certificate = madeForAll(() => makeCertificate(directory.path, ['localhost']))
    const path = () => join(directory.path, 'log.sqlite')
    afterEach(async () => {
      for (const suffix of ['', '-wal', '-shm']) await rm(`${path()}${suffix}`, { force: true })
    })
    const users = { admin: { password, groups: ['$admins'] }, video: { password } }
    const serve = (options: Partial<EventStoreDoubleOptions> = {}) =>
      startEventStoreDouble({ path: path(), tls: certificate, users, ...options })
    const urlOf = (hosts: string, { user = 'video', as = password, ca = `&tlsCAFile=${certificate.file}` } = {}) =>
      `esdb://${user}:${as}@${hosts}?tls=true${ca}`

    /**
     * Starts a service on a store that refuses. The service logs the sentence, and never that the store does not
     * answer.
     */
    async function startsInVain(url: string, sentence: string): Promise<Service> {
      const service = await Service.prepare({ env: { EVENT_STORE_URL: url } })
      service.spawn()
      const lines = (text: string): string[] => service.output.split('\n').filter((line) => line.includes(text))
      await until(`it says ${sentence}`, () => lines(sentence).length > 0)
      expect(service.output).to.not.contain(password)
      expect(lines('"level":50').filter((line) => line.includes(sentence)).length, 'errors').to.be.at.most(1)
      return service
    }

    it('is reported at start with the grant that its user lacks, and the service starts once it is granted', async () => {
      const stops = monitorEventLoopDelay()
      stops.enable()
      await using double = await serve()
      await using service = await startsInVain(
        urlOf(`localhost:${double.port}`),
        'may not read $all; as an administrator',
      )
      const before = double.calls.subscribed + double.calls.read
      await until('it has tried often', () => double.calls.subscribed + double.calls.read > before + 4)
      const reports = service.output.split('\n').filter((line) => line.includes('may not read $all'))
      // The store may have failed to answer: it runs in this process, which a busy machine can stop for a while.
      if (stops.max < MOST_SILENT_NS) {
        expect(reports, 'said once, not at each try').to.have.length(1)
        expect(service.output).to.not.contain('the event store does not answer')
      }
      const admin = EventStoreDBClient.connectionString(urlOf(`localhost:${double.port}`, { user: 'admin' }))
      await admin.setStreamMetadata('$all', { acl: { readRoles: ['$admins', 'video'] } })
      await admin.dispose()
      await until('it serves', () => service.output.includes('base URL'))
      await until('every reader is answered', () => service.output.includes('the event store answers again'))
    })

    it('is reported at start when the password is wrong', async () => {
      await using double = await serve()
      const url = urlOf(`localhost:${double.port}`, { as: 'other' })
      await using _service = await startsInVain(url, 'does not know the user and password of EVENT_STORE_URL')
    })

    it('is reported at start when a certificate is not trusted, behind several hosts', async () => {
      await using double = await serve()
      const url = urlOf(`localhost:${double.port},localhost:${double.port}`, { ca: '' })
      await using service = await startsInVain(url, 'certificate is not trusted; let tlsCAFile in EVENT_STORE_URL')
      await until('it says which one was tried', () => service.output.includes('tried by itself'))
    })

    it('is reported by /ready when a right is revoked while the service runs, and all recovers once it is granted', async () => {
      const double = await serve()
      const { port } = double
      await using running = await ServiceOnServer.start(urlOf(`localhost:${port}`, { user: 'admin' }))
      await running.isReady()
      await double[Symbol.asyncDispose]()
      const without = await serve({ port, users: { admin: { password } } })
      const text = (await running.says('may not read \\$all')).replace(/"documentationUrl":"[^"]*"/, '')
      expect(text)
        .to.contain("setStreamMetadata('$all'")
        .and.not.match(/localhost|127\.0\.0\.1|guarded/)
      await without[Symbol.asyncDispose]()
      const changed = await serve({ port, users: { admin: { password: 'changed', groups: ['$admins'] } } })
      await running.says('does not know the user and password of EVENT_STORE_URL')
      await changed[Symbol.asyncDispose]()
      await using _healed = await serve({ port })
      await running.isReady()
    })
  })
