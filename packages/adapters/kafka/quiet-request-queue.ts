import { createRequire } from 'node:module'

type RequestQueue = {
  pending: unknown[]
  throttledUntil: number
  throttleCheckTimeoutId: NodeJS.Timeout | null
  scheduleCheckPendingRequests(): void
  inflight: Map<unknown, { sentAt: number; requestTimeout: number; timeoutRequest(): void }>
  enforceRequestTimeout: boolean
  requestTimeout: number
  requestTimeoutIntervalId: NodeJS.Timeout
  isConnected(): boolean
  destroy(): void
  scheduleRequestTimeoutCheck(): void
}

const mark = Symbol('quiet')

/** How late a request timeout may be noticed, as a fraction of the timeout. */
const LATE_BY = 1 / 10

/**
 * kafkajs 2.2.4 checks each connection for pending requests by a timer that restarts at once, even if nothing is
 * pending (its issues 1704 and 1751). That takes 3 % of a core for an idle consumer. This patch sets the timer only for
 * its two purposes: a request waits, or the broker throttles.
 * kafkajs also looks for timed-out requests ten times a second on each connection, which is half the load of an idle
 * worker. This patch looks only as often as the request timeout requires.
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
  prototype.scheduleRequestTimeoutCheck = function (this: RequestQueue) {
    if (!this.enforceRequestTimeout) return
    this.destroy()
    const look = (): void => {
      for (const request of this.inflight.values())
        if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest()
      if (!this.isConnected()) this.destroy()
    }
    this.requestTimeoutIntervalId = setInterval(look, this.requestTimeout * LATE_BY)
  }
  prototype[mark] = true
}
