/** A process that receives everything over OTLP/HTTP, and discards it unread. */
import { createServer } from 'node:http'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { serveCalls } from '../kit/serve-calls.ts'

const server = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
})

/** @returns its port */
const open = async (): Promise<number> => (await onLoopback(server)).port

serveCalls({ open }, async () => server.closeAllConnections())
