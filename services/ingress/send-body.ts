import type { ServerResponse } from 'node:http'

/** How much of a body is handed to the connection at once, bytes or characters. */
const PIECE = 64 * 1024

/**
 * Ends an answer with its body. A long one goes piece by piece, as fast as the caller takes it: so it is not copied whole
 * for each caller, and whoever watches the connection sees whether it gets anywhere.
 */
export function sendBody(response: ServerResponse, body: string | Buffer): void {
  let from = 0
  const sendOn = (): void => {
    for (;;) {
      const to = endOfPiece(body, from)
      const piece = to - from === body.length ? body : pieceOf(body, from, to)
      if (to === body.length) return void response.end(piece)
      from = to
      if (!response.write(piece)) return void response.once('drain', sendOn)
    }
  }
  sendOn()
}

function endOfPiece(body: string | Buffer, from: number): number {
  const to = from + PIECE
  if (to >= body.length) return body.length
  if (typeof body !== 'string') return to
  // The two halves of one character stay together: each alone would be sent as an unknown character.
  return isHighSurrogate(body.charCodeAt(to - 1)) ? to - 1 : to
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

const pieceOf = (body: string | Buffer, from: number, to: number): string | Buffer =>
  typeof body === 'string' ? body.slice(from, to) : body.subarray(from, to)
