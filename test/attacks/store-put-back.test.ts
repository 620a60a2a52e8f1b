import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { expect } from 'chai'
import { DoubleProcess } from '#test/doubles/eventstoredb/double-process.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { until } from '#test/doubles/service/until.ts'
import { ServiceOnServer } from './store-on-a-double.ts'

const sentence = 'another store, or an older copy, is in its place'

/** Names of all streams in the store except its own system streams. */
async function streamsOf(double: DoubleProcess): Promise<Set<string>> {
  const client = EventStoreDBClient.connectionString(double.url)
  const events = await Array.fromAsync(client.readAll())
  await client.dispose()
  return new Set(events.flatMap(({ event }) => (event?.streamId.startsWith('$') ? [] : [event?.streamId ?? ''])))
}

if (startScript === 'start')
  describe('an event store that is restored from an older copy while the service runs', function () {
    this.timeout(240_000)
    const double = openedForEach(() => DoubleProcess.start())
    const running = openedForEach(() => ServiceOnServer.start(double.url))

    /** Nothing is accepted, and nothing is written to the restored copy. */
    async function assertRefused(): Promise<void> {
      const before = await streamsOf(double)
      for (let n = 0; n < 3; n++) expect((await running.order()).status).to.equal(503)
      expect(await streamsOf(double)).to.deep.equal(before)
    }

    it('is reported by /ready, every accept is refused, and all recovers once the original is back', async () => {
      const older = double.copy()
      const { status, body } = await running.order()
      expect(status).to.equal(202)
      // Nothing is written from here on: the original that comes back later has all events.
      await running.client.ended(body.jobId ?? '')
      await running.isReady()
      const original = double.copy()
      await double.putBack(older)
      await running.says(sentence)
      await assertRefused()
      const reports = (): string[] => running.lines('"msg":"the event store ends at position')
      await until('the log says so', () => reports().length > 0)
      expect(reports(), 'said once, not at each try').to.have.length(1)
      await double.putBack(original)
      await running.isReady()
      expect((await running.order()).status).to.equal(202)
    })

    it('is reported when the copy is empty', async () => {
      await running.isReady()
      await double.putBack()
      await running.says(sentence)
      await assertRefused()
    })

    it('is reported when others have written to the copy until it ends beyond what the service has seen', async () => {
      const older = double.copy()
      for (let n = 0; n < 2; n++) expect((await running.order()).status).to.equal(202)
      await running.isReady()
      await double.putBack(older)
      const others = EventStoreDBClient.connectionString(double.url)
      const events = Array.from({ length: 200 }, (_, n) => jsonEvent({ type: 'Else', data: { n } }))
      await others.appendToStream('other-1', events)
      await others.dispose()
      await running.says('holds something else at position')
      await assertRefused()
    })
  })
