import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Egress, EgressResponse } from './egress.ts'
import type { EgressRoute, EgressRoutes } from './egress-routes.ts'

/** Egress routes whose requests are spans: the host alone is told of where they go. */
export const tracedEgressRoutes = (routes: EgressRoutes, telemetry: Telemetry): EgressRoutes => ({
  of(request) {
    const route = routes.of(request)
    return { ...route, egress: tracedEgress(route, telemetry) }
  },
  [Symbol.asyncDispose]: () => routes[Symbol.asyncDispose](),
})

/** A request's span, redirects included, lasts until its answer is disposed of: until its body has been read. */
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
    // Once there is an answer, its body tells its reader of what goes wrong.
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
