import { type PartName, partNames } from './serve.ts'

/**
 * The parts that each process of the distributed mode serves by default. A job stays in a process that serves its next
 * step too, so the light steps are together. The heavy ones are apart.
 */
export const processes: readonly (readonly PartName[])[] = [
  ['ingress'],
  ['orchestrator'],
  ['projections'],
  ['retention'],
  ['webhooks'],
  ['batches'],
  ['watches'],
  ['fetch', 'caption'],
  ['speech-to-text'],
  ['extract'],
]

/** The name of a process in logs, metrics, traces and ops/compose.yaml. */
export const processName = (parts: readonly PartName[]): string => parts.join('-')

/** The parts in a list such as `fetch,caption`; undefined if one is unknown or listed twice. */
export function partsOf(list: string): PartName[] | undefined {
  const words = list.split(',')
  const parts = partNames.filter((name) => words.includes(name))
  return parts.length === words.length ? parts : undefined
}

/**
 * The processes of these lists, such as `fetch,caption`; without any, the default ones.
 * @throws Error the lists do not name every part once
 */
export function processesOf(lists: readonly string[]): readonly (readonly PartName[])[] {
  if (lists.length === 0) return processes
  const chosen = lists.map((list) => partsOf(list) ?? [])
  if (chosen.flat().sort().join() !== [...partNames].sort().join())
    throw new Error(`name each service once, with commas between those of one process: ${partNames.join(', ')}`)
  return chosen
}
