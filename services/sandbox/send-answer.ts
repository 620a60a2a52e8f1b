import type { ServerResponse } from 'node:http'
import type { SandboxAnswer, SandboxRequest } from './site.ts'

type Ready = { status: number; headers: Record<string, string | string[]>; body: Buffer }

/**
 * Sends a site's answer, with support for HEAD and single byte ranges.
 * @returns the status, and the number of body bytes that were sent
 */
export function sendAnswer(
  request: SandboxRequest,
  response: ServerResponse,
  answer: SandboxAnswer,
  cutAfter?: number,
): { status: number; bytes: number } {
  const whole = toReady(answer)
  const { status, headers, body } = whole.status === 200 ? ranged(whole, request.headers.range) : whole
  response.writeHead(status, { ...headers, 'content-length': body.length })
  if (request.method === 'HEAD') {
    response.end()
    return { status, bytes: 0 }
  }
  if (cutAfter === undefined) {
    response.end(body)
    return { status, bytes: body.length }
  }
  const piece = body.subarray(0, cutAfter)
  response.write(piece, () => response.destroy())
  return { status, bytes: piece.length }
}

function toReady({ status, headers = {}, body = '', page }: SandboxAnswer): Ready {
  const ready = (type: string, bytes: Buffer | string): Ready => ({
    status,
    headers: { 'content-type': type, ...headers },
    body: Buffer.from(bytes as string),
  })
  if (page) return ready('text/html; charset=utf-8', page.render(page.data))
  if (Buffer.isBuffer(body)) return { status, headers, body }
  if (typeof body === 'string') return ready('text/html; charset=utf-8', body)
  return ready('application/json; charset=utf-8', JSON.stringify(body))
}

function ranged({ status, headers, body }: Ready, range: string | string[] | undefined): Ready {
  const accepting = { ...headers, 'accept-ranges': 'bytes' }
  const match = /^bytes=(\d*)-(\d*)$/.exec(String(range ?? ''))
  if (!match || (match[1] === '' && match[2] === '')) return { status, headers: accepting, body }
  const suffix = match[1] === ''
  const from = suffix ? Math.max(0, body.length - Number(match[2])) : Number(match[1])
  const to = suffix || match[2] === '' ? body.length - 1 : Math.min(Number(match[2]), body.length - 1)
  if (from > to) {
    const nothing = { ...accepting, 'content-range': `bytes */${body.length}` }
    return { status: 416, headers: nothing, body: Buffer.alloc(0) }
  }
  const part = { ...accepting, 'content-range': `bytes ${from}-${to}/${body.length}` }
  return { status: 206, headers: part, body: body.subarray(from, to + 1) }
}
