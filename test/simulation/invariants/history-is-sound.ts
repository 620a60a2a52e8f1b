import { storeOf } from '#packages/history/questions/history-store.fixture.ts'
import { verifyHistory } from '#packages/history/questions/verify/verify-history.ts'
import type { Check } from './history.ts'

/**
 * All that `npm run history -- verify` finds in all events ever written, even those of removed streams, which can no
 * longer be read. At rest nothing may be under way.
 */
export const historyIsSound: Check = async ({ events, world }) => {
  const isRemoved = async (stream: string): Promise<boolean> => world.events.removed.has(stream)
  const ever = storeOf(events)
  const store: typeof ever = {
    ...ever,
    read: async (stream, options) => ((await isRemoved(stream)) ? [] : ever.read(stream, options)),
    async *readBackwards(stream) {
      if (!(await isRemoved(stream))) yield* ever.readBackwards(stream)
    },
  }
  const { outcomes } = await verifyHistory(store, { workingAt: Number.POSITIVE_INFINITY, isRemoved })
  return outcomes.flatMap(({ number, promise, first }) =>
    first === undefined
      ? []
      : [`${number} ${promise}: ${first.stream} #${first.revision} ${first.type}: ${first.what}`],
  )
}
