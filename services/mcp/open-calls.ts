import type { RequestId } from '@modelcontextprotocol/server'

/** The calls of one host that are being answered. */
export type SessionCalls = {
  /** Adds a call until it is disposed of. Its signal is aborted when the host cancels it. */
  begin(id: RequestId): { signal: AbortSignal } & Disposable
  /** Aborts a call. Does nothing if the call is not open, because it may have been answered. */
  cancel(id: RequestId): void
}

/**
 * The calls that this process is answering over HTTP in the 2025 revision. There a cancellation is a request of its
 * own. It names the call by a number that is unique only within one session of one key.
 */
export class OpenCalls {
  readonly #open = new Map<string, AbortController>()

  of(apiKey: string, session: string): SessionCalls {
    const nameOf = (id: RequestId): string => JSON.stringify([apiKey, session, id])
    return {
      begin: (id) => {
        const name = nameOf(id)
        const end = new AbortController()
        this.#open.set(name, end)
        // If a host uses a number twice at once, it can cancel only the later call.
        const close = (): void => {
          if (this.#open.get(name) === end) this.#open.delete(name)
        }
        return { signal: end.signal, [Symbol.dispose]: close }
      },
      cancel: (id) => this.#open.get(nameOf(id))?.abort(new Error('The call was cancelled.')),
    }
  }
}
