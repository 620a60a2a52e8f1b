import { integrityProblem } from '#packages/adapters/sqlite/copy-database.ts'
import type { EndMark } from '#packages/adapters/sqlite/end-mark.ts'
import { verifyEventFile } from '#packages/adapters/sqlite/verify.ts'
import type { StoreName } from './backup-manifest.ts'
import { Progress } from './progress.ts'

/**
 * The problem of a store's copy, in words; undefined if there is none.
 * @param mark the end that the events must reach, if known
 */
export function copyProblem(store: StoreName, path: string, mark?: EndMark): string | undefined {
  return store === 'events' ? eventProblem(path, mark) : integrityProblem(path)
}

function eventProblem(path: string, mark: EndMark | undefined): string | undefined {
  const progress = new Progress()
  const [first] = verifyEventFile(path, ({ events }) => progress.tell(events), mark).findings
  return first && `${first.problem}${first.position === undefined ? '' : `, position ${first.position}`}`
}
