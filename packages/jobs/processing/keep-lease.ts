import type { OpenJob } from '#packages/domain/job/state.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { AttemptUnderWay } from './attempts-under-way.ts'
import { type Claim, ClaimLostError } from './claim.ts'
import type { WakeUps } from './wake-ups.ts'

type Kept = { claim: Claim; state: OpenJob; underWay: AttemptUnderWay }

/** Extends the lease until `end`, which waits for an extension under way. If one fails, the attempt ends. */
export function keepLease(
  { claim, state, underWay }: Kept,
  { clock, wakeUps, everySeconds }: { clock: Clock; wakeUps: WakeUps; everySeconds: number },
): { end(): Promise<void> } {
  const extendIn = () => clock.now() + everySeconds * 1000
  let extending: Promise<void> | undefined
  let isOver = false
  const extend = async () => {
    try {
      await claim.extend(state)
      if (!isOver) wakeUp = wakeUps.set(extendIn(), begin)
    } catch (error) {
      underWay.end(error instanceof ClaimLostError ? error : new ClaimLostError(error))
    }
  }
  const begin = () => {
    extending = extend()
  }
  let wakeUp = wakeUps.set(extendIn(), begin)
  return {
    end: async () => {
      isOver = true
      wakeUps.cancel(wakeUp)
      await extending
    },
  }
}
