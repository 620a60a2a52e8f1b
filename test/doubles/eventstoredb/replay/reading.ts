import { BACKWARDS, END, FORWARDS, type Position, START, StreamNotFoundError } from '@eventstore/db-client'
import { until } from '#test/doubles/service/until.ts'
import { ok, revisions, seen } from './seen.ts'
import { numbered, one, type Setting, type Steps } from './setting.ts'

/** The calls of section 6 that need a new database. They come first. */
export function newDatabase(on: Setting): Steps {
  const first = () => Array.fromAsync(on.client.readAll({ maxCount: 200 }))
  return {
    '6a': async () => {
      const names = (await first()).map(({ event }) => `${event?.streamId} ${event?.type}`)
      return Object.fromEntries(names.map((name) => [name, 1]))
    },
    '6b': async () => seen((await first())[0]),
    '6c': async () =>
      (await first()).map(({ event, commitPosition }) =>
        seen({ s: event?.streamId, c: event?.position?.commit, p: event?.position?.prepare, commitPosition }),
      ),
  }
}

/** Section 5: reading a stream. */
export function streamReads(on: Setting): Steps {
  type Options = Parameters<Setting['client']['readStream']>[1]
  const read = (options?: Options, stream = 't-s5') => revisions(() => on.client.readStream(stream, options))
  return {
    '5a': async () => {
      const when: string[] = []
      const reading = on.client.readStream('t-missing')
      when.push(`readStream() returned without throwing: ${reading.constructor.name}`)
      const error = await Array.fromAsync(reading).catch((thrown: unknown) => thrown)
      when.push('thrown by the async iteration')
      return { when, error: seen(error), instanceOfStreamNotFoundError: error instanceof StreamNotFoundError }
    },
    '5b': () => read({ direction: BACKWARDS, fromRevision: END, maxCount: 1 }, 't-missing2'),
    '5c': async () => {
      await on.fill('t-s5', 10)
      return read({ direction: FORWARDS, fromRevision: START })
    },
    '5d': () => read({ direction: BACKWARDS, fromRevision: END }),
    '5e': () => read({ fromRevision: 4n, maxCount: 3 }),
    '5f': () => read({ direction: BACKWARDS, fromRevision: 4n, maxCount: 3 }),
    '5g': () => read({ fromRevision: 100n }),
    '5h': () => read({ direction: BACKWARDS, fromRevision: 100n }),
    '5i': () => read({ fromRevision: END }),
    '5j': () => read({ direction: BACKWARDS, fromRevision: START }),
    '5k': () => read({ maxCount: 0 }),
    '5l': () => read(),
    '5m': async () => seen((await Array.fromAsync(on.client.readStream('t-s5', { maxCount: 1 })))[0]),
    '5n': async () => {
      const reading = on.client.readStream('t-s5')
      let n = 0
      for await (const _ of reading) if (++n === 3) break
      return { n, destroyed: reading.destroyed }
    },
    '5o': async () => {
      const said: string[] = []
      const reading = on.client.readStream('t-s5', { maxCount: 1 })
      reading.on('data', () => {
        said.push('data')
        void reading.cancel()
      })
      reading.on('end', () => said.push('end')).on('close', () => said.push('close'))
      await until('the read is closed', () => said.includes('close'))
      return said
    },
    '5p': () => read({ fromRevision: 4 as unknown as bigint, maxCount: 2 }),
    '5r': async () => {
      const client = on.connect()
      const tl: unknown[] = []
      const subscription = client.subscribeToAll()
      for (const name of ['end', 'close']) subscription.on(name, () => tl.push([name, null]))
      subscription.resume()
      await until(
        'the subscription is open',
        () => new Promise<true>((done) => subscription.once('caughtUp', () => done(true))),
      )
      await client.dispose()
      await until('it is closed', () => tl.length === 2)
      return { tl, appendAfterDispose: await ok(client.appendToStream('t-s5r', one())) }
    },
    '5q': async () => {
      for (let n = 0; n < 5; n++) await on.append('t-s5big', numbered(1000))
      return { n: (await Array.fromAsync(on.client.readStream('t-s5big'))).length, ms: 0 }
    },
  }
}

/** Section 6: reading everything. */
export function allReads(on: Setting): Steps {
  let [appended, middle]: (Position | undefined)[] = []
  type Options = Parameters<Setting['client']['readAll']>[0]
  const all = async (options: Options) =>
    (await Array.fromAsync(on.client.readAll(options))).map(({ event }) =>
      seen({ s: event?.streamId, r: event?.revision, c: event?.position?.commit }),
    )
  const counted = (options: Options) =>
    revisions(() => on.client.readAll(options) as ReturnType<Setting['client']['readStream']>)
  return {
    '6d': async () => {
      const { position } = await on.append('t-s6', numbered(3))
      const events = await Array.fromAsync(on.client.readStream('t-s6'))
      appended = position
      middle = events[1]?.event?.position
      return {
        appendPosition: seen(position),
        eventPositions: events.map(({ event }) => seen(event?.position)),
        commitPosition: events.map(({ commitPosition }) => seen(commitPosition)),
      }
    },
    '6e': () => all({ fromPosition: middle as Position, maxCount: 3 }),
    '6f': () => all({ direction: BACKWARDS, fromPosition: middle as Position, maxCount: 3 }),
    '6g': () => all({ direction: BACKWARDS, fromPosition: END, maxCount: 3 }),
    '6h': () => counted({ fromPosition: END }),
    '6i': () => counted({ fromPosition: { commit: 5n, prepare: 5n } }),
    '6j': () => counted({ fromPosition: { commit: 99_999_999n, prepare: 99_999_999n } }),
    '6k': async () => {
      const filtered = { maxCount: 5, filter: { filterOn: 'streamName', prefixes: ['t-f7-'] } } as Options
      const streams = (await Array.fromAsync(on.client.readAll(filtered))).map(({ event }) => event?.streamId)
      return { count: streams.length, streams, note: 'client code always sends no_filter' }
    },
    '6l': () => all({ fromPosition: appended as Position, maxCount: 3 }),
  }
}
