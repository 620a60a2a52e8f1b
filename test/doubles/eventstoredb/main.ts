/**
 * The double as a process: `node --import tsx/esm main.ts --data FOLDER [--port N]`. Prints one line of JSON, `{"url",
 * "port"}`, when it serves; ends at SIGTERM and SIGINT.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEventStoreDouble } from './server.ts'

const { values } = parseArgs({ options: { data: { type: 'string' }, port: { type: 'string', default: '0' } } })
if (values.data === undefined) throw new Error('say where the data is to be kept: --data FOLDER')
await mkdir(values.data, { recursive: true })
const double = await startEventStoreDouble({ path: join(values.data, 'log.sqlite'), port: Number(values.port) })
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => void double[Symbol.asyncDispose]())
console.log(JSON.stringify({ url: double.url, port: double.port }))
