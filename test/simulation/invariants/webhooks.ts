import { deliveryIdOf } from '#packages/ports/ids.ts'
import type { Receiver, Reception } from '../receivers.ts'
import type { Check, History } from './history.ts'
import { type EventOf, ofType } from './raw-events.ts'

/**
 * Invariant 15: a webhook gets everything that it asks for, at least once and under one id, even if its receiver was
 * away for a day, and nothing else. A webhook is switched off if its receiver never returns.
 */
export const webhooksAreTold: Check = (history) =>
  history.world.receivers.all.flatMap((receiver) => [
    ...untold(history, receiver),
    ...wronglyTold(history, receiver),
    ...notSwitchedOff(history, receiver),
  ])

const isTaking = ({ manner }: Receiver): boolean => manner === 'well' || manner === 'away for a day'

const typeOf = ({ data }: EventOf<'CreditsSettled'>): 'job.completed' | 'job.failed' =>
  data.reason === 'completed' ? 'job.completed' : 'job.failed'

/** Whether it asks for the end of a job. */
const asksFor =
  ({ jobs }: History, { id, kind, orgId, events: wanted }: Receiver) =>
  (settled: EventOf<'CreditsSettled'>): boolean => {
    if (settled.metadata.orgId !== orgId || settled.data.batch?.isTold === false) return false
    if (kind === 'endpoint') return wanted.includes(typeOf(settled))
    const first = jobs.get(settled.data.jobId)?.[0]
    return first?.type === 'JobRequested' && first.data.webhookId === id
  }

/** The ends of jobs that it should get. */
function wanted(history: History, receiver: Receiver): EventOf<'CreditsSettled'>[] {
  const { settlements, removals, world } = history
  const { orgId } = receiver
  const isClosed = world.record.closings.some((closing) => closing.orgId === orgId)
  if (isClosed) return []
  return [...settlements.values()]
    .flatMap(([first]) => first ?? [])
    .filter(asksFor(history, receiver))
    .filter(({ data }) => !removals.has(`job-${data.jobId}`))
}

const takenBy = ({ world }: History, { id }: Receiver): Reception[] =>
  world.receivers.receptions.filter(({ webhookId }) => webhookId === id)

function untold(history: History, receiver: Receiver): string[] {
  if (!isTaking(receiver)) return []
  const told = new Set(takenBy(history, receiver).map(({ deliveryId }) => deliveryId))
  return wanted(history, receiver)
    .filter(({ data }) => !told.has(deliveryIdOf(receiver.id, data.jobId)))
    .map(({ data }) => `${receiver.host} was not told of the end of ${data.jobId}`)
}

/** Deliveries that it did not ask for, that are untrue, or that differ the second time. */
function wronglyTold(history: History, receiver: Receiver): string[] {
  const problems: string[] = []
  const bodies = new Map<string, string>()
  for (const { deliveryId, body } of takenBy(history, receiver)) {
    const { type, data } = JSON.parse(body)
    if ((bodies.get(deliveryId) ?? body) !== body) problems.push(`${receiver.host} was told ${deliveryId} in two ways`)
    bodies.set(deliveryId, body)
    if (data.jobId === undefined) {
      if (!receiver.events.includes(type)) problems.push(`${receiver.host} was told of ${type}`)
      continue
    }
    const settled = history.settlements.get(data.jobId)?.[0]
    if (settled === undefined || typeOf(settled) !== type || !asksFor(history, receiver)(settled))
      problems.push(`${receiver.host} was told ${type} of ${data.jobId}`)
  }
  return problems
}

function notSwitchedOff({ events, removals }: History, { id, host, manner }: Receiver): string[] {
  const stream = `webhook-${id}`
  if (removals.has(stream)) return []
  const off = ofType(events, 'WebhookSwitchedOff').find((event) => event.stream === stream)
  const wasAsked = ofType(events, 'DeliveryEnded').some(
    ({ data }) => data.webhookId === id && data.outcome === 'failed',
  )
  const expected = { 'away for good': 'failing', gone: 'gone', well: undefined, 'away for a day': undefined }[manner]
  // A crash after the switch leaves no failed delivery: the next owner drops it, because its webhook is off.
  const isRight = off === undefined ? expected === undefined || !wasAsked : off.data.reason === expected
  return isRight ? [] : [`${host}, ${manner}, is off for ${off?.data.reason}, not for ${expected}`]
}
