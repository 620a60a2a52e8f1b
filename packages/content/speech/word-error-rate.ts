const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []

/**
 * Word error rate: substitutions, insertions and deletions that turn the hypothesis into the reference, divided by
 * the words of the reference. 0 is perfect; it can exceed 1. Case and punctuation do not count.
 */
export function wordErrorRate(reference: string, hypothesis: string): number {
  const wanted = wordsOf(reference)
  const given = wordsOf(hypothesis)
  let row = Array.from({ length: given.length + 1 }, (_, i) => i)
  for (const [i, word] of wanted.entries()) {
    const next = [i + 1]
    for (const [j, other] of given.entries()) {
      const substituted = (row[j] ?? 0) + (word === other ? 0 : 1)
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return (row.at(-1) ?? 0) / Math.max(1, wanted.length)
}
