import { StepError } from '#packages/errors/step-error.ts'
import type { OnWait } from '#packages/work/single-flight.ts'

/** The share that work belongs to, and how many permits it may hold at most: by default half, rounded up. */
export type Share = string | { name: string; most: number }

export type FairSemaphore = {
  /**
   * Waits for a permit. No share holds more than its `most`, so that work of other shares finds a free permit. A
   * semaphore that lends gives a share more while no other work waits.
   * @param shares of the work; the next permit goes to the waiting work whose first share holds the fewest
   * @param onWait called with true when it must wait, and with false when the wait is over
   * @throws StepError too many wait; the signal's reason
   */
  acquire(signal: AbortSignal, shares?: readonly Share[], onWait?: OnWait): Promise<Disposable>
}

type Bounded = Exclude<Share, string>
type Waiting = { shares: readonly Bounded[]; begin(): void }

/**
 * A semaphore of `count` permits, shared fairly, with at most `maxWaiting` waiting callers.
 * @param lends whether permits that no other share waits for go to shares that hold their most already
 */
export function fairSemaphore(count: number, maxWaiting: number, lends = false): FairSemaphore {
  const half = Math.ceil(count / 2)
  const held = new Map<string, number>()
  let free = count
  let waiting: Waiting[] = []

  const bounded = (share: Share): Bounded => (typeof share === 'string' ? { name: share, most: half } : share)
  const heldBy = (share: Bounded | undefined): number => (share === undefined ? 0 : (held.get(share.name) ?? 0))
  const fits = (shares: readonly Bounded[]): boolean => free > 0 && shares.every((one) => heldBy(one) < one.most)
  const change = (shares: readonly Bounded[], by: 1 | -1): void => {
    free -= by
    for (const share of shares) {
      const now = heldBy(share) + by
      if (now > 0) held.set(share.name, now)
      else held.delete(share.name)
    }
  }
  const enter = (shares: readonly Bounded[]): Disposable => {
    change(shares, 1)
    let left = false
    return {
      [Symbol.dispose]() {
        if (left) return
        left = true
        change(shares, -1)
        admit()
      },
    }
  }
  const mayBorrow = (): boolean => lends && free > 0
  const withFewest = (those: readonly Waiting[]): Waiting | undefined =>
    those.toSorted((a, b) => heldBy(a.shares[0]) - heldBy(b.shares[0]))[0]
  const next = (): Waiting | undefined =>
    withFewest(waiting.filter(({ shares }) => fits(shares))) ?? (mayBorrow() ? withFewest(waiting) : undefined)
  const admit = (): void => {
    for (let one = next(); one; one = next()) one.begin()
  }

  const turn = (signal: AbortSignal, shares: readonly Bounded[]): Promise<Disposable> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        waiting = waiting.filter((one) => one !== mine)
        reject(signal.reason)
      }
      const mine: Waiting = {
        shares,
        begin() {
          signal.removeEventListener('abort', leave)
          waiting = waiting.filter((one) => one !== mine)
          resolve(enter(shares))
        },
      }
      waiting.push(mine)
      signal.addEventListener('abort', leave, { once: true })
    })

  return {
    async acquire(signal, given = [], onWait = undefined) {
      signal.throwIfAborted()
      const shares = given.map(bounded)
      if (fits(shares) || mayBorrow()) return enter(shares)
      if (waiting.length >= maxWaiting)
        throw new StepError('internal_error', {
          transient: true,
          message: 'Too many requests wait for their turn.',
        })
      onWait?.(true)
      const permit = await turn(signal, shares)
      onWait?.(false)
      return permit
    },
  }
}
