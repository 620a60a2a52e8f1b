import { expect } from 'chai'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { type Setting, type StartedIngress, startIngress } from './started-ingress.ts'

type Organization = Awaited<ReturnType<StartedIngress['org']>>

/** Stands for the object of the current test, which a hook makes. */
const current = <T extends object>(made: () => T): T =>
  new Proxy({} as T, {
    get: (_, name) => Reflect.get(made(), name),
    set: (_, name, value) => Reflect.set(made(), name, value),
    ownKeys: () => Reflect.ownKeys(made()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(made(), name),
  })

/**
 * Starts an ingress with one organization before each test of the suite, and closes it afterwards.
 * @param setting called before each test
 */
export function eachIngress(setting: () => Setting, plan?: Plan) {
  let ingress: StartedIngress
  let acme: Organization
  beforeEach(async () => {
    ingress = await startIngress(setting())
    acme = await ingress.org(plan)
  })
  afterEach(() => ingress[Symbol.asyncDispose]())
  return { ingress: current(() => ingress), acme: current(() => acme) }
}

/** Asserts that a GET with each of these queries is refused, and the answer names the parameter. */
export async function assertRefused(acme: Organization, path: string, wrong: Readonly<Record<string, string[]>>) {
  for (const [name, queries] of Object.entries(wrong))
    for (const query of queries) {
      const { status, body } = await acme.get(path + query)
      expect([status, body.error, body.details?.[0]?.path], query).to.deep.equal([400, 'invalid_request', name])
    }
}
