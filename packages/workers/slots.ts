import { StepError } from '#packages/errors/step-error.ts'

export type Slots = {
  /** Waits for a place, first come, first served. @throws StepError when too many wait; the signal's reason */
  take(signal: AbortSignal): Promise<Disposable>
}

/** `count` places, and room for `maxWaiting` who wait for one. */
export function slots(count: number, maxWaiting: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  const place: Disposable = {
    [Symbol.dispose]() {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
  function turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const mine = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.splice(waiting.indexOf(mine), 1)
        reject(signal.reason)
      }
      waiting.push(mine)
      signal.addEventListener('abort', leave, { once: true })
    })
  }
  return {
    async take(signal) {
      signal.throwIfAborted()
      if (free > 0) {
        free--
        return place
      }
      if (waiting.length >= maxWaiting)
        throw new StepError('internal_error', {
          transient: true,
          message: 'Too many requests wait for a worker.',
        })
      await turn(signal)
      return place
    },
  }
}
