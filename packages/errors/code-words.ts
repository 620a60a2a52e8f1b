import openapi from '#contracts/generated/openapi.json' with { type: 'json' }

/** What the contract says of a code in words; what stands between backticks is code. */
export type CodeWords = { meaning: string; charged: string; advice: string }

/** What the contract says of one kind of codes, by code. */
type Described = {
  enum: readonly string[]
  'x-enumDescriptions': Readonly<Record<string, string>>
  'x-enumCharged': Readonly<Record<string, string>>
  'x-enumAdvice': Readonly<Record<string, string>>
}

const wordsOf = (described: Described, charged: string): ReadonlyMap<string, CodeWords> =>
  new Map(
    described.enum.map((code) => [
      code,
      {
        meaning: described['x-enumDescriptions'][code] ?? '',
        charged: described['x-enumCharged'][code] ?? charged,
        advice: described['x-enumAdvice'][code] ?? '',
      },
    ]),
  )

const { ErrorCode, FailureCode } = openapi.components.schemas

/** Of each code that the answer to a request may have. */
export const errorCodeWords = wordsOf(ErrorCode, 'No: a request that is refused costs nothing.')

/** Of each reason why a job or a lookup may fail. */
export const failureCodeWords = wordsOf(FailureCode, 'No: a job that fails is refunded in full, and lookups are free.')
