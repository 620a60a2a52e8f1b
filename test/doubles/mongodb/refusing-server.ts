import { createServer } from 'node:net'
import { BSON } from 'mongodb'
import { onLoopback } from '../loopback-server.ts'

type Command = BSON.Document
/** Answers a command. If it returns undefined, the answer is `{ok: 1}`. */
export type Answers = (command: Command) => Command | undefined

const opReply = 1
const opQuery = 2004
const opMsg = 2013

export type RefusingServer = AsyncDisposable & {
  port: number
  /** True once it has read `readsAtMost` bytes from a connection. */
  readonly isFull: boolean
}

/** A mongod's refusal of a command. */
export const refusal = (code: number, codeName: string, errmsg: string): Command => ({ ok: 0, code, codeName, errmsg })

/** The answer to `hello`. */
export const hello = (fields: Command = {}): Command => ({
  ok: 1,
  helloOk: true,
  isWritablePrimary: true,
  ismaster: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 21,
  readOnly: false,
  ...fields,
})

/**
 * Not a database: it understands just enough of MongoDB's protocol to greet a driver and then refuse it.
 * @param readsAtMost the bytes that it reads from a connection before it stops
 */
export async function startRefusingServer(answers: Answers, readsAtMost = Infinity): Promise<RefusingServer> {
  let isFull = false
  const server = createServer((socket) => {
    let waiting = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      if (socket.bytesRead > readsAtMost) {
        isFull = true
        socket.pause()
        return
      }
      waiting = Buffer.concat([waiting, bytes])
      while (waiting.length >= 4 && waiting.length >= waiting.readInt32LE(0)) {
        const size = waiting.readInt32LE(0)
        socket.write(replyTo(waiting.subarray(0, size), answers))
        waiting = waiting.subarray(size)
      }
    })
  })
  const { port, [Symbol.asyncDispose]: close } = await onLoopback(server)
  return {
    port,
    get isFull() {
      return isFull
    },
    [Symbol.asyncDispose]: close,
  }
}

function replyTo(message: Buffer, answers: Answers): Buffer {
  const [requestId, operation] = [message.readInt32LE(4), message.readInt32LE(12)]
  if (operation !== opQuery && operation !== opMsg) throw new Error(`operation ${operation} is not spoken here`)
  const answer = answers(operation === opMsg ? commandOf(message) : queryOf(message)) ?? { ok: 1 }
  const document = BSON.serialize(answer)
  const body =
    operation === opMsg
      ? Buffer.concat([Buffer.from([0, 0, 0, 0, 0]), document])
      : Buffer.concat([Buffer.alloc(16), int32(1), document])
  return Buffer.concat([
    int32(16 + body.length),
    int32(0),
    int32(requestId),
    int32(operation === opMsg ? opMsg : opReply),
    body,
  ])
}

/** The command in a message: header, flags, a section of kind 0. */
const commandOf = (message: Buffer): Command => {
  const size = message.readInt32LE(21)
  return BSON.deserialize(message.subarray(21, 21 + size))
}

/** The command in an old query: header, flags, the name of the collection, two numbers, the command. */
const queryOf = (message: Buffer): Command => {
  const begin = message.indexOf(0, 20) + 9
  return BSON.deserialize(message.subarray(begin, begin + message.readInt32LE(begin)))
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}
