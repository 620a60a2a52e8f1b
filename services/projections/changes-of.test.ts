import { expect } from 'chai'
import { jobs } from '#packages/events/views/jobs.ts'
import { keys } from '#packages/events/views/keys.ts'
import type { Projection } from '#packages/events/views/projection.ts'
import { projections } from '#packages/events/views/projections.ts'
import { usage } from '#packages/events/views/usage.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { GuardedWrite } from '#packages/ports/views.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { type ChangeStep, changesOf, removedKeys, type Step, stepsOf } from './changes-of.ts'

const add = (position: number, id = 'a'): ChangeStep => ({
  collection: 'notes',
  position,
  id,
  next: (current) => ({ seen: [...((current?.seen as number[]) ?? []), position] }),
})
const remove = (position: number, removes: { id: string } | { idPrefix: string } = { id: 'a' }): Step => {
  return { collection: 'notes', position, removes }
}
const held = (position: number, id = 'a', collection = 'notes'): GuardedWrite => {
  return { collection, id, position, fields: { seen: [position] } }
}
const documents = (...all: GuardedWrite[]) => new Map(all.map((each) => [`${each.collection} ${each.id}`, each]))
const written = (steps: readonly Step[], ...stored: GuardedWrite[]) =>
  changesOf(steps, documents(...stored)).map((change) =>
    'removes' in change ? `- ${change.position}` : `${change.id} ${change.fields.seen}`,
  )

describe('the changes of a batch', () => {
  it('write each changed document once, after all its steps', () => {
    expect(written([add(2), add(3, 'b'), add(4)], held(1))).to.deep.equal(['b 3', 'a 1,2,4'])
  })

  it('leave out a document that is removed after its steps', () => {
    expect(written([add(2), add(3, 'b'), remove(4)])).to.deep.equal(['- 4', 'b 3'])
    expect(written([add(2), remove(3)], held(1))).to.deep.equal(['- 3'])
  })

  it('start a new document if it is created again after its removal', () => {
    expect(written([add(2), remove(3), add(4)], held(1))).to.deep.equal(['- 3', 'a 4'])
  })

  it('remove all documents with a common key prefix, both changed and stored, and no others', () => {
    const removal = remove(6, { idPrefix: 'x/' })
    expect(written([add(3, 'x/1'), add(4, 'x'), add(5, 'y/x/'), removal, add(7, 'x/2')], held(2, 'x/2'))).to.deep.equal(
      ['- 6', 'x 4', 'y/x/ 5', 'x/2 7'],
    )
  })

  it('leave a document that is newer than a removal that is read again', () => {
    expect(written([remove(3), add(4)], held(5))).to.deep.equal(['- 3'])
    const stored = documents(held(5), held(2, 'b'), held(2, 'a', 'others'))
    expect(removedKeys({ collection: 'notes', position: 3, removes: { id: 'a' } }, stored)).to.deep.equal([])
    expect(removedKeys({ collection: 'notes', position: 3, removes: { idPrefix: '' } }, stored)).to.deep.equal([
      'notes b',
    ])
  })

  it('write nothing for an event that makes no document', () => {
    expect(written([{ ...add(2), next: () => undefined }])).to.deep.equal([])
  })
})

describe('the removals of an event', () => {
  const [forgotten] = readHistories().find(({ name }) => name === 'removal-job')?.events ?? []
  const naming = (...streams: [string, ...string[]]): StoredEvent => {
    if (forgotten?.type !== 'StreamsRemoved') throw new Error('nothing is removed')
    return { ...forgotten, data: { ...forgotten.data, streams } }
  }
  const removals = (of: readonly Projection[], event: StoredEvent) =>
    stepsOf(of, [event]).map((step) => ('removes' in step ? [step.collection, step.removes, step.position] : step))

  it('are the documents that belong to each removed stream', () => {
    const event = naming('job-1', 'key-2', 'organization-3', 'credits-3', 'removal-4')
    expect(removals(projections, event)).to.have.deep.members([
      ['jobs', { id: '1' }, event.position],
      ['keys', { id: '2' }, event.position],
      ['balances', { id: '3' }, event.position],
      ['usage', { idPrefix: '3/' }, event.position],
      ['organizationUse', { idPrefix: '3/' }, event.position],
    ])
  })

  it("keep a removed job's cost and the total usage", () => {
    expect(removals(projections, naming('job-1'))).to.deep.equal([['jobs', { id: '1' }, forgotten?.position]])
  })

  it('are empty if the projection has none', () => {
    const { removedWith: _, ...kept } = keys
    expect(removals([kept] as unknown as Projection[], naming('key-2'))).to.deep.equal([])
  })

  it('leave no document for a settlement of a removed job, but count the settlement', () => {
    const settlement = readHistories()
      .flatMap(({ events }) => events)
      .find(({ type }) => type === 'CreditsSettled') as StoredEvent
    const changes = changesOf(stepsOf([jobs, usage] as unknown as Projection[], [settlement]), new Map())
    expect(changes.map(({ collection }) => collection)).to.deep.equal(['usage'])
  })
})
