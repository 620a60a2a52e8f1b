import type { ServerResponse } from 'node:http'

/** How much of a body is handed to the connection at once, bytes or characters. */
const PIECE = 64 * 1024

/** How long all long answers together may use one turn of the event loop, milliseconds. */
const SHARE_MS = 5

type Short = { response: ServerResponse; body: string | Buffer }

/**
 * Ends answers with their bodies. Short answers of one turn of the event loop are written one right after the other, at
 * its end: each write that finds its reader asleep costs the system twice as much as one that finds it awake. A long body
 * is sent in pieces, as fast as the caller reads: it is not copied whole for each caller, and the connection shows whether
 * the caller reads at all. All long answers share a few milliseconds of each turn of the event loop, so that a thousand
 * of them at once leave time for other requests.
 */
export class BodySender {
  /** The short answers of this turn of the event loop. */
  #short: Short[] = []
  /** For each answer whose connection takes more: the function that sends its next piece. First in, first out. */
  readonly #ready: (() => void)[] = []

  send(response: ServerResponse, body: string | Buffer): void {
    if (body.length > PIECE) this.#sendPieces(response, body)
    else if (this.#short.push({ response, body }) === 1) setImmediate(() => this.#endShort())
  }

  #endShort(): void {
    const all = this.#short
    this.#short = []
    for (const { response, body } of all) response.end(body)
  }

  #sendPieces(response: ServerResponse, body: string | Buffer): void {
    let from = 0
    const sendPiece = (): void => {
      if (response.destroyed) return
      const to = endOfPiece(body, from)
      if (to === body.length) return void response.end(pieceOf(body, from, to))
      const piece = pieceOf(body, from, to)
      from = to
      if (response.write(piece)) this.#inTurn(sendPiece)
      else response.once('drain', () => this.#inTurn(sendPiece))
    }
    this.#inTurn(sendPiece)
  }

  #inTurn(sendPiece: () => void): void {
    if (this.#ready.push(sendPiece) === 1) setImmediate(() => this.#takeTurns(performance.now() + SHARE_MS))
  }

  /** @param until when this turn must end, milliseconds */
  #takeTurns(until: number): void {
    this.#ready[0]?.()
    this.#ready.shift()
    if (this.#ready.length === 0) return
    // Node writes to the system in the next tick, and that takes the time: so the clock is read after it.
    if (performance.now() < until) process.nextTick(() => this.#takeTurns(until))
    else setImmediate(() => this.#takeTurns(performance.now() + SHARE_MS))
  }
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
