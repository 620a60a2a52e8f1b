/** The examples in the documentation match the requests that the service accepts and the answers that it gives. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'chai'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { plans } from '#packages/domain/credits/plans.ts'
import { pricesOf } from '#packages/domain/job/price.ts'
import { statusOf } from '#packages/foundation/errors/service-error.ts'
import { type Guide, guideSources } from './guides.ts'
import { writtenBase } from './served-text.ts'

type Content = { schema?: object; example?: unknown }
type Response = { $ref?: string; content?: Record<string, Content> }
type Parameter = { name: string; in: string; schema: object }
type Shared = Record<string, Parameter>
type Operation = {
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, Response>
}
const paths = openapi.paths as unknown as Record<string, Record<string, Operation>>
const responses = openapi.components.responses as unknown as Record<string, Response>

const shared = openapi.components.parameters as unknown as Shared

const parametersOf = ({ parameters = [] }: Operation): Parameter[] =>
  parameters.map((each) => ('$ref' in each ? (shared[each.$ref.split('/').at(-1) ?? ''] as Parameter) : each))

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema({ $id: 'api', components: openapi.components })

/** @throws Error the value does not fit the schema */
function assertFits(value: unknown, schema: object, what: string): void {
  const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')))
  expect(check(value), `${what}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(value)}`).to.equal(true)
}

const named = (name: string): object => ({ $ref: `#/components/schemas/${name}` })

type Block = { guide: string; language: string; schema: string | undefined; code: string }

const blocks = guideSources.flatMap(({ name, markdown }: Guide): Block[] =>
  [...markdown.matchAll(/^```(\w+)(?: (\w+))?\n(.*?)^```$/gms)].map(([, language = '', schema, code = '']) => ({
    guide: name,
    language,
    schema,
    code,
  })),
)

/** The operation for a path that a caller writes, with ids or shell variables in it. */
function operationAt(method: string, path: string): Operation | undefined {
  const found = Object.keys(paths).find((known) =>
    new RegExp(`^${known.replaceAll(/\{\w+\}/g, '(\\{\\w+\\}|\\$\\w+|[\\w-]{36})')}$`).test(path),
  )
  return paths[found ?? '']?.[method.toLowerCase()]
}

/** The calls of curl in a block of shell commands. */
const callsOf = ({ code }: Block) =>
  code
    .replaceAll('\\\n', ' ')
    .split(/(?=\bcurl )/)
    .filter((command) => command.startsWith('curl '))
    .map((command) => {
      const url = /['"]?http:\/\/127\.0\.0\.1:8080([^\s'"]+)/.exec(command)?.[1] ?? ''
      const body = / -d '([^']*)'/.exec(command)?.[1]
      const hasBody = body !== undefined || command.includes('--data-binary')
      const [path = '', query = ''] = url.split(/\?(.*)/s)
      const method = / -X (\w+)/.exec(command)?.[1] ?? (hasBody ? 'POST' : 'GET')
      return { command, path, query, body, method, hasKey: command.includes('-H "x-api-key: $KEY"') }
    })

describe('the examples of the guides', () => {
  it('call operations that exist, with parameters that they have and bodies that they take', () => {
    const calls = blocks.filter(({ language }) => language === 'sh').flatMap(callsOf)
    expect(calls.length).to.be.greaterThan(13)
    for (const { command, path, query, body, method, hasKey } of calls) {
      const operation = operationAt(method, path)
      expect([operation !== undefined, hasKey], command).to.deep.equal([true, true])
      for (const [name, value] of new URLSearchParams(query)) {
        const parameter = parametersOf(operation as Operation).find((each) => each.name === name && each.in === 'query')
        assertFits(value, parameter?.schema ?? { not: {} }, `${command}: ${name}`)
      }
      if (body === undefined) continue
      assertFits(JSON.parse(body), operation?.requestBody?.content['application/json']?.schema ?? { not: {} }, command)
    }
  })

  it('show answers that fit their schemas', () => {
    const answers = blocks.filter(({ language, schema }) => language === 'json' && schema !== undefined)
    expect(answers.length).to.be.greaterThan(6)
    for (const { guide, schema = '', code } of answers) assertFits(JSON.parse(code), named(schema), guide)
    for (const { language, schema, code } of blocks)
      if (language === 'json' && schema === undefined) expect(() => JSON.parse(code), code).to.not.throw()
  })

  it('name operations and error codes that exist', () => {
    const written = guideSources.map(({ markdown }) => markdown).join('\n')
    const operations = [...written.matchAll(/`(GET|POST|PATCH|DELETE) (\/v1[^\s`?]*)/g)]
    expect(operations.length).to.be.greaterThan(15)
    for (const [told, method = '', path = ''] of operations)
      expect(operationAt(method, path), told).to.not.equal(undefined)
    const errors = guideSources.find(({ name }) => name === 'errors')?.markdown ?? ''
    for (const [code, status] of Object.entries(statusOf))
      if (code !== 'headers_too_large') expect(errors).to.match(new RegExp(`\\| .*${status}.*\`${code}\``))
  })

  it('tell the prices and plans of the service', () => {
    const text = (name: string) => guideSources.find((guide) => guide.name === name)?.markdown ?? ''
    const { captions, speech } = pricesOf('transcript')
    expect(text('credits'))
      .to.contain(`| Transcript from captions | ${captions} |`)
      .and.to.contain(`| Transcript from sound | ${speech} |`)
      .and.to.contain(`| Extraction | ${pricesOf('extraction').speech} |`)
    for (const [label, plan] of [
      ['Starter', plans.starter],
      ['Pro', plans.pro],
    ] as const) {
      const number = (value: number) => value.toLocaleString('en')
      expect(text('credits')).to.match(
        new RegExp(
          `\\| ${label} \\| ${plan.price} USD per month \\| ${number(plan.monthlyCredits)} per month \\| ${plan.heavyRequestsPerMinute}`,
        ),
      )
      expect(text('batches')).to.contain(`| ${label} | ${number(plan.batchItems)} |`)
      expect(text('watches')).to.contain(`| ${label} | ${plan.watches} |`)
    }
  })
})

describe('the examples of /openapi.json', () => {
  const examplesOf = ({ content = {} }: Response) =>
    Object.values(content).flatMap(({ schema, example }) =>
      example === undefined ? [] : [{ schema: schema ?? {}, example }],
    )

  it('fit their schemas', () => {
    const all = Object.values(paths).flatMap((path) => Object.values(path))
    const shown = [...all.flatMap((operation) => Object.values(operation.responses)), ...Object.values(responses)]
    const examples = shown.flatMap(examplesOf)
    expect(examples.length).to.be.greaterThan(20)
    for (const { schema, example } of examples) assertFits(example, schema, 'an answer')
  })

  it('are another one for each error of an operation, with the code of its status', () => {
    for (const [path, operations] of Object.entries(paths))
      for (const [method, { responses: answers }] of Object.entries(operations)) {
        const errors = Object.entries(answers).filter(([status]) => status >= '400')
        const examples = errors.map(([status, { $ref, ...own }]) => {
          const [found] = examplesOf($ref === undefined ? own : (responses[$ref.split('/').at(-1) ?? ''] ?? {}))
          const example = found?.example as { error: keyof typeof statusOf; message: string; documentationUrl: string }
          expect(example, `${method} ${path} ${status}`).to.not.equal(undefined)
          expect(statusOf[example.error], `${method} ${path}`).to.equal(Number(status))
          expect(example.documentationUrl.startsWith(`${writtenBase}/docs/errors#`)).to.equal(true)
          return example.message
        })
        expect(new Set(examples).size, `${method} ${path}`).to.equal(errors.length)
      }
  })

  it('have an id of a job where a job is accepted', () => {
    for (const path of ['/v1/transcript', '/v1/extract']) {
      const [accepted] = examplesOf(paths[path]?.post?.responses['202'] ?? {})
      const { jobId } = (accepted as { example: unknown }).example as { jobId: string }
      expect(jobId).to.match(/^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/)
    }
  })
})
