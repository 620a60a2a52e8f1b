import { ServerResponse } from 'node:http'

/** How much of a body is handed to the connection at once, bytes or characters. */
const PIECE = 64 * 1024

type Body = string | Uint8Array
type Done = (error?: Error | null) => void

/** What `write` and `end` are called with, in Node's order: any of them may be left out. */
type Given = [body?: Body | Done | null, encoding?: BufferEncoding | Done, done?: Done]

const { write, end } = ServerResponse.prototype

/** What of it is to be sent; texts of other encodings as bytes. */
function bodyIn([body, encoding]: Given): Body | undefined {
  if (body instanceof Uint8Array) return body
  if (typeof body !== 'string') return undefined
  const isOther = typeof encoding === 'string' && encoding !== 'utf8' && encoding !== 'utf-8'
  return isOther ? Buffer.from(body, encoding) : body
}

/**
 * Sends the answer of this response in turns, whoever writes it: `write` and `end` keep what they are given and
 * hand it to the connection in pieces, one in each turn, as fast as the caller reads. So a long body is not copied whole
 * for each caller, and answers to a thousand callers at once leave time for other requests.
 *
 * The methods are the response's own: Express gives it another prototype.
 * @param inTurn calls its argument when the turn of this response's caller comes
 */
export function paceResponse(response: ServerResponse, inTurn: (work: () => void) => void): void {
  const body = new PacedBody(response, inTurn)
  const keep = (part: Body | undefined, given: Given): boolean => {
    const done = given.find((each) => typeof each === 'function')
    if (done !== undefined) response.once('finish', () => done())
    if (part !== undefined) body.add(part)
    body.go()
    body.isAwaited ||= !body.hasRoom
    return body.hasRoom
  }
  response.write = (...given: Given): boolean => {
    keepHeaders(response)
    return keep(bodyIn(given), given)
  }
  response.end = (...given: Given): typeof response => {
    if (body.isWhole) return response
    const last = bodyIn(given)
    keepHeaders(response, last === undefined ? 0 : Buffer.byteLength(last))
    body.isWhole = true
    keep(last, given)
    return response
  }
}

/** From here on the answer has begun, as with Node's own `write` and `end`. @param length of the whole body, bytes */
function keepHeaders(response: ServerResponse, length?: number): void {
  if (response.headersSent) return
  const isKnown = response.hasHeader('Content-Length') || response.hasHeader('Transfer-Encoding')
  const mayHaveBody = response.statusCode !== 204 && response.statusCode !== 304
  if (length !== undefined && !isKnown && mayHaveBody) response.setHeader('Content-Length', length)
  response.writeHead(response.statusCode)
}

/** What is left of the body of a response. */
class PacedBody {
  readonly #response: ServerResponse
  readonly #inTurn: (work: () => void) => void
  #parts: Body[] = []
  /** Of the first part, where its next piece begins. */
  #from = 0
  /** Whether a piece waits for its turn, or for the caller to read. */
  #waits = false
  /** Whether a writer was told to wait until there is room. */
  isAwaited = false
  /** Nothing comes after what is there. */
  isWhole = false

  constructor(response: ServerResponse, inTurn: (work: () => void) => void) {
    this.#response = response
    this.#inTurn = inTurn
  }

  add(part: Body): void {
    if (part.length > 0 && this.#response.req.method !== 'HEAD') this.#parts.push(part)
  }

  /** Whether a writer may go on at once. */
  get hasRoom(): boolean {
    return this.#parts.reduce((sum, part) => sum + part.length, -this.#from) <= PIECE
  }

  /** Sends what is there when its turn comes. */
  go(): void {
    if (this.#waits) return
    this.#waits = true
    this.#inTurn(this.#sendPiece)
  }

  readonly #sendPiece = (): void => {
    const response = this.#response
    if (response.destroyed) return
    const piece = this.#take()
    const isLast = this.isWhole && this.#parts.length === 0
    if (isLast) return void end.call(response, piece ?? '', 'utf8')
    const hasRoom = piece === undefined || write.call(response, piece, 'utf8')
    if (hasRoom) this.#goOn()
    else response.once('drain', () => this.#goOn())
  }

  #goOn(): void {
    this.#waits = false
    if (this.#parts.length > 0 || this.isWhole) this.go()
    if (!this.isAwaited || !this.hasRoom) return
    this.isAwaited = false
    this.#response.emit('drain')
  }

  #take(): Body | undefined {
    const [part] = this.#parts
    if (part === undefined) return undefined
    const from = this.#from
    const to = endOfPiece(part, from)
    this.#from = to === part.length ? 0 : to
    if (to === part.length) this.#parts.shift()
    return typeof part === 'string' ? part.slice(from, to) : part.subarray(from, to)
  }
}

function endOfPiece(body: Body, from: number): number {
  const to = from + PIECE
  if (to >= body.length) return body.length
  if (typeof body !== 'string') return to
  // The two halves of one character stay together: each alone would be sent as an unknown character.
  return isHighSurrogate(body.charCodeAt(to - 1)) ? to - 1 : to
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
