/** The thread that checks a caller's schema when its job is requested. */
import { parentPort } from 'node:worker_threads'
import { assertSchema } from './check-schema.ts'
import { compileSchema } from './compile-schema.ts'
import { SchemaError } from './schema-error.ts'
import type { GivenSchema, Path } from './schema-tree.ts'

/** The problem of a schema and its path; null for a usable schema. */
export type SchemaVerdict = { path: Path; message: string } | null

function verdictOf(text: string): SchemaVerdict {
  const schema: GivenSchema = JSON.parse(text)
  try {
    assertSchema(schema, (progress) => parentPort?.postMessage({ progress }))
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return { path: error.path, message: error.message }
  }
  // The validation of an answer compiles the schema again. A schema that would take too long then is refused here.
  parentPort?.postMessage({ progress: [] satisfies Path })
  compileSchema(schema)
  return null
}

parentPort?.on('message', (text: string) => parentPort?.postMessage({ answer: verdictOf(text) }))
parentPort?.postMessage('ready')
