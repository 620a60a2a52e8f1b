import { type PartName, partNames } from './serve.ts'

/**
 * What each process of the distributed mode serves, unless an operator chooses otherwise. A job stays in the process that
 * serves its next step as well, so the light steps are together; those that need much of a machine are apart.
 */
export const processes: readonly (readonly PartName[])[] = [
  ['ingress'],
  ['orchestrator'],
  ['projections'],
  ['retention'],
  ['webhooks'],
  ['fetch', 'caption'],
  ['speech-to-text'],
  ['extract'],
]

/** The name of a process in logs, metrics, traces and ops/compose.yaml. */
export const processName = (parts: readonly PartName[]): string => parts.join('-')

/** The parts in a list such as `fetch,caption`; undefined where one of them is none, or comes twice. */
export function partsOf(list: string): PartName[] | undefined {
  const words = list.split(',')
  const parts = partNames.filter((name) => words.includes(name))
  return parts.length === words.length ? parts : undefined
}
