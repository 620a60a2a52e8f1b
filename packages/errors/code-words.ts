import openapi from '#contracts/generated/openapi.json' with { type: 'json' }

/** The contract's text about a code. Text between backticks is code. */
export type CodeWords = { meaning: string; charged: string; advice: string }

/** The contract's texts about one kind of codes, by code. */
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

/** For each code in the answer to a request. */
export const errorCodeWords = wordsOf(ErrorCode, 'No: a request that is refused costs nothing.')

/** For each reason why a job or a lookup may fail. */
export const failureCodeWords = wordsOf(FailureCode, 'No: a job that fails is refunded in full, and lookups are free.')
