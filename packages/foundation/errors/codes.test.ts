import { expect } from 'chai'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { failures } from '#packages/domain/job/failure.ts'
import { type CodeWords, errorCodeWords, failureCodeWords } from './code-words.ts'
import { statusOf } from './service-error.ts'

type Example = { error?: string }
type Content = { example?: Example; examples?: Record<string, { value: Example }> }
type Answer = { content?: { 'application/json'?: Content } }
type Operation = { responses?: Record<string, Answer & { $ref?: string }> }

/** Codes that lack a text in the contract. */
const silent = (words: ReadonlyMap<string, CodeWords>): string[] =>
  [...words].flatMap(([code, texts]) => (Object.values(texts).every((text) => text.length > 0) ? [] : [code]))

/** The codes in the specification's answers with each status from 400 on. */
function specified(): Map<string, Set<string>> {
  const shared = openapi.components.responses as unknown as Record<string, Answer>
  const operations = Object.values(openapi.paths).flatMap((path) => Object.values(path) as Operation[])
  const codes = new Map<string, Set<string>>()
  for (const [status, answer] of operations.flatMap(({ responses = {} }) => Object.entries(responses))) {
    const { content } = answer.$ref === undefined ? answer : (shared[answer.$ref.split('/').at(-1) ?? ''] ?? {})
    const { example, examples = {} } = content?.['application/json'] ?? {}
    const shown = example === undefined ? Object.values(examples).map(({ value }) => value) : [example]
    for (const { error = 'none' } of Number(status) < 400 ? [] : shown)
      codes.set(status, (codes.get(status) ?? new Set()).add(error))
  }
  return codes
}

describe('the table of codes in the contract', () => {
  it("has a status for every error code, equal to that of the specification's answers", () => {
    const statuses = [...new Set(Object.values(statusOf).map(String))]
    const answers = specified()
    // 405 is missing in the specification: it describes no operation for a method that its path lacks.
    expect([...answers.keys(), '405'].sort()).to.deep.equal(statuses.sort())
    for (const [status, codes] of answers)
      for (const code of codes) expect(String(statusOf[code as keyof typeof statusOf]), code).to.equal(status)
  })

  it('has every reason why a job or a lookup can fail, and no other', () => {
    expect([...failureCodeWords.keys()].sort()).to.deep.equal(Object.keys(failures).sort())
  })

  it('says for each code what it means, whether it is charged, and what to do', () => {
    expect([...silent(errorCodeWords), ...silent(failureCodeWords)]).to.deep.equal([])
  })
})
