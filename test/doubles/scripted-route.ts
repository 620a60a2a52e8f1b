import { Readable } from 'node:stream'
import type { EgressRequest } from '#packages/egress/egress.ts'
import type { EgressRoute } from '#packages/egress/egress-routes.ts'

/** An answer from outside. `url`: where redirects led. `location`: the target of a redirect that was not followed. */
export type ScriptedAnswer = { status?: number; body?: string | object; url?: string; location?: string }
export type ScriptedRoute = EgressRoute & {
  /** The requests, in order. */
  asked: ({ url: string } & Pick<EgressRequest, 'method' | 'headers' | 'body'>)[]
}

/** An egress route with a function that answers its requests. If the function returns undefined, the answer is 404. */
export function scriptedRoute(
  answer: (url: URL, request: EgressRequest) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>,
): ScriptedRoute {
  const asked: ScriptedRoute['asked'] = []
  return {
    address: 'direct',
    hasSession: false,
    via: 'direct',
    proxyUrl: 'http://127.0.0.1:9',
    asked,
    egress: {
      async request(url, request) {
        request.signal.throwIfAborted()
        const { method, headers, body: sent } = request
        asked.push({ url, ...(method && { method }), ...(headers && { headers }), ...(sent && { body: sent }) })
        const { status = 200, body = '', ...found } = (await answer(new URL(url), request)) ?? { status: 404 }
        const text = typeof body === 'string' ? body : JSON.stringify(body)
        return {
          url: found.url ?? url,
          status,
          headers: {},
          body: Readable.from([Buffer.from(text)]),
          [Symbol.asyncDispose]: async () => undefined,
        }
      },
    },
  }
}
