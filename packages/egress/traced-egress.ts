import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Egress, EgressResponse } from './egress.ts'
import type { EgressRoute, EgressRoutes } from './egress-routes.ts'

/** Egress routes with a span for each request. The span shows only the target's host. */
export const tracedEgressRoutes = (routes: EgressRoutes, telemetry: Telemetry): EgressRoutes => ({
  of(request) {
    const route = routes.of(request)
    return { ...route, egress: tracedEgress(route, telemetry) }
  },
  [Symbol.asyncDispose]: () => routes[Symbol.asyncDispose](),
})

/** The span of a request, including redirects. It ends when the answer is disposed of, once its body has been read. */
const tracedEgress = ({ egress, via }: Pick<EgressRoute, 'egress' | 'via'>, telemetry: Telemetry): Egress => ({
  async request(url, options) {
    const { method = 'GET' } = options
    const attributes = {
      [names.httpMethod]: method,
      [names.serverAddress]: URL.parse(url)?.hostname,
      [names.egressRoute]: via,
    }
    const answered = Promise.withResolvers<EgressResponse>()
    const asking = telemetry.inSpan({ name: method, kind: 'client', attributes }, async (set) => {
      const answer = await egress.request(url, options)
      const { status } = answer
      set({ [names.httpStatus]: status, [names.errorType]: status >= 400 ? String(status) : undefined })
      const read = Promise.withResolvers<void>()
      answered.resolve({
        ...answer,
        body: watched(answer.body, read.reject),
        async [Symbol.asyncDispose]() {
          await answer[Symbol.asyncDispose]()
          read.resolve()
        },
      })
      await read.promise
    })
    // Once there is an answer, its body reports failures to its reader.
    asking.catch(answered.reject)
    return answered.promise
  },
})

async function* watched(body: AsyncIterable<Uint8Array>, onError: (error: unknown) => void) {
  try {
    yield* body
  } catch (error) {
    onError(error)
    throw error
  }
}
