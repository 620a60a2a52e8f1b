import { BACKWARDS, binaryEvent, END, jsonEvent, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client'
import { ok, revisions, seen } from './seen.ts'
import { alone, numbered, one, type Setting, type Steps, Timeline } from './setting.ts'

/** Section 11: deleting and tombstoning. */
export function removals(on: Setting): Steps {
  const append = (stream: string, options = {}) => ok(on.append(stream, one(), options))
  const read = (stream: string) => revisions(() => on.client.readStream(stream))
  const erase = (stream: string, options = {}) => ok(on.client.deleteStream(stream, options))
  return {
    '11a': async () => {
      await on.append('t-s11', numbered(3))
      return erase('t-s11', { expectedRevision: 0n })
    },
    '11b': () => erase('t-s11'),
    '11c': () => read('t-s11'),
    '11d': () => append('t-s11', { expectedRevision: NO_STREAM }),
    '11e': () => read('t-s11'),
    '11f': () => ok(on.client.getStreamMetadata('t-s11')),
    '11g': async () => {
      await on.append('t-s11b', numbered(2))
      await on.client.deleteStream('t-s11b')
      return append('t-s11b', { expectedRevision: STREAM_EXISTS })
    },
    '11h': () => append('t-s11b', { expectedRevision: 1n }),
    '11i': () => erase('t-s11missing'),
    '11j': () => erase('t-s11missing2', { expectedRevision: NO_STREAM }),
    '11j2': () => read('t-s11missing2'),
    '11k': async () => {
      await on.append('t-s11t', numbered(2))
      return ok(on.client.tombstoneStream('t-s11t'))
    },
    '11l': () => read('t-s11t'),
    '11m': () => append('t-s11t'),
    '11n': () => append('t-s11t', { expectedRevision: NO_STREAM }),
    '11o': () => append('t-s11t', alone),
    '11p': () => erase('t-s11t'),
    '11q': async () => {
      const timeline = new Timeline(on.client.subscribeToStream('t-s11t'))
      await timeline.has('error')
      return timeline.entries
    },
    '11r': () => ok(on.client.getStreamMetadata('t-s11t')),
    '11s': async () => {
      const last = on.client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 4 })
      return (await Array.fromAsync(last)).map(({ event }) => [event?.streamId, event?.type, seen(event?.revision)])
    },
    '11t': async () => {
      await on.append('t-s11t2', one())
      return ok(on.client.tombstoneStream('t-s11t2', { expectedRevision: 7n }))
    },
    '11u': async () => {
      const timeline = new Timeline(on.client.subscribeToStream('t-s11t2'))
      await timeline.has('caughtUp')
      await on.client.tombstoneStream('t-s11t2')
      await timeline.has('error')
      return timeline.entries
    },
  }
}

const named = (value: unknown): string =>
  value === undefined ? 'undefined' : String((value as object).constructor.name)

/** Section 13: what reads return of appended data. */
export function contents(on: Setting): Steps {
  const first = one()
  const bytes = (...values: number[]) => Uint8Array.from(values)
  const appended = [
    jsonEvent({
      type: 'J',
      data: { a: 1, big: 12345678901234567000, u: 'ü€😀', nul: null, arr: [1, '2'], nested: { x: [] } },
      metadata: { $correlationId: 'corr', user: 'u1' },
    }),
    jsonEvent({ type: 'J2', data: { a: 1 } }),
    binaryEvent({ type: 'B', data: bytes(0, 1, 2, 255), metadata: bytes(9, 8) }),
    binaryEvent({ type: 'B2', data: Uint8Array.from(Buffer.from('{"j":1}')), metadata: { json: true } }),
    binaryEvent({ type: 'B3', data: bytes(1), metadata: bytes(7) }),
    jsonEvent({ type: 'J3', data: 'a plain string' }),
    jsonEvent({ type: 'J4', data: [1, 2] as unknown as string }),
    jsonEvent({ type: 'J5', data: { d: new Date(0) } as unknown as string, metadata: bytes(1, 2) }),
    binaryEvent({ type: 'B4', data: bytes() }),
  ]
  const events = () => Array.fromAsync(on.client.readStream('t-s13'))
  return {
    '13a': async () => {
      await on.client.appendToStream('t-s13', appended)
      return (await events()).map(({ event }) => {
        const { id: _, ...rest } = event ?? {}
        return {
          ...(seen(rest) as object),
          createdType: `${typeof event?.created}/${named(event?.created)}`,
          dataType: named(event?.data),
          metadataType: named(event?.metadata),
        }
      })
    },
    '13b': async () => {
      await on.append('t-s13b', first)
      const [stored] = await Array.fromAsync(on.client.readStream('t-s13b'))
      if (stored?.event?.id !== first.id) throw new Error('another id came back')
      return { sent: first.id, got: stored?.event?.id }
    },
    '13d': async () => {
      const num = await ok(on.append('t-s13n', one(5)))
      const nul = await ok(on.append('t-s13m', one(null)))
      const back = ['t-s13n', 't-s13m'].map(async (stream) => ({
        ok: (await Array.fromAsync(on.client.readStream(stream)))[0]?.event?.data,
      }))
      return { num, nul, back: await Promise.all(back) }
    },
    '13e': async () => {
      const event = one()
      const sent = event.id.toUpperCase()
      await on.append('t-s13e', { ...event, id: sent })
      const got = (await Array.fromAsync(on.client.readStream('t-s13e')))[0]?.event?.id
      if (got !== event.id) throw new Error(`${got} came back for ${sent}`)
      return { ok: { sent, got } }
    },
    '13f': async () => (await events()).map(({ event }) => (event?.created.getTime() ? 'a date' : 'none')),
  }
}
