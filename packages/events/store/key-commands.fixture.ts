import { fullGrant } from '#packages/domain/key/grant.ts'
import { type KeyCommand, operator } from '#packages/domain/key/key.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { MemoryEventStore } from '#test/doubles/memory-event-store.ts'

export const metadataOf = (orgId: string) => ({
  orgId,
  correlationId: 'test',
  causationId: 'test',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
})

export const STREAM = 'key-1'
export const data = {
  orgId: 'acme',
  name: 'laptop',
  sha256: 'a'.repeat(64),
  prefix: 'ma_abcd',
  suffix: 'wxyz',
  ...fullGrant,
  createdBy: null,
}
export const metadata = metadataOf('acme')
export const create: KeyCommand = { type: 'create', key: data, by: operator }
export const revoke: KeyCommand = { type: 'revoke', orgId: 'acme', keyId: '1', by: operator }

/** A clock at 0 with sleepers that wake at once; `pass` advances it. */
export function clockWithoutWaits(): Clock & { pass(ms: number): void } {
  let time = 0
  return {
    now: () => time,
    async sleep(ms) {
      time += ms
    },
    pass(ms) {
      time += ms
    },
  }
}

/** Makes the store keep appended events, but answer the first `times` appends with an error. */
export function loseAnswers(store: MemoryEventStore, times: number): void {
  const append = store.append.bind(store)
  let lost = 0
  store.append = async (...call) => {
    const answer = await append(...call)
    if (lost++ < times) throw new Error('the connection is lost')
    return answer
  }
}
