import {
  END,
  eventTypeFilter,
  excludeSystemEvents,
  type Filter,
  type Position,
  START,
  streamNameFilter,
} from '@eventstore/db-client'
import { until } from '#test/doubles/service/until.ts'
import { seen } from './seen.ts'
import { numbered, one, type Setting, type Steps, Timeline } from './setting.ts'

const f7 = (options: object = {}): Filter =>
  streamNameFilter({ prefixes: ['t-f7-'], checkpointInterval: 1, ...options })
/** Collects the commit positions of checkpoints. */
const into = (kept: bigint[]) => ({
  checkpointReached: async (_: unknown, position: Position) => void kept.push(position.commit),
})
const increasing = (values: bigint[]): boolean =>
  values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0n))

/** Section 7, filters: which events are delivered, and from where. */
export function filteredSubscriptions(on: Setting): Steps {
  const toAll = (options: Parameters<Setting['client']['subscribeToAll']>[0]) =>
    new Timeline(on.client.subscribeToAll(options))
  const untilCaughtUp = async (timeline: Timeline): Promise<unknown[]> => {
    await timeline.has('caughtUp')
    return timeline.leave()
  }
  const failing = async (timeline: Timeline): Promise<unknown[]> => {
    await timeline.has('error')
    return timeline.entries.slice(0, 1)
  }
  const checkpoints: bigint[] = []
  const refusing = (options: object): unknown => {
    try {
      return on.client.subscribeToAll({ filter: f7(options) })
    } catch (error) {
      return { syncThrow: seen(error) }
    }
  }
  return {
    '7a': async () => {
      for (let round = 0; round < 2; round++)
        for (let stream = 0; stream < 3; stream++) {
          await on.append(`t-f7-${stream}`, one())
          await on.append(`t-o7-${stream}`, one())
        }
      const timeline = toAll({ fromPosition: START, filter: f7(into(checkpoints)) })
      await timeline.has('caughtUp')
      timeline.note('now appending live: matching, non-matching x3')
      await on.append('t-f7-live', one())
      await on.fill('t-o7-live', 3)
      await timeline.has('data', 7)
      return timeline.leave()
    },
    '7b': () => checkpointShape({ count: checkpoints.length, first: checkpoints.map((position) => `${position}n`) }),
    '7c': async () => {
      const [first] = await Array.fromAsync(on.client.readStream('t-f7-0', { maxCount: 1 }))
      const position = first?.event?.position as Position
      const timeline = await untilCaughtUp(toAll({ fromPosition: position, filter: f7() }))
      return { fromEvent: { s: 't-f7-0', position: seen(position) }, timeline }
    },
    '7d': async () => {
      const timeline = toAll({ fromPosition: END, filter: f7(into(checkpoints)) })
      await timeline.has('caughtUp')
      checkpoints.length = 0
      timeline.note('appending')
      await on.append('t-f7-end', numbered(2))
      await timeline.has('data', 2)
      return timeline.leave()
    },
    '7e': () => checkpoints.map((position) => `${position}n`),
    '7f': async () => {
      await on.append('t-o7-live', numbered(200))
      const kept: bigint[] = []
      const timeline = toAll({ filter: f7(into(kept)) })
      await untilCaughtUp(timeline)
      const shape = checkpointShape({ count: kept.length, first: kept.map((position) => `${position}n`) })
      return { data: timeline.count('data'), caughtUp: timeline.count('caughtUp'), checkpoints: shape }
    },
    '7g': async () => {
      const kept: bigint[] = []
      const timeline = toAll({ filter: f7({ checkpointInterval: 5, maxSearchWindow: 10, ...into(kept) }) })
      await untilCaughtUp(timeline)
      const shape = checkpointShape({ count: kept.length, first: kept.map((position) => `${position}n`) })
      return { data: timeline.count('data'), checkpoints: shape }
    },
    '7h': () => refusing({ maxSearchWindow: 0 }),
    '7i': () => refusing({ checkpointInterval: 0 }),
    '7j': async () => {
      const timeline = toAll({})
      await untilCaughtUp(timeline)
      const items = timeline.entries.flatMap((entry) => (Array.isArray(entry) && entry[1] === 'data' ? [entry[2]] : []))
      const systemStreams = items.filter(({ s }) => s.startsWith('$')).map(({ s, t }) => `${s} ${t}`)
      return { strictlyIncreasing: increasing(items.map(({ p }) => BigInt(p.slice(0, -1)))), systemStreams }
    },
    '7k': async () => {
      const timeline = toAll({ filter: excludeSystemEvents() })
      await untilCaughtUp(timeline)
      const items = timeline.entries.flatMap((entry) => (Array.isArray(entry) && entry[1] === 'data' ? [entry[2]] : []))
      return {
        dollarTypes: items.filter(({ t }) => t.startsWith('$')).length,
        dollarStreams: items.filter(({ s }) => s.startsWith('$')).map(({ s }) => s),
      }
    },
    '7l': async () => {
      await on.append('t-ty', [one({}, 'abc-1'), one({}, 'xyz')])
      return untilCaughtUp(toAll({ filter: eventTypeFilter({ prefixes: ['abc'] }) }))
    },
    '7m': async () => {
      const timeline = toAll({ filter: streamNameFilter({ regex: '^t-f7-[01]$' }) })
      await untilCaughtUp(timeline)
      const items = timeline.entries.flatMap((entry) => (Array.isArray(entry) && entry[1] === 'data' ? [entry[2]] : []))
      return items.map(({ s, r }) => `${s}@${r.slice(0, -1)}`)
    },
    '7n': () => failing(toAll({ filter: streamNameFilter({ regex: '[' }) })),
    '7o': () => failing(toAll({ fromPosition: { commit: 5n, prepare: 5n } })),
    ...checkpointsAndPauses(on),
  }
}

/** The facts about a list of checkpoints that are the same in every run. */
export function checkpointShape({ count, first }: { count: number; first: string[] }): unknown {
  const positions = first.map((text) => BigInt(text.slice(0, -1)))
  return { many: count > 100, fromTheBeginning: positions[0] === 0n, increasing: increasing(positions) }
}

/** The rest of section 7: when checkpoints come, and what a pausing reader gets. */
function checkpointsAndPauses(on: Setting): Steps {
  return {
    '7p': async () => {
      const said: string[] = []
      const checkpointReached = async (): Promise<void> => {
        said.push('cp-start')
        await new Promise(setImmediate)
        said.push('cp-end')
      }
      const subscription = on.client.subscribeToAll({ filter: f7({ checkpointReached }) })
      subscription.on('data', () => said.push('data'))
      await until('there were ten', () => said.length >= 19, { everyMs: 1 })
      await subscription.unsubscribe()
      return said.slice(0, 19).join(' ')
    },
    '7t': async () => {
      const [kept, appended]: bigint[][] = [[], []]
      const timeline = new Timeline(on.client.subscribeToAll({ fromPosition: END, filter: f7(into(kept ?? [])) }))
      await timeline.has('caughtUp')
      for (const event of numbered(100)) appended?.push((await on.append('t-o7-cp', event)).position?.commit ?? 0n)
      await until('three checkpoints', () => (kept?.length ?? 0) >= 3)
      await timeline.leave()
      const at = (n: number): string => `${appended?.[n - 1]}n`
      return liveCheckpoints({ a32nd: at(32), a64th: at(64), a96th: at(96), got: kept?.map((p) => [0, `${p}n`]) ?? [] })
    },
    '7u': async () => {
      const said: string[] = []
      const checkpointReached = async (_: unknown, { commit }: Position) => void said.push(`cp ${commit}`)
      const subscription = on.client.subscribeToAll({ fromPosition: END, filter: f7({ checkpointReached }) })
      const live = new Promise((resolve) => subscription.once('caughtUp', resolve))
      subscription.on('data', ({ commitPosition }) => said.push(`d ${commitPosition}`))
      await live
      await on.fill('t-f7-live', 40)
      await until('all have come', () => said.length === 41)
      await subscription.unsubscribe()
      return inLetters(said.slice(-14))
    },
    '7q': async () => {
      const timeline = new Timeline(on.client.subscribeToAll())
      await timeline.has('data')
      await timeline.leave()
      return timeline.entries.find((entry) => Array.isArray(entry) && entry[1] === 'data')
    },
    '7r': async () => {
      const subscription = on.client.subscribeToAll({ filter: f7() })
      let count = 0
      subscription.on('data', () => {
        if (++count === 2) subscription.pause()
      })
      await until('it is paused', () => subscription.isPaused() && count === 2)
      // Another subscription, which began later, has reached the end meanwhile.
      const other = new Timeline(on.client.subscribeToAll({ filter: f7() }))
      await other.has('caughtUp')
      await other.leave()
      const atPause = count
      subscription.resume()
      await until('the rest has come', () => count === 49)
      await subscription.unsubscribe()
      return { atPause, after: count }
    },
    '7s': async () => {
      const subscription = on.client.subscribeToAll({ filter: f7() })
      for await (const _ of subscription) await subscription.unsubscribe()
      return { end: 'loop ended normally', destroyed: subscription.destroyed }
    },
  }
}

/** Replaces positions by letters in the order of their first appearance. */
export function inLetters(said: string[]): string[] {
  const names = [...new Set(said.map((text) => text.split(' ')[1]))]
  return said.map((text) => `${text.split(' ')[0]} ${names.indexOf(text.split(' ')[1])}`)
}

type LiveCheckpoints = { a32nd: string; a64th: string; a96th: string; got: [number, string][] }
/** Whether the checkpoints were the 32nd, 64th and 96th event that the server examined. */
export const liveCheckpoints = ({ a32nd, a64th, a96th, got }: LiveCheckpoints): unknown => ({
  got: got.map(([, position]) => [a32nd, a64th, a96th].indexOf(position)),
})

/** Section 8: subscribing to one stream, and slow readers. */
export function streamSubscriptions(on: Setting): Steps {
  const to = (stream: string, options = {}) => new Timeline(on.client.subscribeToStream(stream, options))
  const untilCaughtUp = async (timeline: Timeline): Promise<unknown[]> => {
    await timeline.has('caughtUp')
    return timeline.leave()
  }
  /** Another subscription, which began later, has reached the end. */
  const meanwhile = () => untilCaughtUp(to('t-s8'))
  return {
    '8a': async () => {
      await on.fill('t-s8', 5)
      return untilCaughtUp(to('t-s8', { fromRevision: 2n }))
    },
    '8b': () => untilCaughtUp(to('t-s8', { fromRevision: START })),
    '8c': async () => {
      const timeline = to('t-s8', { fromRevision: END })
      await timeline.has('caughtUp')
      await on.append('t-s8', one())
      await timeline.has('data')
      return timeline.leave()
    },
    '8d': async () => {
      const timeline = to('t-s8m')
      await timeline.has('confirmation')
      await on.append('t-s8m', one())
      return untilCaughtUp(timeline)
    },
    '8d2': async () => {
      const timeline = to('t-s8none')
      await timeline.has('confirmation')
      await meanwhile()
      return timeline.leave()
    },
    '8d3': () =>
      untilCaughtUp(new Timeline(on.client.subscribeToAll({ filter: streamNameFilter({ prefixes: ['none-'] }) }))),
    '8e': async () => {
      const timeline = to('t-s8', { fromRevision: 100n })
      await timeline.has('caughtUp')
      await on.append('t-s8', one())
      await meanwhile()
      return timeline.leave()
    },
    '8f': async () => {
      const noted: unknown[] = []
      const subscription = on.client.subscribeToStream('t-s8')
      const names = ['confirmation', 'data', 'caughtUp', 'end', 'close'] as const
      for (const name of names)
        subscription.on(name as 'data', (item) => noted.push([name, seen(item?.event?.revision)]))
      await until('it has caught up', () => noted.some((entry) => Array.isArray(entry) && entry[0] === 'caughtUp'))
      await subscription.unsubscribe()
      await until('it is closed', () => noted.some((entry) => Array.isArray(entry) && entry[0] === 'close'))
      return noted
    },
    '8g': async () => {
      const subscription = on.client.subscribeToAll({ fromPosition: END })
      const timeline: unknown[] = []
      let received = 0
      subscription.on('caughtUp', () => timeline.push('caughtUp'))
      subscription.on('error', (error) => timeline.push(seen(error)))
      await until('it is live', () => timeline.length === 1)
      for (let n = 0; n < 100; n++) await on.append('t-s8slow', numbered(50))
      subscription.on('data', () => received++)
      await until('it is dropped', () => timeline.length === 2)
      return { receivedBeforeResume: 0, someAfterResume: received > 0, timeline }
    },
    '8h': async () => {
      const timeline = to('t-s8')
      await timeline.has('caughtUp')
      const before = timeline.entries.length
      const noted = await timeline.leave()
      return noted.slice(before).map((entry) => [...(entry as unknown[]).slice(1), null])
    },
  }
}
