import { errorsBetween } from '../languages/errors-between.ts'

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []

/**
 * Word error rate: substitutions, insertions and deletions that turn the hypothesis into the reference, divided by
 * the words of the reference. 0 is perfect; it can exceed 1. Case and punctuation do not count.
 */
export function wordErrorRate(reference: string, hypothesis: string): number {
  const wanted = wordsOf(reference)
  return errorsBetween(wanted, wordsOf(hypothesis)) / Math.max(1, wanted.length)
}
