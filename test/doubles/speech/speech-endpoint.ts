import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { soundsIn } from './sounds.ts'

/** How the stand-in differs from the real endpoint. It reads this again for every request. */
export type SpeechEndpointBehaviour = {
  /** It refuses larger files, as the real one does. */
  maxBytes?: number
  maxSeconds?: number
  /** The text of every segment. Default: the number of the sound, so that the text shows which sound it comes from. */
  text?: string
  /** A language as the real one names it: `english`. */
  language?: string
  /** Answers with one segment over all of the sound with this text, and does not examine the sound. */
  inventedText?: string
  /** Response formats that are answered with 400. */
  refusedFormats?: string[]
  /** Requests for the times of words are answered with 400. */
  refusesWords?: boolean
  /** Requests with a prompt are answered with 400. */
  refusesPrompts?: boolean
  /** Verbose answers lack segments, as those of some servers do. */
  withoutSegments?: boolean
  /** Units of its times per second; default 1. */
  timesPerSecond?: number
  /** Numbers of the model in every segment. */
  measures?: { no_speech_prob?: number; avg_logprob?: number; compression_ratio?: number }
  /** This many of the next requests are answered with this status. */
  fail?: { times: number; status: number; headers?: Record<string, string> }
  /** It never answers. */
  hang?: boolean
  /** It answers once this is resolved. */
  held?: Promise<void>
  /** It answers 200 with this body instead. */
  rawBody?: string
}

export type SpeechEndpointRequest = {
  model: string
  format: string
  language: string | null
  prompt: string | null
  chunkingStrategy: string | null
  /** The parts of the transcript that should have times: segments, words. Empty if the request does not say. */
  granularities: string[]
  fileName: string
  authorization: string | undefined
  bytes: number
  seconds: number
}

export type SpeechEndpoint = {
  baseUrl: string
  requests: SpeechEndpointRequest[]
  /** Requests that are waiting for an answer. */
  readonly underWay: number
  /** The largest number of requests that were under way at once. */
  readonly mostAtOnce: number
  behaviour: SpeechEndpointBehaviour
} & AsyncDisposable

/**
 * A STAND-IN for an OpenAI-compatible transcription endpoint, on loopback. It understands nothing: it finds the sounds
 * in an audio file (ffmpeg `silencedetect`) and answers with one segment for each, in the formats of the real API.
 */
export async function startSpeechEndpoint(behaviour: SpeechEndpointBehaviour = {}): Promise<SpeechEndpoint> {
  const directory = await mkdtemp(join(tmpdir(), 'speech-endpoint-'))
  const requests: SpeechEndpointRequest[] = []
  let underWay = 0
  let mostAtOnce = 0
  const server = createServer((req, res) => {
    mostAtOnce = Math.max(mostAtOnce, ++underWay)
    res.on('close', () => underWay--)
    answer(req, res, endpoint, directory).catch((error) => reply(res, 500, { error: { message: String(error) } }))
  })
  const listening = await onLoopback(server)
  const endpoint: SpeechEndpoint = {
    baseUrl: `http://127.0.0.1:${listening.port}/v1`,
    requests,
    behaviour,
    get underWay() {
      return underWay
    },
    get mostAtOnce() {
      return mostAtOnce
    },
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
  return endpoint
}

function reply(res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  if (res.headersSent) return
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(typeof body === 'string' ? body : JSON.stringify(body))
}

const refusal = (message: string) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } })

async function answer(req: IncomingMessage, res: ServerResponse, endpoint: SpeechEndpoint, directory: string) {
  if (req.method !== 'POST' || req.url !== '/v1/audio/transcriptions') return reply(res, 404, refusal('no such path'))
  const raw = await buffer(req)
  const headers = { 'content-type': req.headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(raw), { headers }).formData()
  const { behaviour, requests } = endpoint
  const { maxBytes = 25_000_000, maxSeconds = 1400, refusedFormats = [], fail } = behaviour
  const file = form.get('file')
  if (!(file instanceof File)) return reply(res, 400, refusal('file is required'))
  const path = join(directory, `${randomUUID()}-${file.name}`)
  await writeFile(path, file.stream())
  const { seconds, sounds } = await soundsIn(path)
  await rm(path)
  const format = String(form.get('response_format') ?? 'json')
  const field = (name: string) => form.get(name)?.toString() ?? null
  const model = field('model') ?? ''
  const { authorization } = req.headers
  const granularities = form.getAll('timestamp_granularities[]').map(String)
  const prompt = field('prompt')
  const asked = { language: field('language'), prompt, chunkingStrategy: field('chunking_strategy'), granularities }
  requests.push({ model, format, ...asked, fileName: file.name, authorization, bytes: file.size, seconds })
  if (behaviour.hang) return
  await behaviour.held
  if (fail && fail.times-- > 0) return reply(res, fail.status, refusal(`failing; key ${authorization}`), fail.headers)
  if (refusedFormats.includes(format)) return reply(res, 400, refusal(`response_format '${format}' is not compatible`))
  if (behaviour.refusesWords && granularities.includes('word')) return reply(res, 400, refusal('no words here'))
  if (behaviour.refusesPrompts && prompt !== null) return reply(res, 400, refusal(`no prompts here: ${prompt}`))
  if (file.size > maxBytes) return reply(res, 413, refusal('Maximum content size limit exceeded'))
  if (seconds > maxSeconds)
    return reply(res, 400, refusal(`audio duration ${seconds} s is longer than ${maxSeconds} s`))
  if (behaviour.rawBody !== undefined) return reply(res, 200, behaviour.rawBody)
  return reply(
    res,
    200,
    transcription(format, seconds, sounds, { ...behaviour, words: granularities.includes('word') }),
  )
}

function transcription(
  format: string,
  duration: number,
  sounds: { start: number; end: number }[],
  behaviour: SpeechEndpointBehaviour & { words: boolean },
) {
  const { inventedText, text, language = 'english', measures, withoutSegments, timesPerSecond = 1 } = behaviour
  const heard = inventedText === undefined ? sounds : [{ start: 0, end: duration }]
  const segments = heard.map(({ start, end }, id) => ({
    start: start * timesPerSecond,
    end: end * timesPerSecond,
    id,
    text: ` ${inventedText ?? text ?? `Sound ${id}.`}`,
  }))
  const whole = segments.map((segment) => segment.text.trim()).join(' ')
  if (format === 'json') return { text: whole }
  if (format === 'diarized_json') {
    const spoken = segments.map((s) => ({ ...s, type: 'transcript.text.segment', id: `seg_${s.id}`, speaker: 'A' }))
    return { task: 'transcribe', duration, text: whole, segments: spoken }
  }
  const numbers = { avg_logprob: -0.1, compression_ratio: 1, no_speech_prob: 0.01, ...measures }
  const verbose = segments.map((s) => ({ seek: 0, tokens: [], temperature: 0, ...s, ...numbers }))
  const body = { task: 'transcribe', language, duration, text: whole }
  const words = segments.flatMap(wordsOf)
  return withoutSegments ? body : { ...body, segments: verbose, ...(behaviour.words && { words }) }
}

/** The segment's words, spread evenly. */
function wordsOf({ start, end, text }: { start: number; end: number; text: string }) {
  const words = text.trim().split(' ')
  const each = (end - start) / words.length
  return words.map((word, at) => ({ word, start: start + at * each, end: start + (at + 1) * each }))
}
