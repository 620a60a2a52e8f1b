import type { RequestListener } from 'node:http'
import type { Config } from '#packages/config/config.ts'

export type MountedMcp = AsyncDisposable & {
  listener: RequestListener
  /** Where the service listens: the tools use its `/v1` as any client does. */
  servedAt(port: number): void
}

/** Addresses that mean all of this machine's: the service is reached at loopback then. */
const loopbackOf: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1', '': '127.0.0.1' }

/** The tool server for `/mcp`. It is loaded when somebody first asks for it. */
export function mountMcp({ host, mcpAnswerSeconds: answerSeconds }: Config): MountedMcp {
  const to = loopbackOf[host] ?? host
  let baseUrl = ''
  let loading: Promise<{ listener: RequestListener; close(): Promise<void> }> | undefined
  const load = async () => {
    const { mcpListener } = await import('#services/mcp/http.ts')
    return mcpListener({ baseUrl: () => baseUrl, answerSeconds })
  }
  return {
    servedAt: (port) => {
      baseUrl = `http://${to.includes(':') ? `[${to}]` : to}:${port}`
    },
    listener: (request, response) => {
      loading ??= load()
      loading.then(({ listener }) => listener(request, response)).catch(() => response.destroy())
    },
    async [Symbol.asyncDispose]() {
      await (await loading)?.close()
    },
  }
}
