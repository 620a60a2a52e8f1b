import { createRequire } from 'node:module'

type RequestQueue = {
  pending: unknown[]
  throttledUntil: number
  throttleCheckTimeoutId: NodeJS.Timeout | null
  scheduleCheckPendingRequests(): void
}

const mark = Symbol('quiet')

/**
 * kafkajs 2.2.4 checks each connection for pending requests by a timer that restarts at once, also where nothing is
 * pending (its issues 1704 and 1751): 3 % of a core for an idle consumer. This patch sets the timer only where a
 * request waits or the broker throttles, which are its two purposes.
 */
export function quietRequestQueue(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
    prototype: RequestQueue & { [mark]?: true }
  }
  if (prototype[mark]) return
  const schedule = prototype.scheduleCheckPendingRequests
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this)
  }
  prototype[mark] = true
}
