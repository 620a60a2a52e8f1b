import { expect } from 'chai'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { failures } from '#packages/domain/job/failure.ts'
import { statusOf } from './service-error.ts'

const { ErrorCode, FailureCode } = openapi.components.schemas

/** Codes that lack a text in the contract. */
const silent = (codes: string[], texts: Record<string, string>): string[] => codes.filter((code) => !texts[code])

for (const [name, schema, table] of [
  ['error code', ErrorCode, statusOf],
  ['failure code', FailureCode, failures],
] as const)
  describe(`the contract of every ${name}`, () => {
    it('lists the existing codes, and no other', () => {
      expect([...schema.enum].sort()).to.deep.equal(Object.keys(table).sort())
    })

    it('says what each means and what to do', () => {
      expect(silent(schema.enum, schema['x-enumDescriptions'])).to.deep.equal([])
      expect(silent(schema.enum, schema['x-enumAdvice'])).to.deep.equal([])
    })
  })
