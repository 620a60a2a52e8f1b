import { tracesFound } from './jaeger.ts'
import { choices, traceSearches } from './panels.ts'
import type { AskedQueries } from './queries.ts'
import type { Scene } from './scene.ts'
import type { TracedJob } from './traces.ts'

/** Finds it only if it took longer. */
const BY_DURATION = 'Slow jobs'

/**
 * The links of panels lead to a failed job, once its id and its organization are typed in. @throws Error naming those
 * that do not
 */
export async function followSearches(
  { customers, observers: { jaeger } }: Scene,
  asked: AskedQueries,
  { jobId, traceId }: TracedJob,
): Promise<string> {
  // The first value that a variable offers is chosen.
  const chosen = await Promise.all(
    choices().map(async (choice) => [choice.variable, (await asked.offered(choice))[0] ?? ''] as const),
  )
  const searches = traceSearches({ ...Object.fromEntries(chosen), jobId, organization: customers.first.orgId })
  const blind: string[] = []
  for (const search of searches) {
    const found = await tracesFound(jaeger, search)
    if (!found.includes(traceId) && search.title !== BY_DURATION)
      blind.push(
        `${search.title} (${search.service}, ${search.operation}, ${search.tags}) finds ${found.length} others`,
      )
  }
  if (searches.length === 0 || blind.length > 0) throw new Error(`\n  ${blind.join('\n  ')}`)
  return searches.map(({ title }) => title).join(', ')
}
