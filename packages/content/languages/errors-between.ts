/** Parts, such as letters or words, to insert, delete or replace to turn one into the other (Levenshtein). */
export function errorsBetween(one: Iterable<string>, other: Iterable<string>): number {
  const wanted = [...other]
  let row = Array.from({ length: wanted.length + 1 }, (_, at) => at)
  for (const [at, part] of [...one].entries()) {
    const next = [at + 1]
    for (const [to, want] of wanted.entries()) {
      const replaced = (row[to] ?? 0) + (want === part ? 0 : 1)
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
