import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { components } from '#services/host/components.ts'
import { processesOf } from './processes.ts'
import { World } from './world.ts'

/** Names of the classes that a source file makes with `new`, each once. */
function madeIn(path: string): string[] {
  const source = readFileSync(path, 'utf8')
  return [...new Set(Array.from(source.matchAll(/\bnew ([A-Z]\w+)/g), ([, name]) => name ?? ''))].sort()
}

/** Parts of the ingress that the simulation leaves out, with reasons. */
const leftOut: Readonly<Record<string, string>> = {
  AbortController: 'not a part',
  Answers: 'writes HTTP',
  BatchBodies: 'reads a body in a thread, before anything is written',
  ConcurrencyLimit: 'counts answers that last, in one process, and nothing outlives it',
  Deliveries: 'appends what one person asks for to a stream of its own; what is delivered is in every run',
  EndWaits: 'counts requests that wait, in one process, and nothing outlives it',
  Error: 'not a part',
  Estimates: 'reads, and writes nothing',
  LoopMonitor: 'shows operators what has held a real thread',
  Lookups: 'reads platforms while a caller waits; it writes nothing and knows no job',
  OrganizationDetails: 'plans and names for rate limits and GET /v1/me',
  RateLimits: 'counts requests in one process, and nothing outlives it',
  Readiness: 'shows operators problems that other parts have found',
  RequestScheduler: 'shares the turns of a real event loop among connections',
  SchemaChecks: 'refuses schemas in a thread, before anything is written',
  Watches: 'as Webhooks; services/watches simulates ten days of one, with failures and crashes',
  Webhooks: 'appends what one person asks for to a stream of its own; runs begin with webhooks',
}

describe('the wiring of the simulation', () => {
  const parts = Array.from({ length: 40 }, (_, seed) => {
    const processes = processesOf(new World(seed, { keepsTrace: false, mutation: {} }))
    return new Set(processes.flatMap((process) => process.parts))
  })

  it('runs every component that npm start runs, in every seed, from the same table', () => {
    const names = Object.keys(components)
    expect(names).to.have.length.greaterThan(0)
    const others = new Set<string>(['operator', 'ingress', 'sweeper'])
    for (const run of parts) expect([...run].filter((part) => !others.has(part))).to.have.members(names)
  })

  it('makes no component outside of that table', () => {
    const serve = readFileSync('services/host/serve.ts', 'utf8')
    expect(serve).to.contain("from './components.ts'").and.to.contain('Object.keys(components)')
    const made = ['services/host/serve.ts', 'services/host/surface.ts'].flatMap(madeIn)
    const parts = [...new Set(made)].filter((name) => name !== 'AbortController').sort()
    // Parts that the simulation leaves out: people's accounts, because packages/accounts/people/sign-up-crash.test.ts
    // cuts off their writes everywhere; the secrets of webhooks, which are stored beside them; the disk; and a limit
    // around steps that the simulation replaces (test/attacks/unpaid-bursts.test.ts).
    const known = [
      'AttemptsUnderWay',
      'DiskSpace',
      'Ledgers',
      // Reads platforms: the sources of batches are part of the run.
      'Map',
      'Readiness',
      'Set',
      'UnpaidLimit',
      'WebhookSecrets',
    ]
    expect(parts).to.deep.equal(known)
    expect(madeIn('services/host/main.ts')).to.deep.equal(['DisposableStack'])
  })

  it('makes what the ingress makes, except what is named here', () => {
    const ingress = ['services/ingress/ingress.ts', 'services/ingress/shared.ts']
    const sources = [...ingress, 'packages/jobs/acceptance/create-acceptance.ts']
    const wanted = sources.flatMap(madeIn).filter((name) => !Object.hasOwn(leftOut, name))
    expect(wanted).to.include.members(['Acceptance', 'JobWatch', 'KeyRing', 'LaneAdmission'])
    expect(madeIn('test/simulation/ingress-node.ts')).to.include.members(wanted)
  })
})
