import { credits } from '#packages/domain/credits/credits.ts'
import { job } from '#packages/domain/job/job.ts'
import { key } from '#packages/domain/key/key.ts'
import { organization } from '#packages/domain/organization/organization.ts'
import { asJson } from '#packages/history/as-json.ts'
import { changesOf } from '#packages/history/changes.ts'
import {
  compareDeciders,
  type Rivals,
  type RuleComparison,
  type RuleDifference,
  type Rules,
} from '#packages/history/compare-deciders.ts'
import { recordedCommands } from '#packages/history/recorded-command.ts'
import type { CommandOf, DeciderName, Print } from './command.ts'
import { loadDecider } from './load-module.ts'
import type { History } from './open-history.ts'
import { Progress } from './progress.ts'

/** How many fields of a difference people are shown, and how many characters of each. */
const SHOWN = { fields: 8, characters: 80 }

const presentRules: Record<DeciderName, unknown> = { job, credits, key, organization }

/**
 * Compares a changed decider with that of the code, over the history.
 * @returns whether they are the same to it
 */
export async function diff(
  history: History,
  { decider, file, from, to, json }: CommandOf<'diff'>,
  print: Print,
): Promise<boolean> {
  const rivals = {
    prefix: `${decider}-`,
    present: presentRules[decider],
    changed: (await loadDecider(file, decider)) as Rules<unknown, unknown>,
    commandOf: recordedCommands[decider],
  } as Rivals<unknown, unknown>
  const progress = new Progress()
  const range = { from, to, after: history.beginAt(from) }
  const found = await compareDeciders(history.store, rivals, { ...range, tell: (events) => progress.tell(events) })
  progress.end(found.events)
  for (const line of json ? [asJson(found)] : linesOf(found)) print(line)
  return found.differingStates + found.differingDecisions === 0
}

function linesOf({ differences, ...counts }: RuleComparison): string[] {
  const { streams, differingStates, decisions, differingDecisions } = counts
  const summary = [
    `${differingStates} of ${streams} streams end differently`,
    `${differingDecisions} of ${decisions} decisions would have been others`,
  ]
  return [...differences.map(lineOf), summary.join('; ')]
}

function lineOf({ what, stream, revision, present, changed }: RuleDifference): string {
  const changes = changesOf(present, changed)
  const shown = changes
    .slice(0, SHOWN.fields)
    .map(({ path, one, other }) => `${path} ${shortened(one)} → ${shortened(other)}`)
  const more = changes.length > SHOWN.fields ? `, and ${changes.length - SHOWN.fields} more` : ''
  return `${stream} #${revision} ${what === 'state' ? 'ends' : 'is decided'} with ${shown.join(', ')}${more}`
}

function shortened(value: unknown): string {
  const text = value === undefined ? 'nothing' : asJson(value)
  return text.length > SHOWN.characters ? `${text.slice(0, SHOWN.characters)}…` : text
}
