import { credits } from '#packages/domain/credits/credits.ts'
import { job } from '#packages/domain/job/job.ts'
import { key } from '#packages/domain/key/key.ts'
import { organization } from '#packages/domain/organization/organization.ts'
import { watch } from '#packages/domain/watch/watch.ts'
import { delivery } from '#packages/domain/webhook/delivery.ts'
import { webhook } from '#packages/domain/webhook/webhook.ts'
import type { Projection } from '#packages/events/views/projection.ts'
import { projections } from '#packages/events/views/projections.ts'
import { asJson } from '#packages/history/questions/as-json.ts'
import { changesOf } from '#packages/history/questions/changes.ts'
import {
  compareDeciders,
  type Rivals,
  type RuleComparison,
  type Rules,
  type StateDifference,
} from '#packages/history/questions/compare-deciders.ts'
import { compareProjections } from '#packages/history/questions/verify/compare-projections.ts'
import type { CommandOf, DeciderName, Print } from './command.ts'
import { loadDecider, loadViewProjection } from './load-module.ts'
import type { History } from './open-history.ts'
import { Progress } from './progress.ts'

/** Limits for people: fields of a difference, and characters of a field. */
const SHOWN = { fields: 8, characters: 80 }

const presentRules: Record<DeciderName, unknown> = { job, credits, key, organization, webhook, delivery, watch }

/**
 * Compares a changed decider or projection with the current code, over the history.
 * @returns whether both give the same results
 */
export function diff(history: History, command: CommandOf<'diff'>, print: Print): Promise<boolean> {
  const { rules } = command
  return 'decider' in rules
    ? diffDecider(history, rules.decider, command, print)
    : diffProjection(history, rules.projection, command, print)
}

async function diffProjection(
  { store }: History,
  name: string,
  { file, to, json }: CommandOf<'diff'>,
  print: Print,
): Promise<boolean> {
  const present = projections.find((projection) => projection.name === name) as Projection
  const changed = (await loadViewProjection(file, name)) as Projection
  const progress = new Progress()
  const found = await compareProjections(store, { present, changed }, { to, tell: (events) => progress.tell(events) })
  progress.end(found.events)
  const { documents, differing, differences } = found
  const lines = [
    ...differences.map(({ collection, id, ...made }) => `${collection} ${id} holds ${changesBetween(made)}`),
    `${differing} of ${documents} documents differ`,
  ]
  for (const line of json ? [asJson(found)] : lines) print(line)
  return differing === 0
}

async function diffDecider(
  history: History,
  decider: DeciderName,
  { file, from, to, json }: CommandOf<'diff'>,
  print: Print,
): Promise<boolean> {
  const rivals = {
    prefix: `${decider}-`,
    present: presentRules[decider],
    changed: (await loadDecider(file, decider)) as Rules<unknown>,
  } as Rivals<unknown>
  const progress = new Progress()
  const range = { from, to, after: history.beginAt(from) }
  const found = await compareDeciders(history.store, rivals, { ...range, tell: (events) => progress.tell(events) })
  progress.end(found.events)
  for (const line of json ? [asJson(found)] : linesOf(found)) print(line)
  return found.differingStates === 0
}

const linesOf = ({ differences, differingStates, streams }: RuleComparison): string[] => [
  ...differences.map(lineOf),
  `${differingStates} of ${streams} streams end differently`,
]

const lineOf = ({ stream, revision, ...states }: StateDifference): string =>
  `${stream} #${revision} ends with ${changesBetween(states)}`

function changesBetween({ present, changed }: { present: unknown; changed: unknown }): string {
  const changes = changesOf(present, changed)
  const shown = changes
    .slice(0, SHOWN.fields)
    .map(({ path, one, other }) => `${path} ${shortened(one)} → ${shortened(other)}`)
  const more = changes.length > SHOWN.fields ? `, and ${changes.length - SHOWN.fields} more` : ''
  return `${shown.join(', ')}${more}`
}

function shortened(value: unknown): string {
  const text = value === undefined ? 'nothing' : asJson(value)
  return text.length > SHOWN.characters ? `${text.slice(0, SHOWN.characters)}…` : text
}
