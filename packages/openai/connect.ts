import OpenAI from 'openai'

export type Connection = {
  /** Such as `https://api.openai.com/v1`; reached directly: it is the operator's own, not a caller's URL. */
  baseUrl: string
  /** Empty when the endpoint wants none. */
  apiKey: string
  maxAnswerBytes: number
}

/** The client of an OpenAI-compatible endpoint. It tries nothing twice, logs nothing and reads no environment. */
export function connect({ baseUrl, apiKey, maxAnswerBytes }: Connection): OpenAI {
  const limited = async (url: string | URL | Request, init?: RequestInit) =>
    withLimitedBody(await fetch(url, init), maxAnswerBytes)
  // the client would fill what is left out from OPENAI_… variables, and send it to whatever endpoint this is
  const unused = { adminAPIKey: null, organization: null, project: null, webhookSecret: null, logLevel: 'off' as const }
  // many endpoints in one's own house have no key, and the client insists on one
  return new OpenAI({ ...unused, apiKey: apiKey || 'none', baseURL: baseUrl, maxRetries: 0, fetch: limited })
}

/** The same response, failing once its body has passed the limit. */
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
