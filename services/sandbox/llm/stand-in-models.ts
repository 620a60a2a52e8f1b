import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Disturbances } from '../disturbance.ts'
import { cuesOf, filmNames, heardIn, secondsOf } from '../films.ts'
import type { SandboxAnswer } from '../site.ts'
import { followSchema, Sentences } from './follow-schema.ts'

/** The name of the stand-in in every answer, so that it is not mistaken for a model. */
export const STAND_IN = 'sandbox-stand-in'

/** An OpenAI-compatible endpoint for speech and chat that knows the sandbox's films and nothing else. */
export type StandInModels = AsyncDisposable & {
  /** For LLM_BASE_URL and SPEECH_BASE_URL; ends in `/v1`. */
  baseUrl: string
}

/** Its name in disturbances, because it has no host of its own. */
export const MODELS_HOST = 'models.sandbox'

const MAX_REQUEST_BYTES = 64 * 1024 * 1024

/**
 * Starts the stand-in on loopback. `POST /v1/chat/completions` fills the schema with sentences of the transcript in the
 * request. `POST /v1/audio/transcriptions` recognizes a film by its length. Every answer names the stand-in.
 * @param disturbances of the sandbox that it runs beside
 */
export async function startStandInModels(disturbances = new Disturbances()): Promise<StandInModels> {
  const server = createServer((request, response) => {
    const { method = 'GET', headers } = request
    const url = new URL(request.url ?? '', `http://${MODELS_HOST}`)
    const asked = { method, url, headers, body: Buffer.of(), exit: undefined }
    disturbances
      .apply(asked, () => answer(request))
      .then(
        (outcome) => outcome.kind === 'answer' && send(response, outcome.answer),
        (error) => send(response, { status: 400, body: refusal(String(error)) }),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const refusal = (message: string) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } })

function send(response: ServerResponse, { status, body }: SandboxAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const noSuchPath: SandboxAnswer = { status: 404, body: refusal('the stand-in has no such path') }

async function answer(request: IncomingMessage): Promise<SandboxAnswer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_REQUEST_BYTES) throw new Error('the request is too large')
  if (request.method !== 'POST') return noSuchPath
  const body = await buffer(request)
  if (request.url === '/v1/chat/completions') return { status: 200, body: chat(JSON.parse(body.toString('utf8'))) }
  if (request.url === '/v1/audio/transcriptions') return { status: 200, body: transcription(body) }
  return noSuchPath
}

type Part = { type: string; text?: string }
type ChatBody = {
  messages: { role: string; content: string | Part[] }[]
  response_format?: { json_schema?: { schema: Record<string, unknown> } }
}

function chat({ messages, response_format }: ChatBody): object {
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  const said = parts.map(({ text }) => sentencesIn(text ?? '')).find((sentences) => sentences.length > 0) ?? []
  const pictures = parts.filter(({ type }) => type === 'image_url').length
  const schema = response_format?.json_schema?.schema
  const value = schema
    ? followSchema({ type: 'object', ...schema }, schema, new Sentences(said))
    : { answeredBy: STAND_IN, pictures, said }
  const message = { role: 'assistant', content: JSON.stringify(value), refusal: null }
  const tokens = Math.ceil(JSON.stringify(messages).length / 4)
  return {
    id: STAND_IN,
    object: 'chat.completion',
    created: 0,
    model: STAND_IN,
    choices: [{ index: 0, finish_reason: 'stop', message }],
    usage: { prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1 },
  }
}

/** The lines of a transcript, in the format of the service. */
const sentencesIn = (text: string): string[] =>
  text.startsWith('BEGIN VIDEO') ? [...text.matchAll(/^\[[\d:]+\] (.+)$/gm)].map(([, sentence]) => sentence ?? '') : []

/** The machine's captions of the film with about this length. */
function transcription(form: Buffer): object {
  const seconds = flacSeconds(form)
  const film = filmNames.find((name) => Math.abs(secondsOf(name) - seconds) < 1.5)
  const cues = film === undefined ? cuesOf('leisure', 'en').slice(0, 1) : heardIn(film)
  const numbers = { seek: 0, tokens: [], temperature: 0, avg_logprob: -0.1, compression_ratio: 1, no_speech_prob: 0 }
  const segments = cues.map((cue, id) => ({ id, ...cue, ...numbers }))
  const text = cues.map((cue) => cue.text).join(' ')
  return { task: 'transcribe', language: 'english', duration: seconds, text, segments }
}

/** The length in the header of a FLAC file: 36 bits of samples after 20 bits of rate. */
function flacSeconds(form: Buffer): number {
  const at = form.indexOf('fLaC')
  if (at === -1 || form.length < at + 26) throw new Error('the stand-in hears FLAC only')
  const head = form.readBigUInt64BE(at + 18)
  return Number(head & 0xfffffffffn) / Number(head >> 44n)
}
