import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onLoopback } from '#test/doubles/loopback-server.ts'

type Part = { type: string; text?: string; image_url?: { url: string } }
type Message = { role: string; content: string | Part[] }
type Format = { type: string; json_schema?: { name: string; strict: boolean; schema: Record<string, unknown> } }

/** A request that the endpoint has received. */
export type ChatRequest = {
  body: { model: string; messages: Message[]; response_format?: Format } & Record<string, unknown>
  authorization: string | undefined
  /** Every text in the request with the role of its message, in order. */
  texts: { role: string; text: string }[]
  /** The pictures in the request. */
  pictures: Buffer[]
}

/** The answer to one request: its text, or all of its fields. */
export type ChatReply =
  | string
  | { refusal: string }
  | { content: string; finishReason: string }
  | { status: number; error: string; code?: string; headers?: Record<string, string> }
  | { raw: string }
  | 'hang'

export type ChatEndpointBehaviour = {
  reply?(request: ChatRequest, calls: number): ChatReply | Promise<ChatReply>
  /** Response formats that it refuses with 400. */
  refusedFormats?: string[]
  /** Refuses pictures with this status and error. */
  refusedPictures?: { status: number; error: string }
  /** Counts no tokens. */
  withoutUsage?: boolean
}

/** A stand-in for an OpenAI-compatible chat endpoint. It understands nothing: tests choose its answers. */
export type ChatEndpoint = {
  /** The base URL, which ends in /v1. */
  baseUrl: string
  /** Every request, in order. */
  requests: ChatRequest[]
  behaviour: ChatEndpointBehaviour
} & AsyncDisposable

export async function startChatEndpoint(behaviour: ChatEndpointBehaviour = {}): Promise<ChatEndpoint> {
  const requests: ChatRequest[] = []
  const server = createServer((req, res) => {
    answer(req, res, endpoint).catch((error) => send(res, 500, refusal(String(error))))
  })
  const { port, ...closing } = await onLoopback(server)
  const endpoint: ChatEndpoint = { baseUrl: `http://127.0.0.1:${port}/v1`, requests, behaviour, ...closing }
  return endpoint
}

const refusal = (message: string, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param: null, code },
})

function send(res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  if (res.headersSent || res.destroyed) return
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(typeof body === 'string' ? body : JSON.stringify(body))
}

async function answer(req: IncomingMessage, res: ServerResponse, endpoint: ChatEndpoint): Promise<void> {
  if (req.method !== 'POST' || req.url !== '/v1/chat/completions') return send(res, 404, refusal('no such path'))
  const request = read(await buffer(req), req.headers.authorization)
  const { requests, behaviour } = endpoint
  requests.push(request)
  const format = request.body.response_format?.type ?? 'text'
  const { refusedPictures, refusedFormats = [], reply = () => '{}' } = behaviour
  if (refusedPictures && request.pictures.length > 0)
    return send(res, refusedPictures.status, refusal(refusedPictures.error))
  if (refusedFormats.includes(format)) return send(res, 400, refusal(`response_format '${format}' is not supported`))
  const said = await reply(request, requests.length)
  if (said === 'hang') return
  if (typeof said !== 'string' && 'raw' in said) return send(res, 200, said.raw)
  if (typeof said !== 'string' && 'status' in said)
    return send(res, said.status, refusal(said.error, said.code), said.headers)
  send(res, 200, completion(request.body.model, said, behaviour.withoutUsage ?? false))
}

function read(raw: Buffer, authorization: string | undefined): ChatRequest {
  const body = JSON.parse(raw.toString('utf8')) as ChatRequest['body']
  const parts = body.messages.flatMap(({ role, content }) =>
    typeof content === 'string' ? [{ role, type: 'text', text: content }] : content.map((part) => ({ role, ...part })),
  )
  const texts = parts.flatMap(({ role, text }) => (text === undefined ? [] : [{ role, text }]))
  const pictures = parts.flatMap((part) => {
    const url = 'image_url' in part ? part.image_url?.url : undefined
    return url === undefined ? [] : [Buffer.from(url.replace(/^data:image\/jpeg;base64,/, ''), 'base64')]
  })
  return { body, authorization, texts, pictures }
}

function completion(
  model: string,
  said: Exclude<ChatReply, 'hang' | { raw: string } | { status: number; error: string }>,
  withoutUsage: boolean,
) {
  const message =
    typeof said === 'string'
      ? { content: said, refusal: null }
      : 'refusal' in said
        ? { content: null, refusal: said.refusal }
        : { content: said.content, refusal: null }
  const finish_reason = typeof said !== 'string' && 'finishReason' in said ? said.finishReason : 'stop'
  return {
    id: 'chatcmpl-stand-in',
    object: 'chat.completion',
    created: 0,
    model: `${model}-2026`,
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }],
    ...(withoutUsage ? {} : { usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } }),
  }
}
