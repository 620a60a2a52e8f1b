import { createServer, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { mintToken } from './tokens.ts'

/** One request for a token. */
export type TokenRequest = { content: string; proxy: string | null }

/** A stand-in for a bgutil service that mints the sandbox's tokens. */
export type TokenService = AsyncDisposable & {
  /** For YOUTUBE_POT_URL. */
  url: string
  requests: TokenRequest[]
  /** Makes the service break off all later requests for tokens. */
  fail(): void
}

/** The required version of the plugin. Others are refused. */
const VERSION = '2.0.2'

/**
 * Starts the service on loopback. It mints a token through the proxy of its request: the proxy's user name is the exit.
 */
export async function startTokenService(): Promise<TokenService> {
  const requests: TokenRequest[] = []
  let fails = false
  const answer = async (request: IncomingMessage): Promise<object> => {
    if (request.url === '/ping') return { server_uptime: 1, version: VERSION }
    const { content_binding: content, proxy } = (await json(request)) as {
      content_binding: string
      proxy: string | null
    }
    requests.push({ content, proxy })
    if (fails) request.socket.destroy()
    const through = proxy === null ? 'the token service itself' : new URL(proxy).username || undefined
    const poToken = mintToken(content, through)
    return { contentBinding: content, poToken, expiresAt: new Date(Date.now() + 21_600_000).toISOString() }
  }
  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  const { port, [Symbol.asyncDispose]: close } = await onLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    fail() {
      fails = true
    },
    [Symbol.asyncDispose]: close,
  }
}
