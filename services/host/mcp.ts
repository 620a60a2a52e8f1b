import type { Config } from '#packages/foundation/config/config.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Mounted } from '#services/ingress/routes/mounted.ts'
import { mcpDoor } from '#services/mcp/door.ts'
import type { mcpListener } from '#services/mcp/http.ts'
import { localUrl } from './local-url.ts'

export type MountedMcp = AsyncDisposable & {
  mounted: Mounted
  /** Call it with the port at which the service listens. The tools call its `/v1` like any client. */
  servedAt(port: number): void
}

/** The tool server for `/mcp`. It is loaded at the first request with a valid key. */
export function mountMcp(config: Config, telemetry: Telemetry): MountedMcp {
  const { host, mcpAnswerSeconds: answerSeconds, mcpAllowedOrigins } = config
  let baseUrl = ''
  let loading: Promise<ReturnType<typeof mcpListener>> | undefined
  const load = async () => {
    const { mcpListener } = await import('#services/mcp/http.ts')
    return mcpListener({ baseUrl: () => baseUrl, answerSeconds, telemetry })
  }
  return {
    servedAt: (port) => {
      baseUrl = localUrl(host, port)
    },
    mounted: {
      ...mcpDoor({ host, allowedOrigins: mcpAllowedOrigins ?? [] }),
      answer(request, response, call) {
        loading ??= load()
        loading.then(({ answer }) => answer(request, response, call)).catch(() => response.destroy())
      },
    },
    async [Symbol.asyncDispose]() {
      await (await loading)?.close()
    },
  }
}
