import { StepError } from '#packages/errors/step-error.ts'

export type Slots = {
  /**
   * Waits for a place. No share ever has all of them: whoever belongs to none of those at work finds one free.
   * @param shares what the work belongs to; of those who wait, the one whose first share has the fewest places is next
   * @throws StepError when too many wait; the signal's reason
   */
  take(signal: AbortSignal, shares?: readonly string[]): Promise<Disposable>
}

type Waiting = { shares: readonly string[]; begin(): void }

/** `count` places, and room for `maxWaiting` who wait for one. */
export function slots(count: number, maxWaiting: number): Slots {
  const most = Math.max(1, count - 1)
  const held = new Map<string, number>()
  let free = count
  let waiting: Waiting[] = []

  const heldBy = (share: string | undefined): number => (share === undefined ? 0 : (held.get(share) ?? 0))
  const fits = (shares: readonly string[]): boolean => free > 0 && shares.every((share) => heldBy(share) < most)
  const change = (shares: readonly string[], by: 1 | -1): void => {
    free -= by
    for (const share of shares) {
      const now = heldBy(share) + by
      if (now > 0) held.set(share, now)
      else held.delete(share)
    }
  }
  const enter = (shares: readonly string[]): Disposable => {
    change(shares, 1)
    return {
      [Symbol.dispose]() {
        change(shares, -1)
        admit()
      },
    }
  }
  const next = (): Waiting | undefined =>
    waiting.filter(({ shares }) => fits(shares)).toSorted((a, b) => heldBy(a.shares[0]) - heldBy(b.shares[0]))[0]
  const admit = (): void => {
    for (let one = next(); one; one = next()) one.begin()
  }

  const turn = (signal: AbortSignal, shares: readonly string[]): Promise<Disposable> =>
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
    async take(signal, shares = []) {
      signal.throwIfAborted()
      if (fits(shares)) return enter(shares)
      if (waiting.length >= maxWaiting)
        throw new StepError('internal_error', {
          transient: true,
          message: 'Too many requests wait for a worker.',
        })
      return turn(signal, shares)
    },
  }
}
