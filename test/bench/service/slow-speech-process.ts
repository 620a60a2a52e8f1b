/**
 * A process that stands in for a speech endpoint. It takes a tenth of real time, however many requests it has. It
 * understands nothing, and answers with one segment over all of the sound.
 */
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as rest } from 'node:timers/promises'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { serveCalls } from '../kit/serve-calls.ts'

/** The share of the sound's length that an answer takes. */
const SHARE_OF_REAL_TIME = 0.1

/** A request that was answered: the seconds of sound in it, and how long it took to send and to answer, seconds. */
export type Transcribed = { audioSeconds: number; seconds: number }

let transcribed: Transcribed[] = []

/** Reads a FLAC file's sample rate and number of samples from its first block. */
function secondsOf(flac: Buffer): number {
  const rate = flac.readUIntBE(18, 3) >> 4
  const samples = (flac.readUInt8(21) & 0x0f) * 2 ** 32 + flac.readUInt32BE(22)
  return samples / rate
}

const server = createServer(async (request, response) => {
  const from = performance.now()
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(await buffer(request)), { headers }).formData()
  const audioSeconds = secondsOf(Buffer.from(await (form.get('file') as File).arrayBuffer()))
  await rest(audioSeconds * SHARE_OF_REAL_TIME * 1000)
  const segments = [{ id: 0, start: 0, end: audioSeconds, text: 'Something was said.' }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ language: 'english', duration: audioSeconds, text: 'Something was said.', segments }))
  transcribed.push({ audioSeconds, seconds: (performance.now() - from) / 1000 })
})

async function open(): Promise<string> {
  const { port } = await onLoopback(server)
  return `http://127.0.0.1:${port}/v1`
}

/** Everything that it has answered since the previous call. */
function answered(): Transcribed[] {
  const before = transcribed
  transcribed = []
  return before
}

serveCalls({ open, answered })
