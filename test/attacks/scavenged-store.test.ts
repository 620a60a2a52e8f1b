import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { expect } from 'chai'
import { streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { DoubleProcess } from '#test/doubles/eventstoredb/double-process.ts'
import { scavenge } from '#test/doubles/eventstoredb/scavenge.ts'
import { BackDoor } from '#test/doubles/service/back-door.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { until } from '#test/doubles/service/until.ts'
import { ServiceOnServer } from './store-on-a-double.ts'

if (startScript === 'start')
  describe('a store that others also use, scavenged while the service is away', function () {
    this.timeout(240_000)
    let double: DoubleProcess
    let running: ServiceOnServer
    let others: EventStoreDBClient
    /** Streams that others write to; each test has its own. */
    let names: string[]
    before(async () => {
      double = await DoubleProcess.start()
      running = await ServiceOnServer.start(double.url)
      others = EventStoreDBClient.connectionString(double.url)
    })
    after(async () => {
      await others?.dispose()
      await running?.[Symbol.asyncDispose]()
      await double?.[Symbol.asyncDispose]()
    })
    beforeEach(() => {
      names = ['one', 'another'].map((name) => `${name}-${randomUUID()}`)
    })
    const write = (stream: string, count = 1) =>
      others.appendToStream(
        stream,
        Array.from({ length: count }, (_, n) => jsonEvent({ type: 'Else', data: { n } })),
      )
    /** Waits until a key is listed, or is no longer listed. */
    const untilListed = (keyId: string, isListed: boolean) =>
      until(`the key is ${isListed ? '' : 'not '}listed`, async () => {
        const { status, text } = await running.client.get('/v1/keys')
        return status === 200 && text.includes(keyId) === isListed
      })

    /**
     * The service reads up to the other programs' last event, and stops. One of its keys is revoked meanwhile. Then it
     * starts again.
     */
    async function revokedMeanwhile(cut: (stream: string) => Promise<unknown>): Promise<void> {
      const doomed = (await running.client.post('/v1/keys', { name: 'doomed' })).body.id ?? ''
      await untilListed(doomed, true)
      await running.service.end('SIGTERM')
      for (const stream of names) await write(stream)
      // At its start a service saves the position that it has read: that of the other programs' last event.
      await running.service.start()
      await running.isReady()
      await running.service.end('SIGTERM')
      await using backDoor = await BackDoor.open(running.service)
      const { store } = backDoor
      const [created] = await store.read(streams.key(doomed))
      const metadata = { ...created?.metadata, traceparent: newTraceparent(true) } as NonNullable<
        typeof created
      >['metadata']
      await store.append(streams.key(doomed), 0, [
        { id: randomUUID(), type: 'KeyRevoked', data: { orgId: running.client.orgId }, metadata },
      ])
      for (const stream of names) await cut(stream)
      await scavenge(double.url)
      await running.service.start()
      await untilListed(doomed, false)
      expect((await running.order()).status).to.equal(202)
    }

    const cuts: Record<string, (stream: string) => Promise<unknown>> = {
      'keep only their newest events': async (stream) => {
        await others.setStreamMetadata(stream, { maxCount: 1 })
        await write(stream, 2)
      },
      'end their streams for ever': (stream) => others.tombstoneStream(stream),
      'delete their streams and begin them again': async (stream) => {
        await others.deleteStream(stream)
        await write(stream, 2)
      },
    }
    for (const [what, cut] of Object.entries(cuts))
      it(`loses no event of ours when the others ${what}`, () => revokedMeanwhile(cut))
  })
