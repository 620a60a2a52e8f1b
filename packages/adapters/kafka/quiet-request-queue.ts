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

/** How late it may be noticed that a request is not answered in time, as a part of that time. */
const LATE_BY = 1 / 10

/**
 * kafkajs 2.2.4 checks each connection for pending requests by a timer that restarts at once, also where nothing is
 * pending (its issues 1704 and 1751): 3 % of a core for an idle consumer. This patch sets the timer only where a
 * request waits or the broker throttles, which are its two purposes. Ten times a second it looks on each connection for
 * requests that are not answered in time, half of what an idle worker takes: this looks as often as their time asks for.
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
