import { expect } from 'chai'
import { pino } from 'pino'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { perStep } from '#packages/domain/job/events.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { createCustomers } from '#test/bench/service/customers.ts'
import { jobAcceptor } from '#test/bench/service/job-acceptor.ts'
import { noopSteps } from '#test/bench/service/noop-steps.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { until } from '#test/doubles/service/until.ts'
import { noSources } from '#test/doubles/watches/no-sources.ts'
import { components } from './components.ts'
import { runTogether } from './run-together.ts'

describe('all components in one process', () => {
  it('take a job of three steps to settlement with six appends and one task', async () => {
    const store = new MemoryEventStore({ clock })
    const queue = new MemoryWorkQueue()
    const appends: string[] = []
    const published: string[] = []
    const [append, appendTogether] = [store.append.bind(store), store.appendTogether.bind(store)]
    const publish = queue.publish.bind(queue)
    store.append = (stream, expected, events) => {
      appends.push(events.map(({ type }) => type).join(', '))
      return append(stream, expected, events)
    }
    store.appendTogether = (all) => {
      appends.push(all.flatMap(({ events }) => events.map(({ type }) => type)).join(', '))
      return appendTogether(all)
    }
    queue.publish = (task) => {
      published.push(task.step)
      return publish(task)
    }
    const log = pino({ level: 'silent' })
    const views = new MemoryViews({ clock, definition, documents: new MemoryDocuments() })
    const ledgers = new Ledgers({ store, clock, ids })
    const own = { attempts: new AttemptsUnderWay(), processors: new Map() }
    const ports = { store, queue, views, ledgers, clock, ids, log, telemetry: noTelemetry, ...own }
    const options = {
      works: noopSteps(() => {}),
      slots: perStep(() => 2),
      worker: 'w1',
      leaseSeconds: 30,
      windowSeconds: 60,
      releaseClaimsAtStart: true,
      dropCached: async () => {},
      watches: noSources,
      batches: {
        readSource: () => Promise.reject(),
        dateOf: () => Promise.reject(),
        acceptance: ingressDefaults,
        paceFactor: 1,
      },
      webhooks: {
        secrets: { addressOf: async () => undefined, removalOf: async () => async () => {} },
        send: () => Promise.reject(),
        linkBase: '',
      },
    }
    const parts = Object.values(components).map((make) => make(ports, options))
    const running = runTogether(parts, new AbortController().signal)
    try {
      await running.whenAll(parts.map(({ ready }) => ready))
      const [customer] = await createCustomers(store, 1)
      if (customer === undefined) throw new Error('there is no customer')
      appends.length = 0
      await jobAcceptor({ ...ports, windowSeconds: 60 })(customer)
      await until('the job is settled', () => appends.at(-1) === 'CreditsSettled')
    } finally {
      await running[Symbol.asyncDispose]()
    }
    expect(appends).to.deep.equal([
      'CreditsDebited, JobRequested',
      'StepStarted',
      'VideoFetched, StepStarted',
      'CaptionsUnavailable, StepStarted',
      'SpeechTranscribed, JobCompleted',
      'CreditsSettled',
    ])
    expect(published).to.deep.equal(['fetch'])
  })
})
