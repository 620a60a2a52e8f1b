import { ServerResponse } from 'node:http'

/** How much of a body is handed to the connection at once, bytes or characters. */
const PIECE = 64 * 1024

type Body = string | Uint8Array
type Done = (error?: Error | null) => void

/** The arguments of `write` and `end`, in Node's order. Any of them may be left out. */
type Given = [body?: Body | Done | null, encoding?: BufferEncoding | Done, done?: Done]

const { write, end } = ServerResponse.prototype

/** The body in the arguments. Texts in other encodings become bytes. */
function bodyIn([body, encoding]: Given): Body | undefined {
  if (body instanceof Uint8Array) return body
  if (typeof body !== 'string') return undefined
  const isOther = typeof encoding === 'string' && encoding !== 'utf8' && encoding !== 'utf-8'
  return isOther ? Buffer.from(body, encoding) : body
}

/**
 * Sends the answer of this response in turns. `write` and `end` store the body and hand it to the connection in pieces,
 * one per turn, as fast as the caller reads. So a long body is not copied whole for each caller, and a thousand answers
 * at once leave time for other requests.
 *
 * The methods are set on the response itself, because Express gives it another prototype.
 * @param inTurn calls its argument when it is the turn of this response's caller
 */
export function paceResponse(response: ServerResponse, inTurn: (work: () => void) => void): void {
  const paced = new PacedResponse(response, inTurn)
  // Not function literals: V8 creates one that is assigned to a property in old space, where it would keep all of its
  // request in memory until the next major collection.
  response.write = paced.write.bind(paced)
  response.end = paced.end.bind(paced)
}

/**
 * Writes the headers. From here on the answer has begun, as with Node's own `write` and `end`.
 * @param length bytes of the whole body
 */
function keepHeaders(response: ServerResponse, length?: number): void {
  if (response.headersSent) return
  const isKnown = response.hasHeader('Content-Length') || response.hasHeader('Transfer-Encoding')
  const mayHaveBody = response.statusCode !== 204 && response.statusCode !== 304
  if (length !== undefined && !isKnown && mayHaveBody) response.setHeader('Content-Length', length)
  response.writeHead(response.statusCode)
}

/** A response, and the rest of its body. */
class PacedResponse {
  readonly #response: ServerResponse
  readonly #inTurn: (work: () => void) => void
  #parts: Body[] = []
  /** The beginning of the next piece in the first part. */
  #from = 0
  /** True while a piece waits for its turn, or for the caller to read. */
  #waits = false
  /** True if a writer waits for room. */
  #isAwaited = false
  /** True once the body is complete. */
  #isWhole = false

  constructor(response: ServerResponse, inTurn: (work: () => void) => void) {
    this.#response = response
    this.#inTurn = inTurn
  }

  /** In place of the response's own `write`. */
  write(...given: Given): boolean {
    keepHeaders(this.#response)
    return this.#keep(bodyIn(given), given)
  }

  /** In place of the response's own `end`. */
  end(...given: Given): ServerResponse {
    if (this.#isWhole) return this.#response
    const last = bodyIn(given)
    keepHeaders(this.#response, last === undefined ? 0 : Buffer.byteLength(last))
    this.#isWhole = true
    this.#keep(last, given)
    return this.#response
  }

  #keep(part: Body | undefined, given: Given): boolean {
    const response = this.#response
    const done = given.find((each) => typeof each === 'function')
    if (done !== undefined) response.once('finish', () => done())
    if (part !== undefined && part.length > 0 && response.req.method !== 'HEAD') this.#parts.push(part)
    this.#go()
    this.#isAwaited ||= !this.#hasRoom
    return this.#hasRoom
  }

  /** True if a writer may continue at once. */
  get #hasRoom(): boolean {
    return this.#parts.reduce((sum, part) => sum + part.length, -this.#from) <= PIECE
  }

  /** Sends the next piece when its turn comes. */
  #go(): void {
    if (this.#waits) return
    this.#waits = true
    this.#inTurn(this.#sendPiece)
  }

  readonly #sendPiece = (): void => {
    const response = this.#response
    if (response.destroyed) return
    const piece = this.#take()
    const isLast = this.#isWhole && this.#parts.length === 0
    if (isLast) return void end.call(response, piece ?? '', 'utf8')
    const hasRoom = piece === undefined || write.call(response, piece, 'utf8')
    if (hasRoom) this.#goOn()
    else response.once('drain', () => this.#goOn())
  }

  #goOn(): void {
    this.#waits = false
    if (this.#parts.length > 0 || this.#isWhole) this.#go()
    if (!this.#isAwaited || !this.#hasRoom) return
    this.#isAwaited = false
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
  // Keep the two halves of a character together: each alone would be sent as an unknown character.
  return isHighSurrogate(body.charCodeAt(to - 1)) ? to - 1 : to
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
