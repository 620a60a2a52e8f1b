/** @jsxRuntime automatic @jsxImportSource preact */
import type { Response } from 'express'
import { renderToString } from 'preact-render-to-string'
import { writeTo } from '#packages/foundation/concurrency/write-to.ts'
import { Layout, type LayoutParts } from '../look/layout.tsx'
import type { Answer, Download, MadeFile, Page, Picture, Redirect, Stream } from '../route.ts'
import type { Flashes } from './flash.ts'
import { type Handed, isInPlace } from './page-context.ts'
import { setSession } from './session-cookie.ts'
import { setSignInUnderWay } from './sign-in-cookie.ts'

/** What is needed to send an answer. `root`: the dashboard's path. */
export type Around = Omit<LayoutParts, 'page'> & {
  root: string
  flashes: Flashes
  signal: AbortSignal
  about: Pick<Handed, 'turn' | 'lasts'>
}

/** Answers a request. Resolves once the answer is handed over, or, for a stream, once the stream has ended. */
export async function sendAnswer(response: Response, answer: Answer, around: Around): Promise<void> {
  switch (answer.type) {
    case 'page': {
      await around.about.turn()
      setCookies(response, answer)
      if (answer.leadsTo !== undefined) response.set('Refresh', `0; url=${answer.leadsTo}`)
      const html = `<!doctype html>${renderToString(<Layout page={answer} {...around} />)}`
      response
        .status(answer.status ?? 200)
        .type('html')
        .send(html)
      return
    }
    case 'redirect': {
      setCookies(response, answer)
      const { notice, flash } = answer
      const to = notice === undefined ? answer.to : `${answer.to}${answer.to.includes('?') ? '&' : '?'}done=${notice}`
      if (flash !== undefined) around.flashes.set(response, to, flash)
      const address = to.startsWith('/') ? around.root + to : to
      // The script loads the next page itself. Following a redirect would use up the flash.
      if (isInPlace(response.req)) response.status(204).location(address).end()
      else response.redirect(303, address)
      return
    }
    case 'data':
      response.status(answer.status ?? 200).json(answer.body)
      return
    case 'picture':
      return sendPicture(response, answer)
    case 'download':
      return sendDownload(response, answer)
    case 'file':
      return sendMade(response, answer, around.signal)
    case 'stream':
      around.about.lasts()
      return sendStream(response, answer, around.signal)
  }
}

function setCookies(response: Response, { session, signInUnderWay }: Page | Redirect): void {
  if (session !== undefined) setSession(response, session)
  if (signInUnderWay !== undefined) setSignInUnderWay(response, signInUnderWay)
}

/** One transparent pixel. */
const nothing = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

function sendPicture(response: Response, { jpeg, maxAgeSeconds }: Picture): void {
  // Browsers show a picture whatever its status is. Without a body they show a broken-image mark.
  if (jpeg === null) response.status(404).type('gif').send(nothing)
  else response.set('Cache-Control', `private, max-age=${maxAgeSeconds}`).type('jpeg').send(Buffer.from(jpeg))
}

function sendDownload(response: Response, { name, mediaType, body }: Download): void {
  response.attachment(name).type(mediaType).send(body)
}

async function sendMade(response: Response, { name, mediaType, parts }: MadeFile, signal: AbortSignal): Promise<void> {
  response.attachment(name).type(mediaType)
  try {
    for await (const part of parts) await writeTo(response, part, signal)
    signal.throwIfAborted()
    response.end()
  } catch {
    // The code that produces the file has already logged why.
    response.destroy()
  }
}

/** How often a quiet stream sends a sign of life, milliseconds. */
const BEAT_EVERY_MS = 15_000

async function sendStream(response: Response, { run }: Stream, signal: AbortSignal): Promise<void> {
  response.set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    // A proxy that compresses or buffers would hold events back until the stream ends.
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  })
  response.flushHeaders()
  const beat = setInterval(() => void writeTo(response, ': beat\n\n', signal), BEAT_EVERY_MS)
  try {
    await run(
      ({ id, event, data }) =>
        writeTo(
          response,
          `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
          signal,
        ),
      signal,
    )
  } finally {
    clearInterval(beat)
    response.end()
  }
}
