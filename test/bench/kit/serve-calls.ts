export type ToChild = { call: number; name: string; argument: unknown }
export type FromChild = { call: number; result?: unknown; error?: string }

// biome-ignore lint/suspicious/noExplicitAny: each handler names the argument that its caller sends
type Handler = (argument: any) => unknown

/** Serves the calls of the parent process until the parent disconnects, then closes what is open. */
export function serveCalls(handlers: Record<string, Handler>, close: () => Promise<void> = async () => {}): void {
  process.on('message', ({ call, name, argument }: ToChild) => {
    const serve = async () => handlers[name]?.(argument)
    serve().then(
      (result) => process.send?.({ call, result }),
      (error: Error) => process.send?.({ call, error: error.stack ?? error.message }),
    )
  })
  // Anything left open would keep the process alive, and no caller waits for it now.
  process.once('disconnect', () => void close().finally(() => process.exit()))
}
