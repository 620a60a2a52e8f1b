import errorCodes from '#contracts/http/schemas/ErrorCode.json' with { type: 'json' }
import failureCodes from '#contracts/http/schemas/FailureCode.json' with { type: 'json' }

/** The contract's text about a code. Text between backticks is code. */
export type CodeWords = { meaning: string; charged: string; advice: string }

/** A row of the contract's table of codes. */
type Row = { const: string; description: string; 'x-charged'?: string; 'x-advice': string }

/** @param charged the text if the contract has none for a code */
const wordsOf = ({ oneOf }: { oneOf: readonly Row[] }, charged: string): ReadonlyMap<string, CodeWords> =>
  new Map(
    oneOf.map(({ const: code, description: meaning, 'x-charged': own = charged, 'x-advice': advice }) => [
      code,
      { meaning, charged: own, advice },
    ]),
  )

/** The texts for each error code of an answer. */
export const errorCodeWords = wordsOf(errorCodes, 'No: a request that is refused costs nothing.')

/** The texts for each reason why a job or a lookup may fail. */
export const failureCodeWords = wordsOf(failureCodes, 'No: a job that fails is refunded in full, and lookups are free.')
