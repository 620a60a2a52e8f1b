/** A process that receives everything over OTLP/HTTP, and discards it unread. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveCalls } from '../kit/serve-calls.ts'

const server = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
})

/** @returns its port */
async function open(): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

serveCalls({ open }, async () => server.closeAllConnections())
