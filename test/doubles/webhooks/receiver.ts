import { createHmac } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { until } from '#test/doubles/service/until.ts'

/** A message as it came. */
export type Message = {
  path: string
  id: string
  timestamp: string
  signature: string
  body: string
  /** The body, parsed. */
  told: { type: string; timestamp: string; data: Record<string, unknown> }
}

/** Answers a message. The first argument is the number of earlier messages at its path. */
export type Answer = (before: number, response: ServerResponse) => void

const takes: Answer = (_before, response) => void response.writeHead(200).end('{"taken":true}')

/** A server that receives the messages of webhooks at any path. By default it accepts each of them. */
export class Receiver {
  readonly messages: Message[] = []
  readonly #answers = new Map<string, Answer>()
  readonly #elsewhere: RequestListener

  /** @param elsewhere answers everything except POST, such as requests for a video */
  constructor(elsewhere: RequestListener = (_request, response) => void response.writeHead(404).end()) {
    this.#elsewhere = elsewhere
  }

  readonly listener: RequestListener = (request, response) => {
    if (request.method === 'POST') void this.#take(request, response)
    else this.#elsewhere(request, response)
  }

  /** From now on it answers messages at this path like this. */
  answers(path: string, answer: Answer): void {
    this.#answers.set(path, answer)
  }

  at(path: string): Message[] {
    return this.messages.filter((message) => message.path === path)
  }

  /** Waits for a message. */
  message(path: string, what: string, is: (message: Message) => boolean = () => true): Promise<Message> {
    return until(`${path} gets ${what}`, () => this.at(path).find(is) ?? false, { everyMs: 20 })
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = (request.url ?? '').replace(/^https?:\/\/[^/]*/, '')
    const header = (name: string): string => String(request.headers[name] ?? '')
    const answer = this.#answers.get(path) ?? takes
    const before = this.at(path).length
    const signed = { id: header('webhook-id'), timestamp: header('webhook-timestamp') }
    this.messages.push({ path, ...signed, signature: header('webhook-signature'), body, told: JSON.parse(body) })
    answer(before, response)
  }
}

/** Whether one of a message's signatures is made with this secret (Standard Webhooks). */
export function isSignedBy(secret: string, { id, timestamp, body, signature }: Message): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const own = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return signature.split(' ').includes(`v1,${own}`)
}
