import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { steps } from '#packages/domain/job/events.ts'
import type { OrchestratorNote } from '#packages/events/views/orchestrator-note.ts'
import type { Acceptance, Application } from '#packages/jobs/acceptance/acceptance.ts'
import { idOfKey } from '#packages/jobs/acceptance/keyed-jobs.ts'
import {
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  RevisionConflictError,
} from '#packages/ports/event-store.ts'
import { streams, uuidFrom } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import type { ComponentPorts as Ports } from '#services/host/components.ts'

/** Breaks a rule of the service on purpose, component by component, to show that a run can fail. */
export type Mutation = {
  ports?(component: string, ports: Ports): Partial<Ports>
  acceptance?(make: (ports: Ports) => Acceptance, ports: Ports): Pick<Acceptance, 'accept'>
}

const works = (component: string): boolean => steps.some((step) => step === component)

/** A mutation of the ports of one component alone. */
const ofOne = (mutated: string, ports: (given: Ports) => Partial<Ports>): Mutation => ({
  ports: (component, given) => (component === mutated ? ports(given) : {}),
})

/** The same port with some methods replaced. */
const replaced = <P extends object>(port: P, methods: Partial<P>): P => ({ ...port, ...methods })

type StoreMethods = (store: EventStore) => Partial<EventStore>

/** A mutation of the store of one component alone. */
const storeOf = (mutated: string, methods: StoreMethods): Mutation =>
  ofOne(mutated, ({ store }) => ({ store: replaced(store, methods(store)) }))

/** A mutation of the stores of all workers. */
const storeOfWorkers = (methods: StoreMethods): Mutation => ({
  ports: (component, { store }) => (works(component) ? { store: replaced(store, methods(store)) } : {}),
})

async function appendAnywhere(
  store: EventStore,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<{ revision: number; position: number }> {
  try {
    return await store.append(stream, expected, events)
  } catch (error) {
    if (!(error instanceof RevisionConflictError)) throw error
    return appendAnywhere(store, stream, error.actual, events)
  }
}

/** Claims and results are appended wherever the stream ends. */
const withoutFencing = storeOfWorkers((store) => ({ append: (...call) => appendAnywhere(store, ...call) }))

/** A job is cancelled wherever its stream ends, also after its end. */
const withoutFencedCancellations = storeOf('ingress', (store) => {
  const isCancelled = ({ type, data }: NewEvent): boolean => type === 'JobFailed' && data.code === 'cancelled'
  return { append: (...call) => (call[2].some(isCancelled) ? appendAnywhere(store, ...call) : store.append(...call)) }
})

/** The same ledgers, with another `execute`. */
function executing(ledgers: Ledgers, execute: Ledgers['execute']): Ledgers {
  const known: Ledgers['known'] = (orgId) => ledgers.known(orgId)
  const take: Ledgers['take'] = (batch) => ledgers.take(batch)
  return Object.assign(Object.create(ledgers), { execute, known, take }) as Ledgers
}

/** A settlement is written whether the debit is open or not. */
const withoutIdempotentSettlement = ofOne('orchestrator', ({ store, ledgers, ids }) => {
  const execute: Ledgers['execute'] = async (orgId, entry) => {
    if (entry.command.type !== 'settle') return ledgers.execute(orgId, entry)
    const { jobId, charged, reason } = entry.command
    const stream = streams.credits(orgId)
    const events = await store.read(stream)
    const debit = events.find(({ type, data }) => type === 'CreditsDebited' && data.jobId === jobId)
    const credits = debit?.type === 'CreditsDebited' ? debit.data.credits : 0
    const kept = Math.min(charged, credits)
    const purpose = { operation: 'transcript', mode: 'auto', platform: 'direct', keyId: null, batch: null } as const
    const data = { jobId, charged: kept, refunded: credits - kept, reason, ...purpose }
    const settled = { type: 'CreditsSettled', data, id: ids.uuid(), metadata: entry.metadata } as const
    await appendAnywhere(store, stream, events.length - 1, [settled])
    return { type: 'done' }
  }
  return { ledgers: executing(ledgers, execute) }
})

/** The jobs of batches are paid from the balance, in addition to what is held for them. */
const withoutHolds = ofOne('batches', ({ ledgers }) => {
  const execute: Ledgers['execute'] = (orgId, { command, ...entry }, options) => {
    const isDebit = command.type === 'debit'
    const unheld = isDebit ? { ...command, purpose: { ...command.purpose, batch: null } } : command
    return ledgers.execute(orgId, { ...entry, command: unheld }, options)
  }
  return { ledgers: executing(ledgers, execute) }
})

/** The note of the orchestrator, changed before it is stored. */
const changedNotes = (views: Views, change: (note: OrchestratorNote) => OrchestratorNote): Views =>
  replaced(views, { putNote: (id, note) => views.putNote(id, change(note as OrchestratorNote)) })

/** The orchestrator's checkpoint is the position that it has read to, whichever jobs are still open. */
const withoutCheckpointRule = ofOne('orchestrator', ({ store, views }) => {
  let position = 0
  return {
    store: replaced(store, {
      async *follow(options) {
        for await (const batch of store.follow(options)) {
          position = batch.position
          yield batch
        }
      },
    }),
    views: changedNotes(views, (note) => ({ ...note, checkpoint: Math.max(position, note.checkpoint) })),
  }
})

/** The note does not name stuck jobs, so they no longer hold the checkpoint back. */
const withoutNotedJobs = ofOne('orchestrator', ({ views }) => ({
  views: changedNotes(views, (note) => ({ ...note, noted: [] })),
}))

/** The first process that becomes the owner stays the owner. Others stand by for ever. */
const withoutTakingOver = (
  service: 'orchestrator' | 'projections' | 'webhooks' | 'batches',
  name: 'ownership' | 'viewsOwnership' | 'webhooksOwnership' | 'batchesOwnership',
): Mutation => ({
  ports(component, ports) {
    const given = ports[name]
    if (component !== service || given === undefined) return {}
    const first = {
      async *owned(signal: AbortSignal): AsyncIterable<boolean> {
        let isFirst = true
        for await (const isOwner of given.owned(signal)) {
          if (isFirst) yield isOwner
          isFirst = false
        }
      },
    }
    return { [name]: first }
  },
})

/** A task is published once and never again. */
const withoutRepublication = ofOne('orchestrator', ({ queue }) => {
  const published = new Set<string>()
  const publish: WorkQueue['publish'] = async (task) => {
    const name = `${task.jobId} ${task.revision}`
    if (published.has(name)) return
    published.add(name)
    await queue.publish(task)
  }
  return { queue: replaced(queue, { publish }) }
})

/**
 * The job's stream is read once, before the ledger: events between the two reads are missed, and the stream is not read
 * again.
 */
const withJobReadBeforeLedger: Mutation = {
  acceptance: (make, ports) => ({
    async accept(application: Application) {
      const { request, idempotencyKey, metadata } = application
      const { store, ledgers } = ports
      if (idempotencyKey === undefined) return make(ports).accept(application)
      const stream = streams.job(idOfKey({ orgId: metadata.orgId, kind: request.kind, key: idempotencyKey }, 0))
      const early = await store.read(stream)
      let debited = false
      const read: EventStore['read'] = async (from, options) =>
        debited || from !== stream ? store.read(from, options) : early
      const execute: Ledgers['execute'] = async (orgId, entry) => {
        debited = true
        const begins = entry.begins && ({ ...entry.begins, absentAt: 'always' } as const)
        return ledgers.execute(orgId, { ...entry, ...(begins && { begins }) })
      }
      return make({ ...ports, ledgers: executing(ledgers, execute), store: replaced(store, { read }) }).accept(
        application,
      )
    },
  }),
}

/** A key may take as many credits as its organization has. */
const withoutMonthlyCredits: Mutation = {
  acceptance: (make, ports) => ({
    accept: (application: Application) => make(ports).accept({ ...application, monthlyCredits: null }),
  }),
}

/** An ingress reads keys as if none expired. */
const withoutExpiry = storeOf('ingress', (store) => ({
  read: async (...asked) =>
    (await store.read(...asked)).map((event) =>
      event.type === 'KeyCreated' ? { ...event, data: { ...event.data, expiresAt: null } } : event,
    ),
}))

/** Two workers that claim the same task give their claims the same id. */
const withSharedClaimIds = storeOfWorkers((store) => ({
  append(stream, expected, events) {
    const shared = events.map((event) =>
      event.type === 'StepStarted' ? { ...event, id: uuidFrom(stream, expected, event.data.attempt) } : event,
    )
    return store.append(stream, expected, shared)
  },
}))

/** An ingress treats no stream as removed: the key of a forgotten job stands for a new one. */
const withForgottenKeys = storeOf('ingress', () => ({ isRemoved: async () => false }))

/** Only the process that decides a removal carries it out. If it is cut off, the removal is never finished. */
const withoutCarryingOut = storeOf('retention', () => ({ remove: async () => {} }))

/** The views keep what was removed. */
const withoutRemovedDocuments = storeOf('projections', (store) => ({
  async *follow(options) {
    for await (const batch of store.follow(options))
      yield { ...batch, events: batch.events.filter(({ type }) => type !== 'StreamsRemoved') }
  },
}))

/** A ledger also loses the event at which it should begin. */
const withTruncatedStatements = storeOf('sweeper', (store) => ({
  truncate: (stream, before) => store.truncate(stream, before + 1),
}))

/** A delivery has one attempt. */
const withoutRetries = storeOf('webhooks', (store) => ({
  append(stream, expected, events) {
    const [first] = events
    if (first?.type !== 'DeliveryAttempted' || events.length > 1) return store.append(stream, expected, events)
    const attempted = { ...first, data: { ...first.data, nextInSeconds: null } }
    const data = { webhookId: 'any', outcome: 'failed' } as const
    const ended = { ...first, type: 'DeliveryEnded' as const, data, id: uuidFrom('ended', first.id) }
    return store.append(stream, expected, [attempted, ended])
  },
}))

/** Results count as the asker's own, whoever asks. */
const withResultsOfOthers: Mutation = {
  acceptance(make, ports) {
    const asked = new Set<string>()
    return {
      accept(application: Application) {
        const { orgId } = application.metadata
        asked.add(orgId)
        const page: Views['page'] = (name, question) =>
          ports.views.page(name, { ...question, where: { ...question.where, orgId: [...asked] } })
        const read: EventStore['read'] = async (...call) =>
          (await ports.store.read(...call)).map((event) =>
            event.type === 'JobRequested' ? { ...event, data: { ...event.data, orgId } } : event,
          )
        const mutated = { views: replaced(ports.views, { page }), store: replaced(ports.store, { read }) }
        return make({ ...ports, ...mutated }).accept(application)
      },
    }
  },
}

/** Rules of the service, each with the service without it. */
export const mutations: Readonly<Record<string, Mutation>> = {
  'the fencing of claims and results': withoutFencing,
  'the fencing of cancellations': withoutFencedCancellations,
  'the idempotency of settlements': withoutIdempotentSettlement,
  'the checkpoint rule': withoutCheckpointRule,
  'the note of stuck jobs': withoutNotedJobs,
  're-publication': withoutRepublication,
  'taking over the jobs': withoutTakingOver('orchestrator', 'ownership'),
  'taking over the views': withoutTakingOver('projections', 'viewsOwnership'),
  'taking over the deliveries': withoutTakingOver('webhooks', 'webhooksOwnership'),
  'the credits that a batch holds': withoutHolds,
  'taking over the batches': withoutTakingOver('batches', 'batchesOwnership'),
  'the retries of deliveries': withoutRetries,
  'reading the ledger before the job': withJobReadBeforeLedger,
  'the id rule for claims': withSharedClaimIds,
  'the monthly credits of keys': withoutMonthlyCredits,
  'the expiry of keys': withoutExpiry,
  'the keys of forgotten jobs': withForgottenKeys,
  'carrying out the removals of others': withoutCarryingOut,
  'the removal of documents': withoutRemovedDocuments,
  'the owner of a reused result': withResultsOfOthers,
  'the statement of a truncated ledger': withTruncatedStatements,
}
