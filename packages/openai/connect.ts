import OpenAI from 'openai'

export type Connection = {
  /** Such as `https://api.openai.com/v1`. Reached directly: it is the operator's own, not a caller's URL. */
  baseUrl: string
  /** Empty if the endpoint wants none. */
  apiKey: string
  maxAnswerBytes: number
}

/** The client of an OpenAI-compatible endpoint. It retries nothing, logs nothing and reads no environment. */
export function connect({ baseUrl, apiKey, maxAnswerBytes }: Connection): OpenAI {
  const limited = async (url: string | URL | Request, init?: RequestInit) =>
    withLimitedBody(await fetch(url, init), maxAnswerBytes)
  // without these the client would read OPENAI_… variables and send them to this endpoint
  const unused = { adminAPIKey: null, organization: null, project: null, webhookSecret: null, logLevel: 'off' as const }
  // many self-hosted endpoints have no key, but the client requires one
  return new OpenAI({ ...unused, apiKey: apiKey || 'none', baseURL: baseUrl, maxRetries: 0, fetch: limited })
}

/** The same response, but its body fails if it exceeds the limit. */
function withLimitedBody(response: Response, maxBytes: number): Response {
  let seen = 0
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.byteLength
        if (seen > maxBytes) controller.error(new TypeError(`the answer is longer than ${maxBytes} bytes`))
        else controller.enqueue(chunk)
      },
    }),
  )
  return new Response(counted ?? null, response)
}
