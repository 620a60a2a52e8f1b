import openapi from '#contracts/generated/openapi.json' with { type: 'json' }

type Schema = {
  type?: string
  description?: string
  enum?: readonly string[]
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
}
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }
type Operation = {
  operationId?: string
  parameters?: readonly (Parameter | { $ref: string })[]
  requestBody?: { content: { 'application/json': { schema: { $ref?: string; anyOf?: readonly { $ref: string }[] } } } }
}
type BodySchema = { properties: Record<string, Schema>; required: readonly string[] }

/** A field of a request, as the contract describes it. */
export type ContractField = {
  name: string
  where: 'query' | 'header' | 'body'
  required: boolean
  description: string
  schema: Schema
}

export type ContractOperation = { method: string; path: string; fields: readonly ContractField[] }

const paths = openapi.paths as unknown as Record<string, Record<string, Operation>>
const schemas = openapi.components.schemas as unknown as Record<string, BodySchema>

const schemaNamed = (reference: string): BodySchema | undefined => schemas[reference.split('/').at(-1) ?? '']

/** Sentences that concern HTTP and mean nothing in a form. */
const aboutHttp = / ?Given once\./g

function parametersOf({ parameters = [] }: Operation): ContractField[] {
  return parameters.flatMap((parameter) => {
    if (!('name' in parameter)) return []
    const { name, in: where, required = false, description = '', schema } = parameter
    if (where !== 'query' && where !== 'header') return []
    return [{ name, where, required, description: description.replaceAll(aboutHttp, '').trim(), schema }]
  })
}

/** The fields of all bodies that an operation accepts, each once. */
function bodyFieldsOf({ requestBody }: Operation): ContractField[] {
  const { $ref, anyOf = [] } = requestBody?.content['application/json'].schema ?? {}
  const references = $ref === undefined ? anyOf.map((one) => one.$ref) : [$ref]
  const fields = new Map<string, ContractField>()
  for (const body of references.map(schemaNamed))
    for (const [name, schema] of Object.entries(body?.properties ?? {})) {
      const { description = '' } = schema
      const required = body?.required.includes(name) === true
      if (!fields.has(name)) fields.set(name, { name, where: 'body', required, description, schema })
    }
  return [...fields.values()]
}

/** An operation of the contract. @throws Error if none has this id */
export function contractOf(operationId: string): ContractOperation {
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods))
      if (operation.operationId === operationId)
        return { method: method.toUpperCase(), path, fields: [...parametersOf(operation), ...bodyFieldsOf(operation)] }
  throw new Error(`the contract has no operation ${operationId}`)
}
