import { expect } from 'chai'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { ManualClock } from '../manual-clock.ts'
import { current, openedForEach } from '../opened.ts'
import { type Answer, type Setting, type StartedIngress, startIngress } from './started-ingress.ts'

type Organization = Awaited<ReturnType<StartedIngress['org']>>

/**
 * Starts an ingress with one organization before each test of the suite, and closes it afterwards.
 * @param setting called before each test
 */
export function eachIngress(setting: () => Setting, plan?: Plan) {
  const ingress = openedForEach(() => startIngress(setting()))
  let acme: Organization
  beforeEach(async () => {
    acme = await ingress.org(plan)
  })
  return { ingress, acme: current(() => acme) }
}

/** The same with a clock that the test moves. @param at its first instant, milliseconds since 1970 */
export function eachIngressInTime(plan?: Plan, at?: number) {
  let clock: ManualClock
  const each = eachIngress(() => {
    clock = new ManualClock(at)
    return { clock }
  }, plan)
  return { ...each, clock: current(() => clock) }
}

/** The status of an answer, and these fields of its body. */
export async function answerOf(asked: Promise<Answer>, ...fields: string[]): Promise<unknown[]> {
  const { status, body } = await asked
  return [status, ...fields.map((field) => body[field])]
}

/** Asserts that a GET with each of these queries is refused, and the answer names the parameter. */
export async function assertRefused(acme: Organization, path: string, wrong: Readonly<Record<string, string[]>>) {
  for (const [name, queries] of Object.entries(wrong))
    for (const query of queries) {
      const { status, body } = await acme.get(path + query)
      expect([status, body.error, body.details?.[0]?.path], query).to.deep.equal([400, 'invalid_request', name])
    }
}
