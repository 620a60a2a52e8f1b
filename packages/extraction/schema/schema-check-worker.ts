/** The thread in which a caller's schema is checked when its job is posted. */
import { parentPort } from 'node:worker_threads'
import { assertSchema, type GivenSchema, type Path } from './check-schema.ts'
import { compileSchema } from './compile-schema.ts'
import { SchemaError } from './schema-error.ts'

/** What is wrong with a schema, and where; null where it may be used. */
export type SchemaVerdict = { path: Path; message: string } | null

function verdictOf(text: string): SchemaVerdict {
  const schema: GivenSchema = JSON.parse(text)
  try {
    assertSchema(schema, (progress) => parentPort?.postMessage({ progress }))
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return { path: error.path, message: error.message }
  }
  // Whoever holds an answer to it has to do the same again: what takes too long there is refused here.
  parentPort?.postMessage({ progress: [] satisfies Path })
  compileSchema(schema)
  return null
}

parentPort?.on('message', (text: string) => parentPort?.postMessage({ answer: verdictOf(text) }))
parentPort?.postMessage('ready')
