import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { granted as grantOf } from '#packages/domain/credits/credits.fixture.ts'
import { describeEventStore } from '#packages/ports/event-store.contract.ts'
import type { EventStore, NewEvent } from '#packages/ports/event-store.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { MemoryEventStore, MemoryEvents } from '#test/doubles/memory-event-store.ts'
import { ScriptedStore } from '#test/doubles/scripted-store.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { metrics } from './metrics.ts'
import { names } from './names.ts'
import { noTelemetry } from './telemetry.ts'
import { tracedEventStore } from './traced-event-store.ts'
import { spanIdOf, traceIdOf } from './traceparent.ts'

describeEventStore('tracedEventStore', async () => {
  const events = new MemoryEvents()
  return {
    open: async () =>
      tracedEventStore(new MemoryEventStore({ clock, events }), { telemetry: noTelemetry, system: 'memory' }),
    scavenge: async () => events.scavenge(1500),
    async [Symbol.asyncDispose]() {},
  }
})

const one = `00-${'1'.repeat(32)}-${'a'.repeat(16)}-01`
const other = `00-${'2'.repeat(32)}-${'b'.repeat(16)}-01`
const unsampled = `00-${'3'.repeat(32)}-${'c'.repeat(16)}-00`

const granted = (traceparent: string): NewEvent => ({
  ...grantOf(1, 'adjustment'),
  id: crypto.randomUUID(),
  metadata: { orgId: 'acme', correlationId: 'c', causationId: 'c', traceparent },
})

describe('an append that is traced', () => {
  let telemetry: RecordingTelemetry
  let faulty: ScriptedStore
  let store: EventStore

  beforeEach(() => {
    telemetry = new RecordingTelemetry()
    faulty = new ScriptedStore(new MemoryEventStore({ clock }))
    store = tracedEventStore(faulty, { telemetry, system: 'memory' })
  })

  it('is a span in every recorded trace of its events, each a child of the span that they name', async () => {
    await store.append('credits-acme', 'no-stream', [one, one, other, unsampled].map(granted))
    expect(telemetry.spans.map(({ name, kind }) => [name, kind])).to.deep.equal([
      ['append credits', 'client'],
      ['append credits', 'client'],
    ])
    const places = telemetry.spans.map(({ traceparent, parentId }) => [traceIdOf(traceparent), parentId])
    expect(places).to.deep.equal([one, other].map((each) => [traceIdOf(each), spanIdOf(each)]))
    for (const { traceparent, error, attributes, startedAt, endedAt } of telemetry.spans) {
      expect([one, other].map(spanIdOf)).to.not.include(spanIdOf(traceparent))
      expect(endedAt).to.be.above(startedAt)
      expect(error).to.equal(undefined)
      expect(attributes).to.deep.equal({
        [names.dbSystem]: 'memory',
        [names.dbOperation]: 'append',
        [names.dbCollection]: 'credits',
        [names.outcome]: 'ok',
      })
    }
  })

  it('is measured once, by the category of its stream and its outcome', async () => {
    await store.append('credits-acme', 'no-stream', [granted(one)])
    await failureOf(store.append('credits-acme', 'no-stream', [granted(one)]))
    faulty.fault = () => Promise.reject(Object.assign(new Error('gone'), { code: 'unreachable' }))
    await failureOf(store.append('credits-acme', 0, [granted(unsampled), granted(other)]))
    expect(telemetry.valuesOf(metrics.appendDuration).map(({ attributes }) => attributes)).to.deep.equal(
      ['ok', 'conflict', 'failed'].map((outcome) => ({
        [names.dbCollection]: 'credits',
        [names.outcome]: outcome,
      })),
    )
    // A conflict does not fail a trace.
    expect(telemetry.spans.map(({ error }) => error)).to.deep.equal([undefined, undefined, 'unreachable'])
  })

  it('that extends a lease is measured, and is not a span', async () => {
    faulty.fault = async () => ({ revision: 0, position: 1 })
    const { id, metadata } = granted(one)
    await store.append('job-1', 3, [
      { type: 'LeaseExtended', data: { step: 'fetch', attempt: 1, leaseSeconds: 30 }, id, metadata },
    ])
    expect(telemetry.spans).to.deep.equal([])
    expect(telemetry.valuesOf(metrics.appendDuration)).to.have.length(1)
  })

  it('names streams by their category, never by their owner', async () => {
    faulty.fault = async () => ({ revision: 0, position: 1 })
    for (const stream of ['job-1', 'credits-1-2', 'key-x', 'organization-x-y'])
      await store.append(stream, 'no-stream', [granted(one)])
    const categories = ['job', 'credits', 'key', 'organization']
    expect(telemetry.spans.map(({ name }) => name)).to.deep.equal(categories.map((category) => `append ${category}`))
  })
})
