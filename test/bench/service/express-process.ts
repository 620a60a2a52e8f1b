/** A process that answers the same requests with the least that Express can do. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import express from 'express'
import { serveCalls } from '../kit/serve-calls.ts'

const schema = {
  type: 'object',
  required: ['url'],
  additionalProperties: false,
  properties: {
    url: { type: 'string', minLength: 1, maxLength: 2048 },
    mode: { enum: ['native', 'generate', 'auto'] },
    lang: { type: 'string', minLength: 1, maxLength: 35 },
  },
}

async function open({ job }: { job?: object } = {}) {
  const validate = new Ajv2020().compile(schema)
  const app = express()
  app.post('/v1/transcript', express.json(), (request, response) => {
    if (validate(request.body)) response.status(202).json({ jobId: randomUUID(), status: 'queued' })
    else response.status(400).json({ error: 'invalid_request', details: validate.errors })
  })
  app.get('/v1/transcript/:jobId', (request, response) => {
    response.json({ jobId: request.params.jobId, ...job })
  })
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port }
}

serveCalls({ open })
